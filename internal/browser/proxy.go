package browser

import (
	"net/url"
	"slices"
	"strings"

	"github.com/mxschmitt/playwright-go"

	"github.com/browserhive/browserhive/gen/types"
)

// direct are the hosts that no proxy ever sees: this host and private networks. Chromium lets a later rule
// win over an earlier one, so they stand behind the caller's.
var direct = []string{
	"localhost", "*.localhost", "127.0.0.0/8", "[::1]", "169.254.0.0/16", "fe80::/10",
	"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7",
}

// loopbackRule is Chromium's rule that takes loopback out of the hosts it reaches directly by itself.
// Playwright adds it behind all others unless it is there already, and so it leads the list.
const loopbackRule = "<-loopback>"

// bypass is the list of hosts that a session reaches without its proxy, as Chromium reads it.
func bypass(own, separator string) string {
	rules := []string{loopbackRule}
	for _, rule := range strings.FieldsFunc(own, func(r rune) bool { return r == ',' || r == ';' }) {
		if rule = strings.TrimSpace(rule); rule != "" && !strings.HasPrefix(rule, "<-") {
			rules = append(rules, rule)
		}
	}
	return strings.Join(append(rules, direct...), separator)
}

// proxySchemes are the kinds of proxy that Chromium speaks to.
var proxySchemes = []string{"http", "https", "socks4", "socks5"}

// proxyAddress splits the address of a proxy from credentials in it. An address without a scheme is one of
// an HTTP proxy.
func proxyAddress(server string) (address string, user *url.Userinfo, ok bool) {
	if !strings.Contains(server, "://") {
		server = "http://" + server
	}
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || u.Hostname() == "" || !slices.Contains(proxySchemes, u.Scheme) {
		return "", nil, false
	}
	return u.Scheme + "://" + u.Host, u.User, true
}

// proxyFor is the proxy as the driver takes it. Credentials in the address serve where none are given
// beside it. The options have passed CheckOptions.
func proxyFor(p *types.ProxyOptions) *playwright.Proxy {
	address, user, _ := proxyAddress(p.Server)
	out := &playwright.Proxy{Server: address, Username: p.Username, Password: p.Password, Bypass: playwright.String(bypass(orEmpty(p.Bypass), ","))}
	if user != nil && out.Username == nil {
		out.Username = playwright.String(user.Username())
		if password, ok := user.Password(); ok {
			out.Password = &password
		}
	}
	return out
}

// Switches of Chromium that a proxy may be given with instead of the option.
const (
	proxySwitch  = "--proxy-server="
	pacSwitch    = "--proxy-pac-url="
	bypassSwitch = "--proxy-bypass-list=" //nolint:gosec // no credential
)

// proxySwitches makes raw proxy switches keep to the same rule: they get the list of hosts that are reached
// directly, and give way to a proxy of the options.
func proxySwitches(args []string, replaced bool) []string {
	var out []string
	var own string
	raw := false
	for _, arg := range args {
		switch {
		case strings.HasPrefix(arg, bypassSwitch):
			own = strings.TrimPrefix(arg, bypassSwitch)
			continue
		case strings.HasPrefix(arg, proxySwitch), strings.HasPrefix(arg, pacSwitch):
			if replaced {
				continue
			}
			raw = true
		}
		out = append(out, arg)
	}
	if raw {
		out = append(out, bypassSwitch+bypass(own, ";"))
	}
	return out
}

// ProxyLabel names the proxy of a launch without credentials, or is "" without one.
func ProxyLabel(l *types.LaunchOptions, c *types.ContextOptions) string {
	if p := chosenProxy(l, c); p != nil {
		address, _, _ := proxyAddress(p.Server)
		return address
	}
	if l == nil {
		return ""
	}
	label := ""
	for _, arg := range l.Args {
		if value, ok := strings.CutPrefix(arg, proxySwitch); ok {
			label = withoutCredentials(value)
		} else if value, ok := strings.CutPrefix(arg, pacSwitch); ok && label == "" {
			label = "pac"
			if u, err := url.Parse(value); err == nil && u.Host != "" {
				label = "pac " + u.Scheme + "://" + u.Host
			}
		}
	}
	return label
}

// withoutCredentials drops what stands before an @ in each proxy of a --proxy-server list, and bounds it.
func withoutCredentials(list string) string {
	const longest = 200 // Enough for some host names; a label is read by people.
	entries := strings.FieldsFunc(list, func(r rune) bool { return r == ';' || r == ',' })
	for i, e := range entries {
		scheme, rest, found := strings.Cut(e, "://")
		if !found {
			scheme, rest = "", e
		} else {
			scheme += "://"
		}
		entries[i] = scheme + rest[strings.LastIndex(rest, "@")+1:]
	}
	label := strings.Join(entries, ";")
	return label[:min(len(label), longest)]
}

// chosenProxy is the proxy of the options: one process has one proxy, and the launch's comes first.
func chosenProxy(l *types.LaunchOptions, c *types.ContextOptions) *types.ProxyOptions {
	switch {
	case l != nil && l.Proxy != nil:
		return l.Proxy
	case c != nil:
		return c.Proxy
	}
	return nil
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
