package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
)

// MaxBody bounds a request body; the largest honest one is an inline storage state.
const MaxBody = 4 << 20

// bodyTimeout is how long a client may take to send its body. A slow one would otherwise hold a connection
// for good.
const bodyTimeout = 30 * time.Second

// Guard checks what every request has to satisfy, whichever door it is for: a Host that is this server's,
// an Origin that is its own, a body within bounds. It recovers panics. Handlers behind it may take as long
// as they like.
func (s *Server) Guard(next http.Handler) http.Handler {
	hosts := hostNames(s.opts.Host)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(withRequestID(r.Context()))
		defer func() {
			p := recover()
			if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(p) // how a handler ends its connection; the server knows what it means
			}
			if p != nil {
				fail(w, r, s.opts.Log, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
			}
		}()
		host := s.host(r)
		if !hosts.allow(host, s.viaProxy(r)) {
			fail(w, r, s.opts.Log, errcode.HostNotAllowed{}.Err())
			return
		}
		if !ownOrigin(r, host) {
			fail(w, r, s.opts.Log, errcode.OriginNotAllowed{}.Err())
			return
		}
		if err := readBody(w, r); err != nil {
			fail(w, r, s.opts.Log, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// names are the hosts that this server answers to.
type names struct {
	exact    map[string]bool
	wildcard bool
}

func hostNames(bind string) names {
	n := names{exact: map[string]bool{}}
	bind = strings.Trim(bind, "[]")
	n.exact[strings.ToLower(bind)] = true
	if ip, err := netip.ParseAddr(bind); err == nil && ip.IsUnspecified() {
		n.wildcard = true
		if h, err := os.Hostname(); err == nil {
			h = strings.ToLower(h)
			n.exact[h] = true
			n.exact[h+".local"] = true
			short, _, _ := strings.Cut(h, ".")
			n.exact[short] = true
		}
	}
	return n
}

// allow decides by the name alone: a page elsewhere that resolves its own name to this server is refused,
// because it cannot make the browser send another Host.
func (n names) allow(hostport string, viaProxy bool) bool {
	host := hostOnly(hostport)
	if host == "" {
		return false
	}
	if viaProxy || n.exact[host] || loopback(host) {
		return true
	}
	_, err := netip.ParseAddr(host)
	return n.wildcard && err == nil
}

func hostOnly(hostport string) string {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// ownOrigin reports whether a browser sent the request from a page of this server, or no browser did.
func ownOrigin(r *http.Request, host string) bool {
	if o := r.Header.Get("Origin"); o != "" {
		u, err := url.Parse(o)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return false
		}
		return sameHost(u.Host, host)
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		// A link may lead here; only a page of ours may act.
		return r.Method == http.MethodGet || r.Method == http.MethodHead
	}
	return true
}

func sameHost(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	_, pa, _ := net.SplitHostPort(a)
	_, pb, _ := net.SplitHostPort(b)
	return pa == pb && loopback(hostOnly(a)) && loopback(hostOnly(b))
}

// readBody reads the body to its end, within its bounds, so that handlers need no deadline for it.
func readBody(w http.ResponseWriter, r *http.Request) error {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	if r.ContentLength > MaxBody {
		return errcode.PayloadTooLarge{LimitBytes: MaxBody}.Err()
	}
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(bodyTimeout)) // not every connection has deadlines; then idle time ends it
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	_ = rc.SetReadDeadline(time.Time{})
	var big *http.MaxBytesError
	switch {
	case errors.As(err, &big):
		return errcode.PayloadTooLarge{LimitBytes: MaxBody}.Err()
	case err != nil:
		return invalid("body", "did not arrive whole", "body")
	}
	r.Body = io.NopCloser(bytes.NewReader(b))
	return nil
}
