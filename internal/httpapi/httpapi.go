// Package httpapi is the door for operators and scripts: the REST API, health, and the checks that every
// HTTP request passes, those for the other doors included.
package httpapi

import (
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/browserhive/browserhive/gen/api"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/logging"
	"github.com/browserhive/browserhive/internal/secret"
)

// Options are the settings of the door.
type Options struct {
	// Host is the bind address, which decides the Host headers that are accepted.
	Host string
	// TrustedProxies are peers whose X-Forwarded headers are believed.
	TrustedProxies []netip.Prefix
	// Identity knows who may call; nil lets nobody in who has to prove who they are.
	Identity *auth.Authority
	// Resources are what grants open.
	Resources Resources
	// Tokens means that agents authenticate with a token.
	Tokens bool
	// Admin serves the REST API.
	Admin   bool
	Version string
	Started time.Time
	// Browser is how far the browser of the next session is; nil says nothing of it.
	Browser func() types.HealthBrowser
	// Levels are what the log keeps; operators may change them.
	Levels *logging.Levels
	// Secrets takes those of others out of answers; nil knows none.
	Secrets *secret.Redactor
	Log     *slog.Logger
}

// Server answers REST requests.
type Server struct {
	opts  Options
	phase atomic.Value // string: starting, ready or draining
	mux   *http.ServeMux
	// requests limits REST requests by address.
	requests *auth.Limiter
	// epoch names this run of the server.
	epoch string
}

// Phases of a server's life that health reports.
const (
	Starting = "starting"
	Ready    = "ready"
	Draining = "draining"
)

// New makes the door; mounts are further handlers by pattern, such as MCP.
func New(o Options) *Server {
	s := &Server{
		opts: o, mux: http.NewServeMux(), requests: auth.NewLimiter(requestBurst, requestInterval, maxRequestAddresses), epoch: rand.Text(),
	}
	s.phase.Store(Starting)
	operations := s.register(newRouter(s, s.mux, func(op contract.Operation) bool { return o.Admin || op.ID == healthID }))
	s.mux.HandleFunc("GET "+healthPath, func(w http.ResponseWriter, r *http.Request) { operations.GetHealth(w, r) })
	s.mux.HandleFunc("GET /{$}", s.front)
	if o.Admin {
		s.planned()
	}
	return s
}

// register puts the operations that a router serves into its mux.
func (s *Server) register(rt *router) api.ServerInterface {
	strict := api.NewStrictHandlerWithOptions(operations{s}, nil, api.StrictHTTPServerOptions{
		RequestErrorHandlerFunc: func(w http.ResponseWriter, r *http.Request, err error) {
			fail(w, r, s.opts.Log, invalid("body", "is not what the operation takes", "body"))
		},
		ResponseErrorHandlerFunc: func(w http.ResponseWriter, r *http.Request, err error) { fail(w, r, s.opts.Log, err) },
	})
	api.HandlerWithOptions(strict, api.StdHTTPServerOptions{
		BaseRouter: rt,
		ErrorHandlerFunc: func(w http.ResponseWriter, r *http.Request, err error) {
			fail(w, r, s.opts.Log, invalid("query", "holds a parameter that is not what the operation takes", "parameter"))
		},
	})
	return strict
}

// planned answers every operation that is declared and not built: the contract's table is its only list.
func (s *Server) planned() {
	for _, op := range api.Operations {
		if !op.Planned {
			continue
		}
		s.mux.HandleFunc(op.Method+" "+op.Path, func(w http.ResponseWriter, r *http.Request) {
			fail(w, r, s.opts.Log, errcode.NotImplemented{Operation: op.ID}.Err())
		})
	}
}

// MCPPath is where agents are served.
const MCPPath = "/mcp"

// Mount adds a handler of another door.
func (s *Server) Mount(pattern string, h http.Handler) { s.mux.Handle(pattern, h) }

// SetPhase changes what health reports.
func (s *Server) SetPhase(phase string) { s.phase.Store(phase) }

func (s *Server) currentPhase() string {
	phase, _ := s.phase.Load().(string)
	return phase
}

// Handler is everything that the port serves, guarded.
func (s *Server) Handler() http.Handler { return s.Guard(s.routed(s.mux)) }

// localOperations are those that commands need while the server holds the data directory.
var localOperations = []string{"listTokens", "createToken", "revokeToken", "changePassword"}

// Local is what the socket in the data directory serves, which only the operator's account reaches: issuing tokens,
// and the change of the password, which takes the present one there too. It does not depend on admin.
func (s *Server) Local() http.Handler {
	rt := newRouter(s, http.NewServeMux(), func(op contract.Operation) bool { return slices.Contains(localOperations, op.ID) })
	rt.local = true
	s.register(rt)
	return s.Guard(s.routed(rt.mux))
}

// routed serves requests by a mux.
func (s *Server) routed(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.route(mux, w, r) })
}

// route serves a request, and answers one that no pattern takes with a problem document instead of the
// mux's plain text.
func (s *Server) route(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) {
	h, pattern := mux.Handler(r)
	if phase := s.currentPhase(); phase != Ready && !strings.HasSuffix(pattern, healthPath) {
		// Requests under way are finished; no new one begins.
		fail(w, r, s.opts.Log, errcode.ServiceUnavailable{State: errcode.ServiceUnavailableState(phase)}.Err())
		return
	}
	if pattern != "" {
		mux.ServeHTTP(w, r)
		return
	}
	fallback := &verdict{header: http.Header{}}
	h.ServeHTTP(fallback, r)
	if fallback.code == http.StatusMethodNotAllowed {
		allow := fallback.header.Get("Allow")
		w.Header().Set("Allow", allow)
		fail(w, r, s.opts.Log, errcode.MethodNotAllowed{Allow: strings.Split(allow, ", ")}.Err())
		return
	}
	fail(w, r, s.opts.Log, errcode.NotFound{}.Err())
}

// verdict records what the mux answers to a request that it has no handler for.
type verdict struct {
	header http.Header
	code   int
}

func (v *verdict) Header() http.Header         { return v.header }
func (v *verdict) WriteHeader(code int)        { v.code = code }
func (v *verdict) Write(b []byte) (int, error) { return len(b), nil }
