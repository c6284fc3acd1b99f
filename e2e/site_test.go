package e2e

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// site is a web site on loopback that remembers the last request of each path.
type site struct {
	*httptest.Server
	mux *http.ServeMux

	mu   sync.Mutex
	last map[string]*http.Request
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{mux: http.NewServeMux(), last: map[string]*http.Request{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		s.mu.Lock()
		s.last[r.URL.Path] = r
		s.mu.Unlock()
		s.mux.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections() // browsers keep theirs open
		s.Close()
	})
	s.page("/form", "A form", `<form action="/thanks">
		<label>Your name <input name="name"></label>
		<button>Send</button>
	</form>`)
	s.mux.HandleFunc("/thanks", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<!doctype html><title>Thanks</title><p id="thanks">Thank you, %s</p>`, html.EscapeString(r.FormValue("name")))
	})
	return s
}

// page adds a page.
func (s *site) page(path, title, body string) {
	s.mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><html lang=en><title>%s</title><body>%s</body></html>", title, body)
	})
}

// reports adds a path to which pages post JSON, and returns where it arrives.
func (s *site) reports(path string) <-chan map[string]any {
	came := make(chan map[string]any, 10)
	s.mux.HandleFunc(path, func(_ http.ResponseWriter, r *http.Request) {
		var m map[string]any
		if json.NewDecoder(r.Body).Decode(&m) == nil {
			came <- m
		}
	})
	return came
}

// received is the last request of a path, or an empty one.
func (s *site) received(path string) *http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.last[path]; r != nil {
		return r
	}
	return &http.Request{Method: http.MethodGet}
}
