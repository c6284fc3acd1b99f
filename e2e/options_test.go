package e2e

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/browserhive/browserhive/internal/browser/browsertest"
)

// Every option that the contract names reaches the page.
func TestContextOptionsReachThePage(t *testing.T) {
	work(t)
	site := newSite(t)
	site.mux.HandleFunc("/secret", func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "u" || password != "p" {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<title>inside</title>")
	})
	a := tenant(t).connect(stateful)
	out := a.call("launch_session", args{"slug": "test", "stealth": false,
		"launch_options": args{"args": []string{"--force-dark-mode"}, "slowMo": 1},
		"context_options": args{
			"viewport": args{"width": 500, "height": 400}, "deviceScaleFactor": 2, "isMobile": true, "hasTouch": true,
			"colorScheme": "dark", "locale": "de-DE", "timezoneId": "Asia/Tokyo",
			"geolocation": args{"latitude": 12.5, "longitude": -7.25, "accuracy": 3}, "permissions": []string{"geolocation"},
			"userAgent": "Own/1.0", "extraHTTPHeaders": args{"X-Own": "yes"},
			"httpCredentials": args{"username": "u", "password": "p"}, "ignoreHTTPSErrors": true,
		}})
	id := out.fields["session_id"].(string)
	if agent := out.fields["identity"].(map[string]any)["user_agent"]; agent != "Own/1.0" {
		t.Errorf("the identity says %v", agent)
	}
	a.call("navigate", args{"session_id": id, "url": site.URL + "/secret"})
	if got := site.received("/secret").Header.Get("X-Own"); got != "yes" {
		t.Errorf("the header is %q", got)
	}
	got := a.evaluate(id, `async () => {
		const place = await new Promise((ok, no) => navigator.geolocation.getCurrentPosition(p => ok(p.coords), no));
		return [document.title, devicePixelRatio, 'ontouchstart' in window, matchMedia('(prefers-color-scheme: dark)').matches,
			navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone, place.latitude, place.longitude, navigator.userAgent,
			screen.width].join(' ');
	}`)
	if want := "inside 2 true true de-DE Asia/Tokyo 12.5 -7.25 Own/1.0 500"; got != want {
		t.Errorf("the page sees %q, not %q", got, want)
	}
}

func TestUserAgentBesideStealth(t *testing.T) {
	work(t)
	site := newSite(t)
	a := tenant(t).connect(stateful)
	for _, in := range []args{
		{"stealth": true, "context_options": args{"userAgent": "Own/1.0", "locale": "de-DE", "timezoneId": "Asia/Tokyo"}},
		{"stealth": true, "context_options": args{"extraHTTPHeaders": args{"Accept-Language": "xx", "X-Own": "yes"}}},
	} {
		in["slug"] = "test"
		out := a.call("launch_session", in).fields
		id := out["session_id"].(string)
		a.call("navigate", args{"session_id": id, "url": site.URL + "/form"})
		own := in["context_options"].(args)["userAgent"] != nil
		if agent := site.received("/form").UserAgent(); own != (agent == "Own/1.0") || out["stealth"] == own {
			t.Errorf("%v: user agent %q, stealth %v", in, agent, out["stealth"])
		}
		if site.received("/form").Header.Get("Accept-Language") == "xx" {
			t.Error("a header contradicts the identity")
		}
	}
}

func TestOptionsThatAreRefused(t *testing.T) {
	work(t)
	p := start(t, setup{args: []string{"--auth", "token", "--authTokens", "ann:" + annToken}})
	a := p.connectAs(annToken, stateful)
	for name, in := range map[string]args{
		"launch_options.env":                           {"launch_options": args{"env": args{"A": "secret"}}},
		"launch_options.chromiumSandbox":               {"launch_options": args{"chromiumSandbox": false}},
		"launch_options.downloadsPath":                 {"launch_options": args{"downloadsPath": "/secret"}},
		"launch_options.ignoreDefaultArgs":             {"launch_options": args{"ignoreDefaultArgs": true}},
		"launch_options.executablePath":                {"launch_options": args{"executablePath": "/bin/secret"}},
		"launch_options.proxy.secret":                  {"launch_options": args{"proxy": args{"server": "http://x:1", "secret": 1}}},
		"--user-data-dir":                              {"launch_options": args{"args": []string{"--user-data-dir=/secret"}}},
		"--NO-SANDBOX":                                 {"launch_options": args{"args": []string{"--NO-SANDBOX"}}},
		"args[1]":                                      {"launch_options": args{"args": []string{"--mute-audio", "http://secret@x/"}}},
		"context_options.recordVideo":                  {"context_options": args{"recordVideo": args{"dir": "/secret"}}},
		"context_options.httpCredentials.send":         {"context_options": args{"httpCredentials": args{"username": "u", "password": "secret", "send": "always"}}},
		"context_options.clientCertificates":           {"context_options": args{"clientCertificates": []any{}}},
		"context_options.geolocation.heading":          {"context_options": args{"geolocation": args{"latitude": 1, "longitude": 1, "heading": 1}}},
		"context_options.serviceWorkers":               {"context_options": args{"serviceWorkers": "block", "strictSelectors": true}},
		"context_options.proxy.certificate-of-a-proxy": {"context_options": args{"proxy": args{"server": "x:1", "certificate-of-a-proxy": 1}}},
	} {
		in["slug"] = "test"
		f := a.refused("UNSAFE_LAUNCH_ARG", "launch_session", in)
		if f.Details["arg"] != name || strings.Contains(strings.ToLower(f.Message), "secret") != strings.Contains(name, "secret") {
			t.Errorf("%s: %v %s", name, f.Details, f.Message)
		}
	}
	for _, in := range []args{
		{"launch_options": args{"proxy": args{"server": "ftp://x:1"}}},
		{"launch_options": args{"proxy": args{"server": ""}}},
		{"launch_options": args{"proxy": args{"server": "socks5://x:1", "username": "u"}}},
		{"context_options": args{"locale": "no locale"}},
		{"context_options": args{"timezoneId": "Mars/Olympus"}},
		{"context_options": args{"timezoneId": "../../etc/passwd"}},
		{"context_options": args{"deviceScaleFactor": 0}},
		{"context_options": args{"viewport": args{"width": 1000000, "height": 10}}},
		{"context_options": args{"extraHTTPHeaders": args{"A B": "x"}}},
		{"context_options": args{"extraHTTPHeaders": args{"A": "x\r\nB: y"}}},
		{"context_options": args{"permissions": []string{"everything"}}},
		{"context_options": args{"httpCredentials": args{"username": "u", "password": "p", "origin": "x"}}},
	} {
		in["slug"] = "test"
		a.refused("INVALID_ARGUMENTS", "launch_session", in)
	}
	if live := a.call("server_status", nil).fields["sessions"].(map[string]any)["live"]; live != 0.0 {
		t.Errorf("%v sessions after refusals", live)
	}
	if !p.await(`"reason":"launch_failed"`) {
		t.Error("a launch that failed is not logged as such")
	}
}

