package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tenancy is one server for all tests that need none of their own. Each has a principal of its own there, so
// that it sees the sessions and saved logins of no other; the data directory and the log they share.
var tenancy = &lodge{}

type lodge struct {
	mu       sync.Mutex
	expected int // tests that have begun and may ask for the server
	server   *product
	span     *span
	tenants  int // who have moved in since the server started
}

// maxTenants is how many principals the server is told of, which is far more than tests ask for.
const maxTenants = 200

// enter keeps the server for as long as the test may ask for it. The last one to leave stops it.
func (l *lodge) enter(t *testing.T) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expected++
	t.Cleanup(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.expected--; l.expected == 0 && l.span != nil {
			l.span.end(t)
			l.server, l.span, l.tenants = nil, nil, 0
		}
	})
}

// token is that of the nth principal.
func (l *lodge) token(n int) string { return fmt.Sprintf("tenant-%03d-%s", n, strings.Repeat("t", 32)) }

// tenant is the shared server as the test sees it: with a principal of its own, and the log from here on. The
// test must not stop it. The sessions that it leaves are closed when it ends.
func tenant(t *testing.T) *product {
	t.Helper()
	tenancy.mu.Lock()
	defer tenancy.mu.Unlock()
	if tenancy.server == nil {
		pairs := make([]string, maxTenants)
		for n := range pairs {
			pairs[n] = fmt.Sprintf("tenant-%03d:%s", n, tenancy.token(n))
		}
		tenancy.span = &span{TB: t}
		tenancy.server = start(tenancy.span, setup{
			args: []string{"--auth", "token", "--maxSessions", "40"},
			env:  []string{"BROWSERHIVE_AUTH_TOKENS=" + strings.Join(pairs, ",")},
		})
	}
	if tenancy.tenants == maxTenants {
		t.Fatalf("the server is told of %d principals, and all are in use", maxTenants)
	}
	p := *tenancy.server
	p.t, p.principal, p.token = t, fmt.Sprintf("tenant-%03d", tenancy.tenants), tenancy.token(tenancy.tenants)
	p.mark = p.log.size()
	tenancy.tenants++
	t.Cleanup(p.moveOut)
	return &p
}

// server is the program over stdio, or the shared one.
func server(t *testing.T, stdio bool) *product {
	t.Helper()
	if stdio {
		return start(t, setup{stdio: true})
	}
	return tenant(t)
}

// moveOut closes the sessions that a tenant has left.
func (p *product) moveOut() {
	if p.t.Failed() {
		p.t.Logf("log of browserhive meanwhile:\n%s", p.output())
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: p.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(p.token)},
	}, &mcp.ClientSessionOptions{ProtocolVersion: stateless})
	if err != nil {
		p.t.Error(err)
		return
	}
	defer session.Close()
	list, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "list_sessions", Arguments: args{}})
	if err != nil {
		p.t.Error(err)
		return
	}
	fields, _ := list.StructuredContent.(map[string]any)
	sessions, _ := fields["sessions"].([]any)
	var closing sync.WaitGroup
	for _, entry := range sessions {
		closing.Go(func() {
			id := entry.(map[string]any)["session_id"]
			if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "close_session", Arguments: args{"session_id": id}}); err != nil {
				p.t.Errorf("closing %s: %v", id, err)
			}
		})
	}
	closing.Wait()
}

// span is the life of what several tests use. TB is the test that makes or ends it.
type span struct {
	testing.TB
	ends []func()
}

// Cleanup has f called at the end of the span, not of the test.
func (s *span) Cleanup(f func()) { s.ends = append(s.ends, f) }

// TempDir is a directory that lasts as long as the span.
func (s *span) TempDir() string {
	dir, err := os.MkdirTemp("", "bh")
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// end ends the span within a test, which fails when something of it does.
func (s *span) end(t *testing.T) {
	s.TB = t
	for n := len(s.ends) - 1; n >= 0; n-- {
		s.ends[n]()
	}
}
