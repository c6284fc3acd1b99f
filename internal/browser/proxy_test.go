package browser_test

import (
	"testing"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/browser"
)

// A label names the proxy and never who uses it.
func TestProxyLabel(t *testing.T) {
	t.Parallel()
	for server, want := range map[string]string{
		"http://proxy.example:3128": "http://proxy.example:3128", "proxy.example:3128": "http://proxy.example:3128",
		"http://u:secret@proxy.example:3128/x?y": "http://proxy.example:3128", "socks5://10.0.0.1:1080": "socks5://10.0.0.1:1080",
	} {
		if got := browser.ProxyLabel(&types.LaunchOptions{Proxy: &types.ProxyOptions{Server: server}}, nil); got != want {
			t.Errorf("%s is labelled %q", server, got)
		}
		if got := browser.ProxyLabel(nil, &types.ContextOptions{Proxy: &types.ProxyOptions{Server: server}}); got != want {
			t.Errorf("%s of the context is labelled %q", server, got)
		}
	}
	for arg, want := range map[string]string{
		"--mute-audio": "", "--proxy-server=proxy.example:3128": "proxy.example:3128",
		"--proxy-server=http=u:secret@a.example:1;https://u:s@cret@b.example:2": "a.example:1;https://b.example:2",
		"--proxy-pac-url=http://u:secret@pac.example/p.pac?secret":              "pac http://pac.example",
		"--proxy-pac-url=data:application/x-ns-proxy-autoconfig,secret":         "pac",
	} {
		if got := browser.ProxyLabel(&types.LaunchOptions{Args: []string{arg}}, &types.ContextOptions{}); got != want {
			t.Errorf("%s is labelled %q, not %q", arg, got, want)
		}
	}
	if got := browser.ProxyLabel(nil, nil); got != "" {
		t.Errorf("no proxy is labelled %q", got)
	}
}
