package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// What no door lets in is answered with a problem document, before MCP hears of it.
func TestGuard(t *testing.T) {
	work(t)
	p := start(t, setup{})
	port := p.url[strings.LastIndexByte(p.url, ':'):]
	for name, c := range map[string]struct {
		exchange
		status int
		code   string // "" when the request is let in
	}{
		"own host":        {exchange{host: "localhost" + port}, 200, ""},
		"own origin":      {exchange{header: map[string]string{"Origin": p.url}}, 200, ""},
		"localhost page":  {exchange{host: "127.0.0.1" + port, header: map[string]string{"Origin": "http://localhost" + port}}, 200, ""},
		"foreign host":    {exchange{host: "evil.example"}, 421, "HOST_NOT_ALLOWED"},
		"rebound host":    {exchange{host: "127.0.0.1.evil.example" + port}, 421, "HOST_NOT_ALLOWED"},
		"forwarded host":  {exchange{host: "evil.example", header: map[string]string{"X-Forwarded-Host": "localhost"}}, 421, "HOST_NOT_ALLOWED"},
		"foreign origin":  {exchange{header: map[string]string{"Origin": "https://evil.example"}}, 403, "ORIGIN_NOT_ALLOWED"},
		"null origin":     {exchange{header: map[string]string{"Origin": "null"}}, 403, "ORIGIN_NOT_ALLOWED"},
		"other port":      {exchange{header: map[string]string{"Origin": "http://localhost:1"}}, 403, "ORIGIN_NOT_ALLOWED"},
		"cross-site form": {exchange{header: map[string]string{"Sec-Fetch-Site": "cross-site"}}, 403, "ORIGIN_NOT_ALLOWED"},
		"large body":      {exchange{body: `{"x":"` + strings.Repeat("x", 4<<20) + `"}`}, 413, "PAYLOAD_TOO_LARGE"},
		"unknown path":    {exchange{path: "/nowhere"}, 404, "NOT_FOUND"},
		"wrong method":    {exchange{method: http.MethodDelete, path: "/health"}, 405, "METHOD_NOT_ALLOWED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := c.exchange
			if x.path == "" {
				x.path = "/mcp"
			}
			if x.body == "" && x.path == "/mcp" {
				x.body = initialize
			}
			r := p.send(x)
			if c.code != "" {
				r.problem(t, c.status, c.code)
			} else if r.status != c.status {
				t.Errorf("%d %s", r.status, r.body)
			}
		})
	}
	t.Run("chunked large body", func(t *testing.T) {
		t.Parallel()
		req := p.request(exchange{path: "/mcp", body: `{"x":"` + strings.Repeat("x", 4<<20) + `"}`})
		req.ContentLength = -1
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%s", res.Status)
		}
	})
	t.Run("unknown MCP session", func(t *testing.T) {
		t.Parallel()
		r := p.send(exchange{path: "/mcp", header: map[string]string{"Mcp-Session-Id": "nobody", "Mcp-Protocol-Version": stateful},
			body: `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`})
		if r.status != http.StatusNotFound {
			t.Errorf("%d %s", r.status, r.body)
		}
	})
	t.Run("health", func(t *testing.T) {
		t.Parallel()
		r := p.send(exchange{method: http.MethodGet, path: "/health"})
		if r.status != 200 || !strings.Contains(r.body, `"ready"`) {
			t.Errorf("%d %s", r.status, r.body)
		}
	})
}

// With auth=token nobody gets in without a token, and each principal sees sessions of its own.
func TestTokens(t *testing.T) {
	work(t)
	p := start(t, setup{args: []string{"--auth", "token", "--maxSessions", "2"}, env: []string{
		"BROWSERHIVE_AUTH_TOKENS=alice:" + strings.Repeat("a", 40) + ",bob:" + strings.Repeat("b", 40),
	}})
	for name, header := range map[string]map[string]string{
		"none": nil, "wrong": {"Authorization": "Bearer " + strings.Repeat("c", 40)}, "basic": {"Authorization": "Basic YTpi"},
	} {
		r := p.send(exchange{path: "/mcp", body: initialize, header: header})
		r.problem(t, 401, "UNAUTHORIZED")
		if !strings.HasPrefix(r.header.Get("WWW-Authenticate"), "Bearer ") {
			t.Errorf("%s: WWW-Authenticate %q", name, r.header.Get("WWW-Authenticate"))
		}
	}
	alice, bob := p.connectAs(strings.Repeat("a", 40), stateful), p.connectAs(strings.Repeat("b", 40), stateless)
	id := alice.launch()
	if got := alice.call("list_sessions", nil).fields["sessions"].([]any); len(got) != 1 {
		t.Errorf("alice sees %v", got)
	}
	if got := bob.call("list_sessions", nil).fields["sessions"].([]any); len(got) != 0 {
		t.Errorf("bob sees %v", got)
	}
	bob.refused("SESSION_NOT_FOUND", "snapshot", args{"session_id": id})
	if got := bob.call("close_session", args{"session_id": id}).fields["closed"]; got != false {
		t.Errorf("bob closed the session of alice: %v", got)
	}
	alice.call("snapshot", args{"session_id": id})
	// An MCP session belongs to its principal as well.
	r := p.send(exchange{path: "/mcp", body: `{"jsonrpc":"2.0","id":9,"method":"tools/list"}`, header: map[string]string{
		"Authorization": "Bearer " + strings.Repeat("b", 40), "Mcp-Session-Id": alice.session.ID(), "Mcp-Protocol-Version": stateful,
	}})
	if r.status != http.StatusForbidden && r.status != http.StatusNotFound {
		t.Errorf("bob in the MCP session of alice: %d %s", r.status, r.body)
	}
}
