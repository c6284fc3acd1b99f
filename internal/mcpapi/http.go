package mcpapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/browserhive/browserhive/internal/auth"
)

// statelessSince is the protocol version since which requests are stateless: no MCP session, no GET.
const statelessSince = "2026-07-28"

// idleTimeout ends an MCP session that nobody uses. Browsers are not touched: they live by their lease.
const idleTimeout = 30 * time.Minute

// maxEventBytes bounds the events that are kept for clients that resume a stream.
const maxEventBytes = 32 << 20

// Handler serves MCP over Streamable HTTP. The caller has checked Host, Origin and token, and put the
// principal into the request's context.
func (s *Server) Handler() http.Handler { return Handler(s.mcp, s.opts.Log) }

// Handler serves an SDK server over HTTP. Requests of a newer protocol version are stateless; older ones belong
// to an MCP session, whose streams can be resumed.
func Handler(server *mcp.Server, log *slog.Logger) http.Handler {
	get := func(*http.Request) *mcp.Server { return server }
	events := mcp.NewMemoryEventStore(nil)
	events.SetMaxBytes(maxEventBytes)
	common := mcp.StreamableHTTPOptions{
		Logger: quiet(log), MaxRequestBodyBytes: maxMessage,
		// The server's own guard has checked Host, with the names that this server really has.
		DisableLocalhostProtection: true,
	}
	stateful, stateless := common, common
	open := &streams{EventStore: events, open: map[string]*exchange{}}
	stateful.EventStore, stateful.SessionTimeout = open, idleTimeout
	stateless.Stateless, stateless.PropagateRequestCancellation = true, true
	running := newCalls()
	server.AddReceivingMiddleware(running.follow)
	older := running.handler(open.handler(mcp.NewStreamableHTTPHandler(get, &stateful)))
	newer := mcp.NewStreamableHTTPHandler(get, &stateless)
	return bindPrincipal(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= statelessSince {
			newer.ServeHTTP(w, r)
			return
		}
		older.ServeHTTP(w, r)
	}))
}

// liveKey is where a token's info has the context that ends with the token.
const liveKey = "live"

// bindPrincipal tells the SDK who is calling, so that nobody can continue an MCP session of somebody
// else.
func bindPrincipal(next http.Handler) http.Handler {
	verify := func(ctx context.Context, _ string, _ *http.Request) (*sdkauth.TokenInfo, error) {
		p, _ := auth.From(ctx)
		return &sdkauth.TokenInfo{UserID: p.Name, Extra: map[string]any{liveKey: p.Live}}, nil
	}
	bound := sdkauth.RequireBearerToken(verify, &sdkauth.RequireBearerTokenOptions{AllowMissingExpiration: true})(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p, ok := auth.From(r.Context()); ok && !p.All {
			bound.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
