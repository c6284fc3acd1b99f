package auth_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/auth/authtest"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/datadir"
)

const ownPassword = "a password of my own"

var (
	home = auth.Origin{Address: "127.0.0.1", UserAgent: "test"}
	by   = auth.Actor{Principal: auth.Admin, Origin: home}
)

func TestConfiguredTokens(t *testing.T) {
	t.Parallel()
	one, two := strings.Repeat("a", 32), strings.Repeat("b:", 20)
	a := authtest.Open(t, auth.Options{Tokens: []string{"one:" + one, "two:" + two}, Agents: true})
	for token, want := range map[string]string{one: "one", two: "two", "": "", "x": "", one + "a": "", one[1:]: ""} {
		c, ok := a.Bearer(token)
		if ok != (want != "") || c.Principal != want {
			t.Errorf("%q: %q", token, c.Principal)
		}
	}
	if a.First.Token != "" {
		t.Error("there were tokens, and one was made")
	}
	if _, _, err := a.CreateToken(t.Context(), by, "one", types.PrincipalKindAgent); !errors.Is(err, auth.ErrTaken) {
		t.Errorf("a name twice: %v", err)
	}
	if rows, _, err := a.Tokens(t.Context(), auth.CredentialQuery{Span: auth.Span{Limit: 10}}); err != nil || len(rows) != 0 {
		t.Errorf("they are stored: %v, %v", rows, err)
	}
	_, _, err := auth.Open(t.Context(), auth.Options{Store: a.Store, Seed: a.Dir.SeedFile(), Tokens: []string{"secretsecret"}})
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a malformed pair: %v", err)
	}
}

func TestOwns(t *testing.T) {
	t.Parallel()
	p := auth.Principal{Name: "one"}
	if !p.Owns("one") || p.Owns("two") || p.Owns(auth.Local) {
		t.Error("a token owns what it made and nothing else")
	}
	if !auth.Anyone.Owns("two") {
		t.Error("without authentication everybody sees everything")
	}
	if (auth.Principal{}).Owns("one") {
		t.Error("nobody owns nothing")
	}
}

func seedPath(dir *datadir.Dir) string { return filepath.Join(dir.Root, "admin", "credentials.txt") }

func TestFirstStart(t *testing.T) {
	t.Parallel()
	o := auth.Options{Agents: true, Dashboard: true}
	a := authtest.Open(t, o)
	if len(a.First.Password) != 24 || a.First.File != seedPath(a.Dir) || len(a.First.Token) < 40 {
		t.Errorf("%+v", a.First)
	}
	text, err := os.ReadFile(a.First.File)
	if err != nil || !strings.Contains(string(text), a.First.Password) {
		t.Errorf("%q, %v", text, err)
	}
	if info, err := os.Stat(a.First.File); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if c, ok := a.Bearer(a.First.Token); !ok || c.Principal != auth.FirstAgent || c.Kind != types.PrincipalKindAgent {
		t.Errorf("%+v", c)
	}
	token, password := a.First.Token, a.First.Password
	a.Close()

	// The second start shows nothing, and what the first one made still holds.
	a = authtest.OpenIn(t, a.Dir, o)
	if a.First != (auth.First{}) {
		t.Errorf("%+v", a.First)
	}
	c, ok := a.Bearer(token)
	if !ok {
		t.Fatal("the token is lost")
	}
	if _, c, err := a.Login(t.Context(), home, auth.Admin, password); err != nil || !c.MustChangePassword {
		t.Errorf("%+v, %v", c, err)
	}
	rows, _, err := a.Tokens(t.Context(), auth.CredentialQuery{Span: auth.Span{Limit: 10}})
	if err != nil || len(rows) != 1 {
		t.Fatal(rows, err)
	}
	if err := a.RevokeToken(t.Context(), by, rows[0].ID); err != nil {
		t.Fatal(err)
	}
	if c.Live.Err() == nil {
		t.Error("what the token has under way goes on")
	}
	a.Close()
	if a = authtest.OpenIn(t, a.Dir, o); a.First.Token != "" {
		t.Error("a token that was revoked came back")
	}
	if _, ok := a.Bearer(token); ok {
		t.Error("a revoked token is valid")
	}
}

