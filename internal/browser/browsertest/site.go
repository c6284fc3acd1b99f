package browsertest

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Site serves a few pages on loopback until the test ends:
//
//	/         links, a form, an iframe and a button that opens a window
//	/form     where the form goes; shows what was sent
//	/frame    the iframe's page, with a button of its own
//	/popup    the page of the opened window
//	/alert    a page that shows a dialog while it loads
//	/pending  a page whose image never arrives
//	/headers  the request's headers, as plain text
//	/status/N an answer with status N
//	/slow     never answers; ends with the client
func Site(t testing.TB) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	for path, page := range pages {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, page)
		})
	}
	mux.HandleFunc("GET /form", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><title>Sent</title><p id=name>%s</p><p id=colour>%s</p>",
			html.EscapeString(r.FormValue("name")), html.EscapeString(r.FormValue("colour")))
	})
	mux.HandleFunc("GET /headers", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_ = r.Header.Write(w)
	})
	mux.HandleFunc("GET /status/{code}", func(w http.ResponseWriter, r *http.Request) {
		var code int
		if _, err := fmt.Sscan(r.PathValue("code"), &code); err != nil || code < 200 || code > 599 {
			code = http.StatusBadRequest
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(code)
		fmt.Fprintf(w, "<!doctype html><title>Status</title><p>%d</p>", code)
	})
	mux.HandleFunc("GET /slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.CloseClientConnections() // A browser may still hold one.
		server.Close()
	})
	return server
}

var pages = map[string]string{
	"/{$}": `<!doctype html><html lang="en"><title>Site</title>
<h1>Site</h1>
<a href="/popup">Plain link</a>
<form action="/form">
  <label>Name <input name="name"></label>
  <label>Colour <select name="colour"><option>red</option><option>blue</option></select></label>
  <button>Send</button>
</form>
<button id="open" onclick="window.open('/popup')">Open window</button>
<iframe src="/frame" title="Inner"></iframe>`,
	"/alert":   `<!doctype html><title>Alert</title><script>alert('early')</script>`,
	"/frame":   `<!doctype html><title>Frame</title><button onclick="this.textContent='Pressed'">Inner button</button>`,
	"/pending": `<!doctype html><title>Pending</title><img src="/slow" alt="">`,
	"/popup":   `<!doctype html><title>Popup</title><h1>Popup</h1><a href="/">Home</a>`,
}
