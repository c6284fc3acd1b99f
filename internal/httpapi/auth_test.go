package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/browserhive/browserhive/gen/api"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/auth/authtest"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/httpapi"
)

const ownPassword = "a password of my own"

// desk is a server with a dashboard, as its first start leaves it.
func desk(t *testing.T, change func(*httpapi.Options)) (*httpapi.Server, *authtest.Authority) {
	t.Helper()
	id := authtest.Open(t, auth.Options{Dashboard: true, Agents: true})
	s := door(t, func(o *httpapi.Options) {
		o.Admin, o.Tokens, o.Identity, o.Resources = true, true, id.Authority, id.Store
		if change != nil {
			change(o)
		}
	})
	return s, id
}

// signIn signs in and returns the cookie.
func (c *client) signIn(password string) (cookie *http.Cookie) {
	c.t.Helper()
	a := c.wants("", "POST", "/api/v1/auth/login", map[string]any{"password": password})
	for _, line := range a.header.Values("Set-Cookie") {
		one, err := http.ParseSetCookie(line)
		if err != nil {
			c.t.Fatal(err)
		}
		if one.Name == httpapi.Cookie {
			c.cookie = one.Value
			return one
		}
	}
	c.t.Fatalf("no cookie: %v", a.header)
	return nil
}

// owner is an operator who has a password of their own.
func owner(t *testing.T, s *httpapi.Server, id *authtest.Authority) *client {
	t.Helper()
	c := &client{t: t, server: s}
	c.signIn(id.First.Password)
	c.wants("", "POST", "/api/v1/auth/change-password", map[string]any{"current_password": id.First.Password, "new_password": ownPassword})
	return c
}

func TestFirstSignIn(t *testing.T) {
	t.Parallel()
	s, id := desk(t, nil)
	c := &client{t: t, server: s}
	c.wants("UNAUTHORIZED", "GET", "/api/v1/auth/me", nil)
	c.wants("INVALID_CREDENTIALS", "POST", "/api/v1/auth/login", map[string]any{"password": "wrong"})
	c.wants("INVALID_CREDENTIALS", "POST", "/api/v1/auth/login", map[string]any{"username": "root", "password": id.First.Password})

	cookie := c.signIn(id.First.Password)
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || cookie.Secure || cookie.MaxAge != 8*60*60 {
		t.Errorf("%+v", cookie)
	}
	me := into[types.Principal](t, c.wants("", "GET", "/api/v1/auth/me", nil))
	if me.PrincipalID != "admin" || me.Kind != types.PrincipalKindOperator || !me.MustChangePassword || me.Auth != types.PrincipalAuthCookie ||
		len(me.Scopes) != len(api.Scopes) || me.SessionExpiresAt == nil || *me.IdleTimeoutMs != 15*60*1000 {
		t.Errorf("%+v", me)
	}
	// Nothing else is open before the change, whatever the operation.
	for _, op := range api.Operations {
		if op.Planned || slices.Contains(op.Auth, "public") || op.SeedPassword {
			continue
		}
		c.wants("PASSWORD_CHANGE_REQUIRED", op.Method, strings.NewReplacer("{", "", "}", "").Replace(op.Path), nil)
	}

	change := func(code, current, next string) {
		t.Helper()
		c.wants(code, "POST", "/api/v1/auth/change-password", map[string]any{"current_password": current, "new_password": next})
	}
	change("BAD_CURRENT_PASSWORD", "wrong", ownPassword)
	change("WEAK_PASSWORD", id.First.Password, "12345678901")
	change("VALIDATION_FAILED", id.First.Password, strings.Repeat("x", 257))
	change("VALIDATION_FAILED", id.First.Password, id.First.Password)
	other := &client{t: t, server: s}
	other.signIn(id.First.Password)
	change("", id.First.Password, ownPassword)
	other.wants("UNAUTHORIZED", "GET", "/api/v1/auth/me", nil) // Signed out by the change.
	if me := into[types.Principal](t, c.wants("", "GET", "/api/v1/auth/me", nil)); me.MustChangePassword {
		t.Error("the change is not over")
	}
	other.wants("INVALID_CREDENTIALS", "POST", "/api/v1/auth/login", map[string]any{"password": id.First.Password})
	other.signIn(ownPassword)

	cleared := c.wants("", "POST", "/api/v1/auth/logout", nil)
	if line := cleared.header.Get("Set-Cookie"); !strings.Contains(line, "Max-Age=0") {
		t.Errorf("the cookie stays: %q", line)
	}
	c.wants("UNAUTHORIZED", "GET", "/api/v1/auth/me", nil)
}