// A null viewport lets pages follow the window.
func TestViewportThatFollowsTheWindow(t *testing.T) {
	work(t)
	a := tenant(t).connect(stateful)
	out := a.call("launch_session", args{"slug": "test", "launch_options": args{"args": []string{"--window-size=777,555"}}, "context_options": args{"viewport": nil}})
	if viewport := out.fields["identity"].(map[string]any)["viewport"]; viewport != nil {
		t.Errorf("the viewport is %v", viewport)
	}
	if got := a.evaluate(out.fields["session_id"].(string), "outerWidth"); got != 777.0 {
		t.Errorf("the window is %v wide", got)
	}
	a.refused("INVALID_ARGUMENTS", "launch_session", args{"slug": "test", "context_options": args{"viewport": nil, "isMobile": true}})
}

// The host's own user may choose the executable.
func TestExecutablePath(t *testing.T) {
	work(t)
	p := start(t, setup{})
	a := p.connect(stateful)
	for _, path := range []string{"", "chromium", "/nowhere/chromium", "/"} {
		a.refused("INVALID_ARGUMENTS", "launch_session", args{"slug": "test", "launch_options": args{"executablePath": path}})
	}
	path := browsertest.Installation(t).Chromium
	id := a.launchWith(args{"channel": "chrome", "launch_options": args{"executablePath": path}})
	if got := a.evaluate(id, "1 + 1"); got != 2.0 {
		t.Error(got)
	}
	if !p.await("EXECUTABLE_PATH_OVERRIDE") {
		t.Error("no warning")
	}
}

// proxy is an HTTP proxy that answers everything itself and remembers what it was asked for.
type proxy struct {
	net.Listener
	mu    sync.Mutex
	asked []string
}

func newProxy(t *testing.T) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{Listener: l}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Authorization") == "" {
			w.Header().Set("Proxy-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		p.mu.Lock()
		p.asked = append(p.asked, r.Host)
		p.mu.Unlock()
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<title>through the proxy</title>")
	})}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return p
}

func TestProxy(t *testing.T) {
	work(t)
	site := newSite(t)
	through := newProxy(t)
	address := "http://" + through.Addr().String()
	a := tenant(t).connect(stateful)
	for _, options := range []args{
		{"launch_options": args{"proxy": args{"server": address, "username": "u", "password": "secret", "bypass": "<-loopback>, <-local>"}}},
		{"context_options": args{"proxy": args{"server": strings.Replace(address, "//", "//u:secret@", 1)}}},
		{"launch_options": args{"args": []string{"--proxy-server=" + through.Addr().String(), "--proxy-bypass-list=<-loopback>"}},
			"context_options": args{"httpCredentials": args{"username": "u", "password": "secret"}}},
	} {
		options["slug"], options["stealth"] = "test", false
		out := a.call("launch_session", options)
		id := out.fields["session_id"].(string)
		label, _ := out.fields["proxy_label"].(string)
		if !strings.Contains(label, through.Addr().String()) || strings.Contains(out.text, "secret") {
			t.Errorf("the label is %q in %s", label, out.text)
		}
		if got := a.call("session_info", args{"session_id": id}).fields["config"].(map[string]any)["proxy_label"]; got != label {
			t.Errorf("session_info says %v", got)
		}
		a.call("navigate", args{"session_id": id, "url": site.URL + "/form"})
		a.call("navigate", args{"session_id": id, "url": "http://proxied.example/"})
		if got := a.evaluate(id, "document.title"); got != "through the proxy" {
			t.Errorf("%v: %v", options, got)
		}
		// A private address is tried directly, and nobody is there.
		if _, f := a.try("navigate", args{"session_id": id, "url": "http://10.255.255.254:9/", "timeout": brief}); f == nil {
			t.Errorf("%v: a private address was asked of the proxy", options)
		}
		a.call("close_session", args{"session_id": id})
	}
	through.mu.Lock()
	defer through.mu.Unlock()
	for _, host := range through.asked {
		if strings.HasPrefix(host, "127.") || strings.HasPrefix(host, "10.") || strings.HasPrefix(host, "localhost") {
			t.Errorf("the proxy was asked for %s", host)
		}
	}
}