// The last use of a token is stored once a minute at most.
func TestLastUse(t *testing.T) {
	t.Parallel()
	dir := opened(t)
	synctest.Test(t, func(t *testing.T) {
		a := authtest.OpenIn(t, dir, auth.Options{Agents: true})
		defer a.Close()
		used := func() (at time.Time) {
			t.Helper()
			if err := a.Store.AddEntry(t.Context(), auth.Entry{ID: fmt.Sprint(time.Now().UnixNano()), Action: "wait"}); err != nil {
				t.Fatal(err) // It comes after what was queued before.
			}
			rows, _, err := a.Tokens(t.Context(), auth.CredentialQuery{Span: auth.Span{Limit: 1}})
			if err != nil || len(rows) != 1 {
				t.Fatal(rows, err)
			}
			return rows[0].LastUsed
		}
		if !used().IsZero() {
			t.Error("used before it was")
		}
		begin := time.Now().Truncate(time.Millisecond)
		a.Bearer(a.First.Token)
		first := used()
		if !first.Equal(begin) {
			t.Errorf("%v, want %v", first, begin)
		}
		time.Sleep(50 * time.Second)
		a.Bearer(a.First.Token)
		if got := used(); !got.Equal(first) {
			t.Errorf("stored again after %v", got.Sub(first))
		}
		time.Sleep(20 * time.Second)
		a.Bearer(a.First.Token)
		if got := used(); !got.After(first.Add(time.Minute)) {
			t.Errorf("not stored after a minute: %v", got)
		}
	})
}

