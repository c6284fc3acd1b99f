package httpapi_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/api"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/auth/authtest"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/httpapi"
)

func door(t *testing.T, change func(*httpapi.Options)) *httpapi.Server {
	t.Helper()
	o := httpapi.Options{Host: "127.0.0.1", Version: "1", Started: time.Now(), Log: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&o)
	}
	s := httpapi.New(o)
	s.SetPhase(httpapi.Ready)
	s.Mount("/mcp", s.RequireAgent(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, _ := auth.From(r.Context())
		b, _ := io.ReadAll(r.Body)
		_, _ = w.Write([]byte(p.Name + ":" + string(b)))
	})))
	s.Mount("/panic", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("boom") }))
	return s
}

// code sends a request and returns the code of the problem that answers it, or "" for a success.
func code(t *testing.T, s *httpapi.Server, r *http.Request) string {
	t.Helper()
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	if w.Code < 400 {
		return ""
	}
	if ct := w.Header().Get("Content-Type"); ct != "application/problem+json" {
		t.Errorf("a failure came as %s: %s", ct, w.Body)
	}
	var p contract.Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		t.Fatal(err)
	}
	info, ok := errcode.Info(p.Code)
	if !ok || info.HTTP != w.Code || p.Status != w.Code || p.RequestID == "" || p.Detail == "" {
		t.Errorf("a problem that is not whole: %d %s", w.Code, w.Body)
	}
	return string(p.Code)
}

func request(method, path, host string, header ...string) *http.Request {
	r := httptest.NewRequest(method, path, nil)
	r.Host = host
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

func TestHost(t *testing.T) {
	t.Parallel()
	proxy := []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} // httptest's peer
	for _, c := range []struct {
		bind, host string
		forwarded  string
		trusted    bool
		want       string
	}{
		{bind: "127.0.0.1", host: "127.0.0.1:9876"},
		{bind: "127.0.0.1", host: "localhost:9876"},
		{bind: "127.0.0.1", host: "LOCALHOST."},
		{bind: "127.0.0.1", host: "[::1]:9876"},
		{bind: "127.0.0.1", host: "evil.example:9876", want: "HOST_NOT_ALLOWED"},
		{bind: "127.0.0.1", host: "127.0.0.1.evil.example", want: "HOST_NOT_ALLOWED"},
		{bind: "127.0.0.1", host: "10.0.0.8:9876", want: "HOST_NOT_ALLOWED"},
		{bind: "10.0.0.8", host: "10.0.0.8:9876"},
		{bind: "0.0.0.0", host: "10.0.0.8:9876"},
		{bind: "::", host: "[fe80::1]:9876"},
		{bind: "0.0.0.0", host: "evil.example", want: "HOST_NOT_ALLOWED"},
		{bind: "0.0.0.0", host: "inner", forwarded: "bh.example", trusted: true},
		{bind: "0.0.0.0", host: "inner", forwarded: "bh.example", want: "HOST_NOT_ALLOWED"},
	} {
		s := door(t, func(o *httpapi.Options) {
			o.Host = c.bind
			if c.trusted {
				o.TrustedProxies = proxy
			}
		})
		r := request("POST", "/mcp", c.host)
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-Host", c.forwarded)
		}
		if got := code(t, s, r); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestOrigin(t *testing.T) {
	t.Parallel()
	s := door(t, nil)
	for _, c := range []struct {
		origin, site, method, want string
	}{
		{method: "POST"},
		{method: "POST", origin: "http://127.0.0.1:9876"},
		{method: "POST", origin: "http://localhost:9876"},
		{method: "POST", origin: "http://localhost:1", want: "ORIGIN_NOT_ALLOWED"},
		{method: "POST", origin: "https://evil.example", want: "ORIGIN_NOT_ALLOWED"},
		{method: "GET", origin: "http://evil.example:9876", want: "ORIGIN_NOT_ALLOWED"},
		{method: "POST", origin: "null", want: "ORIGIN_NOT_ALLOWED"},
		{method: "POST", origin: "chrome-extension://abc", want: "ORIGIN_NOT_ALLOWED"},
		{method: "POST", site: "cross-site", want: "ORIGIN_NOT_ALLOWED"},
		{method: "POST", site: "same-site", want: "ORIGIN_NOT_ALLOWED"},
		{method: "POST", site: "same-origin"},
		{method: "GET", site: "cross-site"},
	} {
		r := request(c.method, "/mcp", "127.0.0.1:9876")
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if c.site != "" {
			r.Header.Set("Sec-Fetch-Site", c.site)
		}
		if got := code(t, s, r); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	token := strings.Repeat("k", 32)
	s := door(t, func(o *httpapi.Options) {
		o.Tokens, o.Identity = true, authtest.Open(t, auth.Options{Tokens: []string{"agent-1:" + token}}).Authority
	})
	for header, want := range map[string]string{
		"":                    "UNAUTHORIZED",
		"Bearer wrong":        "UNAUTHORIZED",
		"Basic " + token:      "UNAUTHORIZED",
		"Bearer " + token:     "",
		"bearer  " + token:    "",
		token:                 "UNAUTHORIZED",
		"Bearer " + token[1:]: "UNAUTHORIZED",
	} {
		r := request("POST", "/mcp", "localhost")
		if header != "" {
			r.Header.Set("Authorization", header)
		}
		if got := code(t, s, r); got != want {
			t.Errorf("%q: %q", header, got)
		}
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, request("POST", "/mcp", "localhost"))
	if !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), "Bearer") {
		t.Error("a 401 says how to authenticate")
	}
}

