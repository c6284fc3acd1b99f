package mcpapi

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/browserhive/browserhive/internal/auth"
)

// streams lets a client resume a stream at once. The SDK answers 409 as long as the request that opened the
// stream is still there, which after a connection that broke silently can be as long as the call runs.
type streams struct {
	mcp.EventStore

	mu   sync.Mutex
	open map[string]*exchange // by MCP session and stream
}

// exchange is a request that a stream is open on.
type exchange struct {
	principal string
	end       context.CancelFunc
	ended     chan struct{} // closed when the stream is free
	stream    string        // its key, once known
}

type exchangeKey struct{}

func streamKey(session, stream string) string { return session + "/" + stream }

// Open is told which stream the request of ctx opens.
func (s *streams) Open(ctx context.Context, session, stream string) error {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok && stream != "" {
		s.hold(x, streamKey(session, stream))
	}
	return s.EventStore.Open(ctx, session, stream)
}

func (s *streams) hold(x *exchange, key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.stream = key
	s.open[key] = x
}

// handler ends the request that a stream is open on before another one of the same caller resumes it.
func (s *streams) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, end := context.WithCancel(r.Context())
		defer end()
		p, _ := auth.From(ctx)
		x := &exchange{principal: p.Name, end: end, ended: make(chan struct{})}
		defer s.release(x)
		if stream, _, ok := strings.Cut(r.Header.Get("Last-Event-ID"), "_"); ok {
			key := streamKey(r.Header.Get("Mcp-Session-Id"), stream)
			if s.takeOver(ctx, key, x.principal) {
				s.hold(x, key)
			}
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(ctx, exchangeKey{}, x)))
	})
}

// takeOver frees a stream, and reports false when it is not the caller's to take.
func (s *streams) takeOver(ctx context.Context, key, principal string) bool {
	s.mu.Lock()
	old := s.open[key]
	s.mu.Unlock()
	if old == nil {
		return true
	}
	if old.principal != principal {
		return false
	}
	old.end()
	select {
	case <-old.ended:
	case <-ctx.Done():
	}
	return true
}

func (s *streams) release(x *exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[x.stream] == x {
		delete(s.open, x.stream)
	}
	close(x.ended)
}