// A password of 12 characters is long enough, counted in characters and not in bytes.
func TestPasswordLength(t *testing.T) {
	t.Parallel()
	s, id := desk(t, nil)
	c := &client{t: t, server: s}
	c.signIn(id.First.Password)
	c.wants("WEAK_PASSWORD", "POST", "/api/v1/auth/change-password", map[string]any{"current_password": id.First.Password, "new_password": strings.Repeat("ß", 11)})
	long := strings.Repeat("ß", 256)
	c.wants("", "POST", "/api/v1/auth/change-password", map[string]any{"current_password": id.First.Password, "new_password": long})
	c.signIn(long)
}

func TestSessions(t *testing.T) {
	t.Parallel()
	s, id := desk(t, nil)
	c := owner(t, s, id)
	others := make([]*client, 3)
	for i := range others {
		others[i] = &client{t: t, server: s, from: fmt.Sprintf("192.0.2.%d:1", i+10), header: http.Header{"User-Agent": {fmt.Sprint("browser ", i)}}}
		others[i].signIn(ownPassword)
	}
	all := into[types.ListAuthSessionsPage](t, c.wants("", "GET", "/api/v1/auth/sessions", nil))
	if len(all.Data) != 4 || all.Page.NextCursor != nil || all.Page.PrevCursor != nil || !all.Data[0].Current {
		t.Fatalf("%+v", all)
	}
	if last := all.Data[1]; *last.RemoteAddr != "192.0.2.12" || *last.UserAgent != "browser 2" || last.ExpiresAt != last.CreatedAt+8*60*60*1000 {
		t.Errorf("%+v", last)
	}
	c.wants("NOT_FOUND", "DELETE", "/api/v1/auth/sessions/0123456789abcdef", nil)
	c.wants("VALIDATION_FAILED", "DELETE", "/api/v1/auth/sessions/short", nil)
	c.wants("", "DELETE", "/api/v1/auth/sessions/"+all.Data[1].IDPrefix, nil)
	others[2].wants("UNAUTHORIZED", "GET", "/api/v1/auth/me", nil)
	others[1].wants("", "GET", "/api/v1/auth/me", nil)
	if gone := into[types.RevokedSessions](t, c.wants("", "POST", "/api/v1/auth/sessions/revoke-all", nil)); gone.Revoked != 2 {
		t.Errorf("%+v", gone)
	}
	others[1].wants("UNAUTHORIZED", "GET", "/api/v1/auth/me", nil)
	c.wants("", "GET", "/api/v1/auth/me", nil)
}