func TestBody(t *testing.T) {
	t.Parallel()
	s := door(t, nil)
	send := func(body io.Reader, length int64) *http.Request {
		r := httptest.NewRequest("POST", "/mcp", body)
		r.Host, r.ContentLength = "localhost", length
		return r
	}
	exact := bytes.Repeat([]byte("x"), httpapi.MaxBody)
	if got := code(t, s, send(bytes.NewReader(exact), int64(len(exact)))); got != "" {
		t.Errorf("the largest body: %s", got)
	}
	over := bytes.Repeat([]byte("x"), httpapi.MaxBody+1)
	for _, length := range []int64{int64(len(over)), -1} { // declared, and chunked
		if got := code(t, s, send(bytes.NewReader(over), length)); got != "PAYLOAD_TOO_LARGE" {
			t.Errorf("length %d: %s", length, got)
		}
	}
}

func TestWhatNoPatternTakes(t *testing.T) {
	t.Parallel()
	s := door(t, nil)
	for path, want := range map[string]string{
		"GET /nope":             "NOT_FOUND",
		"GET /api/v1/sessions":  "NOT_FOUND", // the REST API is off without admin
		"POST /health":          "METHOD_NOT_ALLOWED",
		"DELETE /api/v1/health": "METHOD_NOT_ALLOWED",
		"GET /panic":            "INTERNAL_ERROR",
	} {
		method, p, _ := strings.Cut(path, " ")
		if got := code(t, s, request(method, p, "localhost")); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
}

func TestPhases(t *testing.T) {
	t.Parallel()
	s := door(t, nil)
	for phase, want := range map[string]string{httpapi.Starting: "SERVICE_UNAVAILABLE", httpapi.Ready: "", httpapi.Draining: "SERVICE_UNAVAILABLE"} {
		s.SetPhase(phase)
		for _, r := range []*http.Request{
			request("GET", "/health", "localhost"), request("GET", "/api/v1/health", "localhost"), request("POST", "/mcp", "localhost"),
		} {
			if got := code(t, s, r); got != want {
				t.Errorf("%s while %s: %q", r.URL.Path, phase, got)
			}
		}
	}
}

func TestEveryPlannedOperationSaysSo(t *testing.T) {
	t.Parallel()
	s := door(t, func(o *httpapi.Options) { o.Admin = true })
	n := 0
	for _, op := range api.Operations {
		if !op.Planned || op.Method == http.MethodHead {
			continue
		}
		n++
		p := strings.NewReplacer("{", "", "}", "").Replace(op.Path)
		if got := code(t, s, request(op.Method, p, "localhost")); got != "NOT_IMPLEMENTED" {
			t.Errorf("%s: %q", op.ID, got)
		}
	}
	if n == 0 {
		t.Error("no planned operation: this test and NOT_IMPLEMENTED can go")
	}
}
