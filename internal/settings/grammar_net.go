package settings

import (
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

var (
	labelForm = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`)
	digitForm = regexp.MustCompile(`^[0-9]+$`)
)

// parseHost reads an IPv4 literal, an IPv6 literal with or without brackets, which are dropped, or an RFC
// 1123 name.
func parseHost(s string) (any, *fault) {
	literal, bracketed := strings.CutPrefix(s, "[")
	if bracketed {
		var closed bool
		if literal, closed = strings.CutSuffix(literal, "]"); !closed {
			return nil, wrong(s)
		}
	}
	if a, err := netip.ParseAddr(literal); err == nil && a.Zone() == "" && (a.Is6() || !bracketed) {
		return literal, nil
	}
	labels := strings.Split(s, ".")
	for _, label := range labels {
		if !labelForm.MatchString(label) {
			return nil, wrong(s)
		}
	}
	// A name that ends in digits is a mistyped address.
	if len(s) > 253 || digitForm.MatchString(labels[len(labels)-1]) {
		return nil, wrong(s)
	}
	return s, nil
}

// isLoopback reports whether only this machine can reach a host that parseHost accepted.
func isLoopback(host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Unmap().IsLoopback()
	}
	return strings.EqualFold(host, "localhost")
}

// checkURL accepts absolute http: and https: URLs. Credentials in one would show up wherever it is
// printed, and faults do not quote them.
func checkURL(s string) *fault {
	refused := wrong(s)
	if strings.Contains(s, "@") {
		refused = wrong("")
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.ContainsAny(s, " \t") ||
		strings.ContainsAny(u.Hostname(), "[]") {
		return refused
	}
	if u.User != nil {
		return &fault{why: "has a user name or a password in it"}
	}
	if port := u.Port(); port != "" || strings.HasSuffix(u.Host, ":") {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return refused
		}
	}
	return nil
}