func TestTokenOperations(t *testing.T) {
	t.Parallel()
	s, id := desk(t, nil)
	c := owner(t, s, id)
	create := func(code string, body any) types.IssuedToken {
		t.Helper()
		a := c.wants(code, "POST", "/api/v1/auth/tokens", body)
		if code != "" {
			return types.IssuedToken{}
		}
		return into[types.IssuedToken](t, a)
	}
	ci := create("", map[string]any{"name": "ci"})
	if ci.Credential.Kind != types.PrincipalKindAgent || *ci.Credential.CreatedBy != "admin" || len(ci.Credential.Prefix) != 8 ||
		!strings.HasPrefix(ci.Token, ci.Credential.Prefix) {
		t.Errorf("%+v", ci)
	}
	for _, name := range []string{"ci", "agent-1", "admin", "local", "", "a b", "-x", strings.Repeat("a", 65)} {
		create("VALIDATION_FAILED", map[string]any{"name": name})
	}
	create("VALIDATION_FAILED", map[string]any{"name": "x", "kind": "king"})
	create("VALIDATION_FAILED", map[string]any{"name": "x", "scope": "all"})
	create("VALIDATION_FAILED", "{")
	script := create("", map[string]any{"name": "script", "kind": "operator"})

	// An agent calls tools, and sees who it is.
	agent := &client{t: t, server: s, token: ci.Token}
	agent.wants("", "POST", "/mcp", nil)
	me := into[types.Principal](t, agent.wants("", "GET", "/api/v1/auth/me", nil))
	if me.PrincipalID != "ci" || me.Auth != types.PrincipalAuthBearer || !slices.Equal(me.Scopes, []string{api.ScopeMCPTools}) || me.SessionExpiresAt != nil {
		t.Errorf("%+v", me)
	}
	for _, r := range [][2]string{
		{"GET", "/api/v1/auth/tokens"}, {"DELETE", "/api/v1/auth/tokens/" + ci.Credential.CredentialID},
	} {
		agent.wants("FORBIDDEN", r[0], r[1], nil)
	}
	agent.wants("FORBIDDEN", "POST", "/api/v1/auth/tokens", map[string]any{"name": "more"})
	agent.wants("FORBIDDEN", "POST", "/api/v1/auth/grants", map[string]any{"route": "trace", "resource_id": "x"})
	agent.wants("FORBIDDEN", "POST", "/api/v1/auth/change-password", map[string]any{"current_password": ownPassword, "new_password": "another password"})

	// An operator's token does what its maker may.
	operator := &client{t: t, server: s, token: script.Token}
	listed := into[types.ListTokensPage](t, operator.wants("", "GET", "/api/v1/auth/tokens?dir=asc", nil))
	if len(listed.Data) != 3 || listed.Data[0].Name != "agent-1" || listed.Data[0].CreatedBy != nil || listed.Data[1].Name != "ci" {
		t.Errorf("%+v", listed)
	}
	if string(listed.Applied.Filters["revoked"]) != "false" || *listed.Applied.Sort != "created_at" || listed.Applied.Limit != 50 {
		t.Errorf("%+v", listed.Applied)
	}
	operator.wants("", "POST", "/api/v1/auth/logout", nil)
	operator.wants("", "DELETE", "/api/v1/auth/tokens/"+ci.Credential.CredentialID, nil)
	agent.wants("UNAUTHORIZED", "POST", "/mcp", nil)
	operator.wants("NOT_FOUND", "DELETE", "/api/v1/auth/tokens/"+ci.Credential.CredentialID, nil)
	create("VALIDATION_FAILED", map[string]any{"name": "ci", "kind": "operator"}) // It is the principal of an agent.
	create("", map[string]any{"name": "ci"})                                      // A name is free again.
	for query, want := range map[string]int{"?revoked=true": 4, "?kind=operator": 1, "?kind=operator&kind=agent": 3, "?q=AGENT": 1, "?q=" + script.Credential.Prefix: 1, "?q=%25": 0} {
		if got := into[types.ListTokensPage](t, c.wants("", "GET", "/api/v1/auth/tokens"+query, nil)); len(got.Data) != want {
			t.Errorf("%s: %+v", query, got.Data)
		}
	}
	for _, query := range []string{"?limit=0", "?limit=x", "?limit=201", "?sort=name", "?dir=up", "?revoked=1", "?nope=1", "?cursor=x", "?limit=1&limit=2", "?kind=king"} {
		c.wants("VALIDATION_FAILED", "GET", "/api/v1/auth/tokens"+query, nil)
	}
}

