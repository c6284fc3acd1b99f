package httpapi

import (
	"net/http"
	"net/netip"
	"strings"

	"github.com/browserhive/browserhive/internal/auth"
)

// host is the host that the client addressed.
func (s *Server) host(r *http.Request) string {
	if f := r.Header.Get("X-Forwarded-Host"); f != "" && s.viaProxy(r) {
		first, _, _ := strings.Cut(f, ",")
		return strings.TrimSpace(first)
	}
	return r.Host
}

// viaProxy reports whether the request comes from a proxy that the operator trusts and names the host
// that its client asked for.
func (s *Server) viaProxy(r *http.Request) bool {
	return r.Header.Get("X-Forwarded-Host") != "" && s.trusts(peer(r))
}

// secure reports whether the client speaks https: to this server, or to a proxy that the operator trusts.
func (s *Server) secure(r *http.Request) bool {
	return r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") && s.trusts(peer(r))
}

// origin is the address that a request comes from. Each proxy appends the address of its client, so the client is
// the last address that is not one of the operator's proxies.
func (s *Server) origin(r *http.Request) auth.Origin {
	at := peer(r)
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && s.trusts(at); i-- {
		ip, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		at = ip.Unmap()
	}
	out := auth.Origin{UserAgent: s.opts.Secrets.Scrub(r.UserAgent())}
	if at.IsValid() {
		out.Address = at.String()
	}
	return out
}

// peer is the address at the other end of the connection.
func peer(r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap()
}

// trusts reports whether an address is that of a proxy whose headers are believed.
func (s *Server) trusts(ip netip.Addr) bool {
	for _, p := range s.opts.TrustedProxies {
		if p.Contains(ip) {
			return true
		}
	}
	return false
}