func opened(t *testing.T) *datadir.Dir {
	t.Helper()
	dir, err := datadir.Open(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func code(err error) contract.Code { return contract.CodeOf(err) }

// settled is an authority whose operator has a password of their own, and the session that set it.
func settled(t *testing.T, dir *datadir.Dir) (*authtest.Authority, string, auth.Caller) {
	t.Helper()
	a := authtest.OpenIn(t, dir, auth.Options{Dashboard: true, Agents: true})
	cookie, c, err := a.Login(t.Context(), home, auth.Admin, a.First.Password)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = a.ChangePassword(t.Context(), c, home, a.First.Password, ownPassword); err != nil {
		t.Fatal(err)
	}
	return a, cookie, c
}

func TestChangeErasesTheSeed(t *testing.T) {
	t.Parallel()
	dir := opened(t)
	a, cookie, c := settled(t, dir)
	if c.MustChangePassword {
		t.Error("still to be changed")
	}
	if _, err := os.Stat(seedPath(dir)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is there: %v", err)
	}
	if _, ok := a.Cookie(cookie, home); !ok {
		t.Error("the change ended the session that made it")
	}
	a.Close()
	// A change that was cut short after the commit leaves the file; the next start erases it.
	if err := os.WriteFile(seedPath(dir), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	a = authtest.OpenIn(t, dir, auth.Options{Dashboard: true})
	if _, err := os.Stat(seedPath(dir)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is there: %v", err)
	}
	if _, ok := a.Cookie(cookie, home); !ok {
		t.Error("the restart ended a session")
	}
	password, _, err := a.ResetPassword(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := a.Cookie(cookie, home); ok {
		t.Error("the reset left a session")
	}
	if _, _, err := a.Login(t.Context(), home, auth.Admin, ownPassword); code(err) != errcode.CodeInvalidCredentials {
		t.Errorf("the old password: %v", err)
	}
	if _, c, err := a.Login(t.Context(), home, auth.Admin, password); err != nil || !c.MustChangePassword {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestSessionsExpire(t *testing.T) {
	t.Parallel()
	dir := opened(t)
	synctest.Test(t, func(t *testing.T) {
		a, cookie, c := settled(t, dir)
		defer a.Close()
		alive := func(want bool, what string) {
			t.Helper()
			if _, ok := a.Cookie(cookie, home); ok != want {
				t.Errorf("%s: alive is %t", what, ok)
			}
		}
		begin := c.Expires.Add(-auth.SessionTotal)
		for time.Until(begin.Add(auth.SessionTotal)) > 10*time.Minute {
			time.Sleep(10 * time.Minute)
			alive(true, "in use")
		}
		time.Sleep(time.Until(c.Expires) - time.Millisecond)
		alive(true, "just before its time is up")
		time.Sleep(time.Millisecond)
		alive(false, "after 8 hours")
		if c.Live.Err() == nil {
			t.Error("what it had under way goes on")
		}

		var err error
		if cookie, _, err = a.Login(t.Context(), home, auth.Admin, ownPassword); err != nil {
			t.Fatal(err)
		}
		alive(true, "new")
		time.Sleep(auth.SessionIdle - time.Millisecond)
		alive(true, "idle for almost 15 minutes")
		time.Sleep(auth.SessionIdle)
		alive(false, "idle for 15 minutes")
		if _, _, err = a.Login(t.Context(), home, auth.Admin, ownPassword); err != nil {
			t.Fatal(err)
		}
		if n := a.Rows(t, "SELECT count(*) FROM operator_sessions"); n[0] != "1" {
			t.Errorf("%s sessions are stored", n[0])
		}
	})
}

// Past its bound, a new session takes the place of the one that was idle the longest.
func TestMostSessions(t *testing.T) {
	t.Parallel()
	dir := opened(t)
	synctest.Test(t, func(t *testing.T) {
		a, first, c := settled(t, dir)
		defer a.Close()
		var second string
		for i := range 64 {
			time.Sleep(time.Second)
			cookie, _, err := a.Login(t.Context(), home, auth.Admin, ownPassword)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				second = cookie
			}
		}
		if n := len(a.Sessions(c)); n != 64 {
			t.Errorf("%d sessions", n)
		}
		if _, ok := a.Cookie(first, home); ok {
			t.Error("the idlest is there")
		}
		if _, ok := a.Cookie(second, home); !ok {
			t.Error("another one is gone")
		}
	})
}

func TestLoginLimits(t *testing.T) {
	t.Parallel()
	dir := opened(t)
	synctest.Test(t, func(t *testing.T) {
		a, _, _ := settled(t, dir)
		defer a.Close()
		login := func(address, password string) contract.Code {
			_, _, err := a.Login(t.Context(), auth.Origin{Address: address}, auth.Admin, password)
			return code(err)
		}
		for i := range 5 {
			if got := login("192.0.2.1", "wrong"); got != errcode.CodeInvalidCredentials {
				t.Fatalf("attempt %d: %s", i, got)
			}
		}
		if got := login("192.0.2.1", ownPassword); got != errcode.CodeRateLimited {
			t.Errorf("the sixth: %s", got)
		}
		time.Sleep(10 * time.Second)
		if got := login("192.0.2.1", ownPassword); got != "" {
			t.Errorf("after a while: %s", got)
		}
		// Right passwords use nothing up.
		for range 20 {
			if got := login("192.0.2.1", ownPassword); got == errcode.CodeRateLimited {
				time.Sleep(10 * time.Second)
			} else if got != "" {
				t.Fatal(got)
			}
		}
		// A flood from everywhere uses up what all have together.
		limited := 0
		for i := range 100 {
			if login(fmt.Sprintf("198.51.100.%d", i), "wrong") == errcode.CodeRateLimited {
				limited++
			}
		}
		if limited == 0 {
			t.Error("there is no total")
		}
		if got := login("203.0.113.1", ownPassword); got != errcode.CodeRateLimited {
			t.Errorf("an unknown address: %s", got)
		}
		// The owner still signs in: from where it did before, and at the host.
		for _, address := range []string{"192.0.2.1", "127.0.0.1", "::1"} {
			if got := login(address, ownPassword); got != "" {
				t.Errorf("%s: %s", address, got)
			}
		}
	})
}

// Guesses of the present password are limited for whoever holds a session.
func TestChangeLimit(t *testing.T) {
	t.Parallel()
	dir := opened(t)
	synctest.Test(t, func(t *testing.T) {
		a, _, c := settled(t, dir)
		defer a.Close()
		change := func(current string) contract.Code {
			_, err := a.ChangePassword(t.Context(), c, home, current, "yet another password")
			return code(err)
		}
		for range 5 {
			if got := change("wrong"); got != errcode.CodeBadCurrentPassword {
				t.Fatal(got)
			}
		}
		if got := change(ownPassword); got != errcode.CodeRateLimited {
			t.Error(got)
		}
		time.Sleep(10 * time.Second)
		if got := change(ownPassword); got != "" {
			t.Error(got)
		}
	})
}

func TestGrants(t *testing.T) {
	t.Parallel()
	dir := opened(t)
	synctest.Test(t, func(t *testing.T) {
		a, _, c := settled(t, dir)
		defer a.Close()
		grant := func() string {
			t.Helper()
			text, expires, err := a.CreateGrant(t.Context(), c, home, types.GrantRouteTrace, "shop-1")
			if err != nil {
				t.Fatal(err)
			}
			if left := time.Until(expires); left > 10*time.Minute || left < 9*time.Minute {
				t.Errorf("it lasts %v", left)
			}
			return text
		}
		text := grant()
		if a.UseGrant(text, types.GrantRouteScreenshot, "shop-1") || a.UseGrant(text, types.GrantRouteTrace, "shop-2") {
			t.Error("it opens something else")
		}
		if !a.UseGrant(text, types.GrantRouteTrace, "shop-1") {
			t.Error("it opens nothing")
		}
		if a.UseGrant(text, types.GrantRouteTrace, "shop-1") {
			t.Error("it opens twice")
		}
		text = grant()
		time.Sleep(10 * time.Minute)
		if a.UseGrant(text, types.GrantRouteTrace, "shop-1") {
			t.Error("it opens after its time")
		}
		text = grant()
		if err := a.Logout(t.Context(), c, home); err != nil {
			t.Fatal(err)
		}
		if a.UseGrant(text, types.GrantRouteTrace, "shop-1") {
			t.Error("it outlives its maker's session")
		}
	})
}

// What happens to an identity leaves a row.
func TestAudit(t *testing.T) {
	t.Parallel()
	a, cookie, c := settled(t, opened(t))
	ctx := t.Context()
	_, _, err := a.Login(ctx, home, auth.Admin, "wrong")
	if code(err) != errcode.CodeInvalidCredentials {
		t.Fatal(err)
	}
	if _, _, err := a.Login(ctx, home, auth.Admin, ownPassword); err != nil {
		t.Fatal(err)
	}
	if n, err := a.RevokeOtherSessions(ctx, c, home); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	_, credential, err := a.CreateToken(ctx, c.By(home), "ci", types.PrincipalKindAgent)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.RevokeToken(ctx, c.By(home), credential.ID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.CreateGrant(ctx, c, home, types.GrantRouteTrace, "shop-1"); err != nil {
		t.Fatal(err)
	}
	if err := a.Logout(ctx, c, home); err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.ResetPassword(ctx); err != nil {
		t.Fatal(err)
	}
	if _, ok := a.Cookie(cookie, home); ok {
		t.Error("signed out, and still in")
	}
	got := a.Rows(t, `SELECT action || ' ' || iif(ok, 'true', 'false') || ' ' || principal_id || ' by "' || ifnull(actor, '') || '" from ' ||
		ifnull(remote_addr, '') FROM auth_audit ORDER BY id`)
	want := []string{
		`token.create true agent-1 by "" from `,
		`password.seed true admin by "" from `,
		`login true admin by "admin" from 127.0.0.1`,
		`password.change true admin by "admin" from 127.0.0.1`,
		`login false admin by "" from 127.0.0.1`,
		`login true admin by "admin" from 127.0.0.1`,
		`session.revoke true admin by "admin" from 127.0.0.1`,
		`token.create true ci by "admin" from 127.0.0.1`,
		`token.revoke true ci by "admin" from 127.0.0.1`,
		`grant.create true admin by "admin" from 127.0.0.1`,
		`logout true admin by "admin" from 127.0.0.1`,
		`password.reset true admin by "" from `,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// No password, token, cookie or grant stands in any file of the data directory but the one that is for it.
func TestNoSecretOnDisk(t *testing.T) {
	t.Parallel()
	dir := opened(t)
	a := authtest.OpenIn(t, dir, auth.Options{Dashboard: true, Agents: true, Tokens: nil})
	seed := a.First.Password
	cookie, c, err := a.Login(t.Context(), home, auth.Admin, seed)
	if err != nil {
		t.Fatal(err)
	}
	token, _, err := a.CreateToken(t.Context(), by, "ci", types.PrincipalKindOperator)
	if err != nil {
		t.Fatal(err)
	}
	grant, _, err := a.CreateGrant(t.Context(), c, home, types.GrantRouteTrace, "shop-1")
	if err != nil {
		t.Fatal(err)
	}
	a.Cookie(cookie, home)
	a.Bearer(token)
	secrets := map[string]string{"seed": seed, "cookie": cookie, "token": token, "first token": a.First.Token, "grant": grant, "own": ownPassword}
	for name, s := range secrets {
		if name != "own" && strings.Contains(a.Secrets.Scrub("x "+s+" y"), s) {
			t.Errorf("the redactor does not know the %s", name)
		}
	}
	look := func(allowed string) (seen int) {
		t.Helper()
		err := filepath.WalkDir(dir.Root, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for name, s := range secrets {
				switch {
				case !strings.Contains(string(raw), s):
				case name == "seed" && path == allowed:
					seen++
				default:
					t.Errorf("%s holds the %s", path, name)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return seen
	}
	if look(seedPath(dir)) != 1 {
		t.Error("the generated password is nowhere, so this test finds nothing")
	}
	if _, err := a.ChangePassword(t.Context(), c, home, seed, ownPassword); err != nil {
		t.Fatal(err)
	}
	look("")
	a.Close()
	look("")
}

// broken is a store that a full disk is behind.
type broken struct{ auth.Store }

func (broken) RevokeCredential(context.Context, string, auth.Entry) error { return errors.New("full") }

func (broken) EndOperatorSessions(context.Context, []string, auth.Entry) error {
	return errors.New("full")
}

// What is revoked is over even when the disk does not take it.
func TestRevocationHoldsWithoutADisk(t *testing.T) {
	t.Parallel()
	dir := opened(t)
	a, cookie, _ := settled(t, dir)
	token := a.First.Token
	rows, _, err := a.Tokens(t.Context(), auth.CredentialQuery{Span: auth.Span{Limit: 1}})
	if err != nil || len(rows) != 1 {
		t.Fatal(err)
	}
	b, _, err := auth.Open(t.Context(), auth.Options{Store: broken{a.Store}, Seed: dir.SeedFile()})
	if err != nil {
		t.Fatal(err)
	}
	c, ok := b.Cookie(cookie, home)
	if !ok {
		t.Fatal("no session")
	}
	if err := b.Logout(t.Context(), c, home); err == nil {
		t.Error("the failure is hidden")
	}
	if err := b.RevokeToken(t.Context(), by, rows[0].ID); err == nil {
		t.Error("the failure is hidden")
	}
	if _, ok := b.Cookie(cookie, home); ok {
		t.Error("the session goes on")
	}
	if _, ok := b.Bearer(token); ok {
		t.Error("the token goes on")
	}
}