// Pages of a list follow on each other in both directions and orders.
func TestPages(t *testing.T) {
	t.Parallel()
	s, id := desk(t, nil)
	c := owner(t, s, id)
	for i := range 6 {
		c.wants("", "POST", "/api/v1/auth/tokens", map[string]any{"name": fmt.Sprint("t", i)})
	}
	names := func(p types.ListTokensPage) (out []string) {
		for _, row := range p.Data {
			out = append(out, row.Name)
		}
		return out
	}
	get := func(query string) types.ListTokensPage {
		t.Helper()
		return into[types.ListTokensPage](t, c.wants("", "GET", "/api/v1/auth/tokens?limit=3&"+query, nil))
	}
	for dir, want := range map[string][]string{
		"asc": {"agent-1", "t0", "t1", "t2", "t3", "t4", "t5"}, "desc": {"t5", "t4", "t3", "t2", "t1", "t0", "agent-1"},
	} {
		first := get("dir=" + dir)
		second := get("dir=" + dir + "&cursor=" + *first.Page.NextCursor)
		third := get("dir=" + dir + "&cursor=" + *second.Page.NextCursor)
		if got := slices.Concat(names(first), names(second), names(third)); !slices.Equal(got, want) {
			t.Errorf("%s: %v", dir, got)
		}
		if first.Page.PrevCursor != nil || third.Page.NextCursor != nil {
			t.Errorf("%s: the ends have neighbours", dir)
		}
		back := get("dir=" + dir + "&cursor=" + *third.Page.PrevCursor)
		if !slices.Equal(names(back), want[3:6]) || back.Page.NextCursor == nil {
			t.Errorf("%s: back at %v", dir, names(back))
		}
		start := get("dir=" + dir + "&cursor=" + *back.Page.PrevCursor)
		if !slices.Equal(names(start), want[:3]) || start.Page.PrevCursor != nil {
			t.Errorf("%s: back at the start %v, %v", dir, names(start), start.Page.PrevCursor)
		}
	}
}

func TestGrantsNeedAResource(t *testing.T) {
	t.Parallel()
	s, id := desk(t, nil)
	c := owner(t, s, id)
	for route, want := range map[string]string{"trace": "SESSION_NOT_FOUND", "screenshot": "SCREENSHOT_UNAVAILABLE", "log": "VALIDATION_FAILED"} {
		c.wants(want, "POST", "/api/v1/auth/grants", map[string]any{"route": route, "resource_id": "shop-1"})
	}
}

// opened is a desk's resource that is there.
type opened struct{}

func (opened) Grantable(context.Context, types.GrantRoute, string) error { return nil }

func TestGrantsOpenAResource(t *testing.T) {
	t.Parallel()
	s, id := desk(t, func(o *httpapi.Options) { o.Resources = opened{} })
	a := owner(t, s, id).wants("", "POST", "/api/v1/auth/grants", map[string]any{"route": "trace", "resource_id": "shop-1"})
	if g := into[types.Grant](t, a); g.Grant == "" {
		t.Errorf("%s", a.body)
	}
}

// The document of health is that of the contract, for anyone.
func TestHealthIsDeclared(t *testing.T) {
	t.Parallel()
	s := door(t, nil)
	s.SetPhase(httpapi.Ready)
	(&client{t: t, server: s}).wants("", "GET", "/api/v1/health", nil)
}

// No page of another site can act in an operator's name, whatever its browser sends along.
func TestForgedRequests(t *testing.T) {
	t.Parallel()
	s, id := desk(t, nil)
	c := owner(t, s, id)
	for _, h := range []http.Header{
		{"Origin": {"https://evil.example"}}, {"Origin": {"null"}}, {"Sec-Fetch-Site": {"cross-site"}}, {"Sec-Fetch-Site": {"same-site"}},
	} {
		c.header = h
		c.wants("ORIGIN_NOT_ALLOWED", "POST", "/api/v1/auth/logout", nil)
		c.wants("ORIGIN_NOT_ALLOWED", "POST", "/api/v1/auth/login", map[string]any{"password": ownPassword})
	}
	// What a form can send is no JSON.
	c.header = http.Header{"Content-Type": {"text/plain"}}
	c.wants("UNSUPPORTED_MEDIA_TYPE", "POST", "/api/v1/auth/tokens", `{"name":"x"}`)
	c.header = nil
	c.wants("", "GET", "/api/v1/auth/me", nil)
	c.wants("VALIDATION_FAILED", "POST", "/api/v1/auth/tokens", nil)
}

