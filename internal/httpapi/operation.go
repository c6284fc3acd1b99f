package httpapi

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/browserhive/browserhive/gen/api"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/contract"
)

// Cookie is the name of the cookie of a dashboard session.
const Cookie = "browserhive_session"

// How many requests one address may make of the REST API: a page of the dashboard makes some dozen at once.
const (
	requestBurst    = 200
	requestInterval = 20 * time.Millisecond
	// maxRequestAddresses is how many addresses are told apart.
	maxRequestAddresses = 4096
)

// healthID is the operation that is served without admin.
const healthID = "getHealth"

// router checks before each handler what the contract demands of its operation: how callers authenticate, the
// scope that they need, and what a request may hold.
type router struct {
	*Server
	mux        *http.ServeMux
	operations map[string]contract.Operation // by method and path
	// serves says which operations there are.
	serves func(contract.Operation) bool
	// local says that only the operator's account can make a request, and need not prove itself.
	local bool
}

func newRouter(s *Server, mux *http.ServeMux, serves func(contract.Operation) bool) *router {
	r := &router{Server: s, mux: mux, operations: map[string]contract.Operation{}, serves: serves}
	for _, op := range api.Operations {
		r.operations[op.Method+" "+op.Path] = op
	}
	return r
}

// HandleFunc implements api.ServeMux.
func (rt *router) HandleFunc(pattern string, handle func(http.ResponseWriter, *http.Request)) {
	op := rt.operations[pattern]
	if !rt.serves(op) {
		return
	}
	in, err := newInput(op)
	if err != nil {
		panic(err) // The generated schemas are part of the program.
	}
	rt.mux.HandleFunc(pattern, func(to http.ResponseWriter, r *http.Request) {
		w := &answer{ResponseWriter: to, secrets: rt.opts.Secrets}
		ctx, done, err := rt.admit(r, op)
		defer done()
		var checked *http.Request
		if err == nil {
			w.caller = visitOf(ctx).caller.Principal
			checked, err = in.check(r.WithContext(ctx))
		}
		if err != nil {
			fail(w, r, rt.opts.Log, err)
			w.send()
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		handle(w, checked)
		w.send()
	})
}

func (rt *router) ServeHTTP(w http.ResponseWriter, r *http.Request) { rt.mux.ServeHTTP(w, r) }

// visit is what handlers know about a request apart from its input.
type visit struct {
	caller auth.Caller
	origin auth.Origin
	// secure means that the client uses https.
	secure bool
}

type visitKey struct{}

// visitOf is the visit that admit has put into the context of every handler.
func visitOf(ctx context.Context) visit {
	v, _ := ctx.Value(visitKey{}).(visit)
	return v
}

// admit authenticates and authorises a request. The context ends when the caller's token or session is revoked.
// done has to be called.
func (rt *router) admit(r *http.Request, op contract.Operation) (ctx context.Context, done func(), err error) {
	v := visit{origin: rt.origin(r), secure: rt.secure(r)}
	if wait := rt.requests.Take(auth.Whose(v.origin.Address)); wait > 0 {
		return nil, func() {}, errcode.RateLimited{RetryAfterMs: max(1, wait.Milliseconds())}.Err()
	}
	if slices.Contains(op.Auth, "public") {
		return context.WithValue(r.Context(), visitKey{}, v), func() {}, nil
	}
	var known bool
	if v.caller, known = rt.caller(r, op, v.origin); !known {
		return nil, func() {}, errcode.Unauthorized{}.Err()
	}
	if v.caller.MustChangePassword && !op.SeedPassword {
		return nil, func() {}, errcode.PasswordChangeRequired{}.Err()
	}
	if op.Scope != "" && !v.caller.Holds(op.Scope) {
		return nil, func() {}, errcode.Forbidden{Scope: op.Scope}.Err()
	}
	ctx, done = whileLive(r.Context(), v.caller)
	return context.WithValue(ctx, visitKey{}, v), done, nil
}

// caller authenticates a request. If it carries a token, a cookie is ignored.
func (rt *router) caller(r *http.Request, op contract.Operation, from auth.Origin) (auth.Caller, bool) {
	if rt.opts.Identity == nil {
		return auth.Caller{}, false
	}
	if rt.local {
		return auth.LocalOperator(), true
	}
	if r.Header.Get("Authorization") != "" {
		token, ok := bearer(r)
		if !ok || !slices.Contains(op.Auth, string(types.PrincipalAuthBearer)) {
			return auth.Caller{}, false
		}
		return rt.opts.Identity.Bearer(token)
	}
	cookie, err := r.Cookie(Cookie)
	if err != nil || !slices.Contains(op.Auth, string(types.PrincipalAuthCookie)) {
		return auth.Caller{}, false
	}
	return rt.opts.Identity.Cookie(cookie.Value, from)
}

// bearer is the token that a request carries.
func bearer(r *http.Request) (string, bool) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(token), strings.EqualFold(scheme, "bearer")
}

// whileLive is a context that also ends when the caller's token or session is revoked.
func whileLive(ctx context.Context, c auth.Caller) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.Live, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// RequireAgent admits calls that carry a token, or everybody when agents need none. What a call has under way
// ends when its token is revoked.
func (s *Server) RequireAgent(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.opts.Tokens {
			next.ServeHTTP(w, r.WithContext(auth.With(r.Context(), auth.Anyone)))
			return
		}
		if token, ok := bearer(r); ok && s.opts.Identity != nil {
			if c, ok := s.opts.Identity.Bearer(token); ok {
				ctx, done := whileLive(r.Context(), c)
				defer done()
				next.ServeHTTP(w, r.WithContext(auth.With(ctx, auth.Principal{Name: c.Principal, Live: c.Live})))
				return
			}
		}
		fail(w, r, s.opts.Log, errcode.Unauthorized{}.Err())
	})
}
