package httpapi

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/api"
)

// Whoever opens the address learns where the doors are, in the form that his program reads.
func TestFront(t *testing.T) {
	t.Parallel()
	s := New(Options{Host: "127.0.0.1", Tokens: true, Started: time.Now()})
	s.SetPhase(Ready)
	for accept, want := range map[string]string{
		"": "text/plain; charset=utf-8", "*/*": "text/plain; charset=utf-8", "text/html,application/xhtml+xml;q=0.9": "text/html; charset=utf-8",
	} {
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:9876/", nil)
		r.Header.Set("Accept", accept)
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		body := w.Body.String()
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != want {
			t.Errorf("%q: %d %s", accept, w.Code, w.Header().Get("Content-Type"))
		}
		for _, word := range []string{"http://127.0.0.1:9876" + MCPPath, "http://127.0.0.1:9876" + healthPath, "admin tokens create"} {
			if !strings.Contains(body, word) && !strings.Contains(body, strings.NewReplacer("<", "&lt;", ">", "&gt;", "'", "&#39;").Replace(word)) {
				t.Errorf("%q lacks %s:\n%s", accept, word, body)
			}
		}
		if strings.Contains(strings.ToLower(body), "dashboard") {
			t.Error("it tells of a dashboard, which is not built")
		}
	}
	// What it names is there, and answers as the operation of the contract does.
	for _, op := range api.Operations {
		if op.ID != healthID {
			continue
		}
		for _, path := range []string{healthPath, op.Path} {
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, httptest.NewRequest(op.Method, "http://127.0.0.1:9876"+path, nil))
			if w.Code != http.StatusOK {
				t.Errorf("%s: %d", path, w.Code)
			}
		}
	}
	for _, method := range []string{http.MethodPost, http.MethodDelete} {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest(method, "http://127.0.0.1:9876/", nil))
		if w.Code != http.StatusMethodNotAllowed {
			t.Errorf("%s /: %d", method, w.Code)
		}
	}
}