func TestLoginLimit(t *testing.T) {
	t.Parallel()
	s, id := desk(t, nil)
	c := &client{t: t, server: s, from: "192.0.2.7:1"}
	for range 5 {
		c.wants("INVALID_CREDENTIALS", "POST", "/api/v1/auth/login", map[string]any{"password": "wrong"})
	}
	a := c.wants("RATE_LIMITED", "POST", "/api/v1/auth/login", map[string]any{"password": id.First.Password})
	d := into[struct{ Details errcode.RateLimited }](t, a).Details
	if d.RetryAfterMs < 1 || d.RetryAfterMs > 10000 || a.header.Get("Retry-After") == "" {
		t.Errorf("%+v %v", d, a.header)
	}
	elsewhere := &client{t: t, server: s, from: "192.0.2.8:1"}
	elsewhere.signIn(id.First.Password)
}

func TestRequestLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testRequestLimit)
}

func testRequestLimit(t *testing.T) {
	s := door(t, func(o *httpapi.Options) { o.Admin = true })
	c := &client{t: t, server: s, from: "[2001:db8::1]:1"}
	for range 200 {
		c.wants("UNAUTHORIZED", "GET", "/api/v1/auth/me", nil)
	}
	c.wants("RATE_LIMITED", "GET", "/api/v1/auth/me", nil)
	time.Sleep(20 * time.Millisecond)
	c.wants("UNAUTHORIZED", "GET", "/api/v1/auth/me", nil)
	neighbour := &client{t: t, server: s, from: "[2001:db8::2]:1"} // Of the same network.
	neighbour.wants("RATE_LIMITED", "GET", "/api/v1/auth/me", nil)
	(&client{t: t, server: s, from: "[2001:db8:0:1::1]:1"}).wants("UNAUTHORIZED", "GET", "/api/v1/auth/me", nil)
}

// Behind a proxy that is trusted, the client is whom the proxy names, and https is what it speaks.
func TestProxy(t *testing.T) {
	t.Parallel()
	for trusted, want := range map[bool]string{true: "203.0.113.9", false: "192.0.2.1"} {
		s, id := desk(t, func(o *httpapi.Options) {
			if trusted {
				o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
			}
		})
		c := &client{t: t, server: s, header: http.Header{
			"X-Forwarded-For": {"198.51.100.1, 203.0.113.9", "192.0.2.77"}, "X-Forwarded-Proto": {"https"},
		}}
		cookie := c.signIn(id.First.Password)
		if cookie.Secure != trusted {
			t.Errorf("trusted %t: Secure is %t", trusted, cookie.Secure)
		}
		c.wants("", "POST", "/api/v1/auth/change-password", map[string]any{"current_password": id.First.Password, "new_password": ownPassword})
		list := into[types.ListAuthSessionsPage](t, c.wants("", "GET", "/api/v1/auth/sessions", nil))
		if *list.Data[0].RemoteAddr != want {
			t.Errorf("trusted %t: %s", trusted, *list.Data[0].RemoteAddr)
		}
	}
}

// The schemas of all operations compile, and their defaults are ones that they accept.
func TestEveryInput(t *testing.T) {
	t.Parallel()
	n := 0
	for _, op := range api.Operations {
		if op.Input == nil {
			continue
		}
		n++
		if _, err := contract.Compile(op.ID, op.Input); err != nil {
			t.Errorf("%s: %v", op.ID, err)
		}
	}
	if n == 0 {
		t.Error("no operation takes anything")
	}
}
