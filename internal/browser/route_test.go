package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
	"github.com/browserhive/browserhive/internal/contract"
)

// guarded is a site of which /blocked and all below it must not open as a document.
type guarded struct {
	*httptest.Server
	closed atomic.Bool // Whether the rule is in force.

	mu    sync.Mutex
	asked map[string]int
	hits  int
}

func newGuarded(t *testing.T) *guarded {
	g := &guarded{asked: map[string]int{}}
	g.closed.Store(true)
	mux := http.NewServeMux()
	for from, to := range map[string]string{"/hop": "/blocked/hop", "/far": "/hop", "/there": "/open", "/post": "/blocked/post"} {
		mux.HandleFunc(from, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusTemporaryRedirect) })
	}
	mux.HandleFunc("/blocked/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<title>Secret</title>secret") })
	mux.HandleFunc("/blocked/meanwhile", func(w http.ResponseWriter, _ *http.Request) {
		g.closed.Store(true)
		fmt.Fprint(w, "<title>Secret</title>secret<script src=/slow></script>")
	})
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/open", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><title>Open</title><a id=link href="/blocked/link">l</a><a id=hop href="/far">h</a>
			<a id=window href="/blocked/window" target=_blank>w</a><a id=opener href="/hop" target=_blank rel=opener>o</a>
			<a id=file href="/blocked/file" download>f</a>
			<form action="/blocked/form" method=post><button id=form>b</button></form><div id=here></div>`)
	})
	mux.HandleFunc("/worker", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<!doctype html><title>Worker</title>") })
	mux.HandleFunc("/worker.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, `addEventListener('activate', e => e.waitUntil(clients.claim()));
			addEventListener('fetch', e => e.request.url.includes('/blocked/') && e.respondWith(new Response('<title>Secret</title>secret', {headers: {'Content-Type': 'text/html'}})))`)
	})
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		g.asked[r.URL.Path]++
		g.mu.Unlock()
		w.Header().Set("Cache-Control", "max-age=3600") // What the browser has already is blocked as well.
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		g.CloseClientConnections()
		g.Close()
	})
	return g
}

const rule = "*/blocked/*"

func (g *guarded) blocks(url string) (string, bool) {
	hit := g.closed.Load() && strings.Contains(url, "/blocked/")
	if hit {
		g.mu.Lock()
		g.hits++
		g.mu.Unlock()
	}
	return rule, hit
}

func (g *guarded) stopped() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.hits
}

func (g *guarded) received(path string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.asked[path]
}

func (g *guarded) launch(t *testing.T) *browser.Browser {
	t.Helper()
	return browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{BlocksDocument: g.blocks})
}

// wantBlocked fails unless the error names the rule and the address that met it.
func wantBlocked(t *testing.T, err error, path string) {
	t.Helper()
	wantCode(t, err, errcode.CodeURLBlocked)
	if !strings.Contains(err.Error(), rule) || !strings.Contains(err.Error(), path) {
		t.Errorf("%v does not name the rule and %s", err, path)
	}
}

func TestNavigationsThatAreRedirectedToWhatIsBlocked(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	page := activePage(t, g.launch(t))
	for _, path := range []string{"/hop", "/far"} {
		_, err := page.Goto(t.Context(), g.URL+path, "load", soon)
		wantBlocked(t, err, "/blocked/hop")
		open(t, page, g.URL+"/there") // An allowed redirect, and the next navigation.
		if page.URL() != g.URL+"/open" {
			t.Errorf("at %s", page.URL())
		}
	}
	if n := g.received("/blocked/hop"); n != 0 {
		t.Errorf("the site was asked %d times", n)
	}
	// What opened before the rule came does not open again.
	g.closed.Store(false)
	open(t, page, g.URL+"/blocked/x")
	g.closed.Store(true)
	wantBlocked(t, page.Reload(t.Context(), "load", soon), "/blocked/x")
	open(t, page, g.URL+"/open")
	wantBlocked(t, page.Back(t.Context(), "load", soon), "/blocked/x")
	open(t, page, g.URL+"/open")
	if n := g.received("/blocked/x"); n != 1 {
		t.Errorf("the site was asked %d times", n)
	}
}

// A rule that comes into force while a document is on its way counts for it.
func TestRuleThatComesWhileADocumentLoads(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	page := activePage(t, g.launch(t))
	for _, state := range []string{"commit", "load"} {
		g.closed.Store(false)
		_, err := page.Goto(t.Context(), g.URL+"/blocked/meanwhile?until="+state, state, soon)
		wantBlocked(t, err, "/blocked/meanwhile")
		until(t, "the tab to leave", func() bool { return page.URL() == "about:blank" })
		open(t, page, g.URL+"/open")
	}
}

// Whatever in a page asks for a blocked document, the site does not hear of it. What is no document passes.
func TestPagesDoNotReachWhatIsBlocked(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	b := g.launch(t)
	page := activePage(t, b)
	for _, script := range []string{
		"link.click()", "hop.click()", "form.click()", "location = '/blocked/script'", "location.replace('/blocked/replace')",
		`here.innerHTML = '<iframe src="/blocked/frame"></iframe>'`, `here.innerHTML = '<iframe src="/far"></iframe>'`,
		`here.innerHTML = '<object data="/blocked/object" type="text/html"></object>'`,
		`document.head.insertAdjacentHTML('beforeend', '<meta http-equiv=refresh content="0;url=/blocked/meta">')`,
		`const f = document.createElement('form'); f.action = '/post'; f.method = 'post'; here.append(f); f.submit()`,
	} {
		open(t, page, g.URL+"/open")
		before := g.stopped()
		evaluate(t, page, "void setTimeout(() => { "+script+" })")
		until(t, "the block of "+script, func() bool { return g.stopped() > before })
	}
	open(t, page, g.URL+"/open")
	if got := evaluate(t, page, "fetch('/blocked/data').then(r => r.text())"); !strings.Contains(got, "secret") {
		t.Errorf("fetch: %s", got)
	}
	_, err := page.Download(t.Context(), "#file", soon)
	wantBlocked(t, err, "/blocked/file")
	g.mu.Lock()
	defer g.mu.Unlock()
	for path, n := range g.asked {
		if strings.HasPrefix(path, "/blocked/") && path != "/blocked/data" && path != "/blocked/file" {
			t.Errorf("the site was asked for %s %d times", path, n)
		}
	}
}

func TestErrorsWithoutRuleStayWhatTheyAre(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	page := activePage(t, g.launch(t))
	_, err := page.Goto(t.Context(), "http://host.invalid/", "load", soon)
	if contract.CodeOf(err) != errcode.CodeNavigationFailed {
		t.Errorf("%v", err)
	}
}

// A service worker answers for any address of its site without a request that the network layer sees.
func TestServiceWorkerDoesNotShowWhatIsBlocked(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	page := activePage(t, g.launch(t))
	open(t, page, g.URL+"/worker")
	evaluate(t, page, `(async () => {
		await navigator.serviceWorker.register('/worker.js');
		if (!navigator.serviceWorker.controller) await new Promise(done => navigator.serviceWorker.oncontrollerchange = done);
	})()`)
	evaluate(t, page, "void document.body.insertAdjacentHTML('beforeend', '<iframe src=/blocked/x></iframe>')")
	until(t, "the frame to leave", func() bool {
		// What replaces the document is of no origin.
		return evaluate(t, page, "(() => { try { return frames[0].location.href } catch { return 'left' } })()") == `"left"`
	})
	if n := g.stopped(); n == 0 {
		t.Error("the frame had nothing to leave")
	}
	if _, err := page.Evaluate(t.Context(), "void setTimeout(() => { location = '/blocked/x' })"); err != nil {
		wantBlocked(t, err, "/blocked/x") // It came there before the answer left.
	}
	until(t, "the tab to leave", func() bool { return page.URL() == "about:blank" })
	open(t, page, g.URL+"/open")
}
