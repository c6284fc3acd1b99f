package mcpapi

import (
	"context"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/browserhive/browserhive/internal/auth"
)

// calls lets the end of an MCP session end its calls. The SDK would have the DELETE wait for them, and a
// call may wait for minutes.
type calls struct {
	mu       sync.Mutex
	sessions map[owned]*running // with calls under way, or ending
}

// owned is an MCP session and the principal that it belongs to, so that nobody ends the calls of another.
type owned struct{ session, principal string }

type running struct {
	context.Context
	end     context.CancelFunc
	holders int // calls and DELETEs; the entry goes with the last
}

func newCalls() *calls { return &calls{sessions: map[owned]*running{}} }

// hold returns the calls of a session. The caller has to call letGo.
func (c *calls) hold(key owned) (r *running, letGo func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r = c.sessions[key]
	if r == nil {
		ctx, end := context.WithCancel(context.Background())
		r = &running{Context: ctx, end: end}
		c.sessions[key] = r
	}
	r.holders++
	return r, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if r.holders--; r.holders == 0 {
			r.end()
			delete(c.sessions, key)
		}
	}
}

// follow cancels a request when its session ends, or the token that it came with is revoked.
func (c *calls) follow(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		key := owned{session: req.GetSession().ID()}
		if key.session == "" { // A stateless request.
			return next(ctx, method, req)
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if x := req.GetExtra(); x != nil && x.TokenInfo != nil {
			key.principal = x.TokenInfo.UserID
			if live, ok := x.TokenInfo.Extra[liveKey].(context.Context); ok {
				defer context.AfterFunc(live, cancel)()
			}
		}
		r, letGo := c.hold(key)
		defer letGo()
		defer context.AfterFunc(r, cancel)()
		return next(ctx, method, req)
	}
}

// handler cancels a session's calls before the SDK ends the session, and also those that arrive meanwhile.
func (c *calls) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if id := r.Header.Get("Mcp-Session-Id"); r.Method == http.MethodDelete && id != "" {
			key := owned{session: id}
			if p, ok := auth.From(r.Context()); ok && !p.All {
				key.principal = p.Name
			}
			ending, letGo := c.hold(key)
			defer letGo()
			ending.end()
		}
		next.ServeHTTP(w, r)
	})
}
