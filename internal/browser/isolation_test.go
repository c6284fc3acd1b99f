package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
)

// attempts are the attempts in which a script may try to open an address or read it. t is the address, site the
// test's server. What an attempt returns must not hold the content.
var attempts = map[string]string{
	"location":                 `location.href = t`,
	"location.replace":         `location.replace(t)`,
	"navigation API":           `navigation.navigate(t).committed.catch(() => {})`,
	"link":                     `click({href: t})`,
	"link in new tab":          `click({href: t, target: '_blank', rel: 'noopener'})`,
	"link with opener":         `click({href: t, target: '_blank', rel: 'opener'})`,
	"download link":            `click({href: t, download: 'x'})`,
	"ping link":                `click({href: '#', ping: t})`,
	"window.open":              `open(t)`,
	"window.open, no opener":   `open(t, '_blank', 'noopener')`,
	"window.open, then there":  `const w = open('about:blank'); if (w) w.location = t`,
	"window.open of a blob":    `open(URL.createObjectURL(new Blob(['<script>location = ' + JSON.stringify(t) + '</' + 'script>'], {type: 'text/html'})))`,
	"frame of a blob":          `add('iframe', {src: URL.createObjectURL(new Blob(['<meta http-equiv=refresh content="0;url=' + t + '">'], {type: 'text/html'}))})`,
	"frame with srcdoc":        `add('iframe', {srcdoc: '<iframe src="' + t + '"></iframe>'})`,
	"frame":                    `add('iframe', {src: t})`,
	"frame, sandboxed":         `add('iframe', {src: t, sandbox: 'allow-scripts'})`,
	"frame that is sent there": `const f = add('iframe', {src: 'about:blank'}); f.contentWindow.location = t`,
	"object":                   `add('object', {data: t})`,
	"embed":                    `add('embed', {src: t})`,
	"form, get":                `add('form', {action: t}).submit()`,
	"form, post":               `add('form', {action: t, method: 'post'}).submit()`,
	"meta refresh":             `add('meta', {httpEquiv: 'refresh', content: '0; url=' + t})`,
	"base":                     `add('base', {href: t}); click({href: ''})`,
	"script URL":               `click({href: 'javascript:location.href=' + JSON.stringify(t)})`,
	"redirect":                 `add('iframe', {src: site + '/redirect?to=' + encodeURIComponent(t)})`,
	"redirect of the page":     `open(site + '/redirect?to=' + encodeURIComponent(t))`,
	"refresh header":           `open(site + '/refresh?to=' + encodeURIComponent(t))`,
	"fetch":                    `return await (await fetch(t)).text()`,
	"fetch, no cors":           `return await (await fetch(t, {mode: 'no-cors'})).text()`,
	"XMLHttpRequest":           `const x = new XMLHttpRequest(); x.open('GET', t, false); x.send(); return x.responseText`,
	"import":                   `return Object.keys(await import(t))`,
	"worker":                   `new Worker(t)`,
	"fetch in a worker": `return await new Promise(done => {
		const w = new Worker(URL.createObjectURL(new Blob(['fetch(' + JSON.stringify(t) + ').then(r => r.text()).then(postMessage, e => postMessage(String(e)))'])));
		w.onmessage = e => done(e.data); w.onerror = () => done('error') })`,
	"import in a worker": `return await new Promise(done => {
		const w = new Worker(URL.createObjectURL(new Blob(['try { importScripts(' + JSON.stringify(t) + '); postMessage("loaded " + self.secret) } catch (e) { postMessage(String(e)) }'])));
		w.onmessage = e => done(e.data); w.onerror = () => done('error') })`,
	"shared worker":  `new SharedWorker(t)`,
	"service worker": `await navigator.serviceWorker.register(t)`,
	"script":         `return await loads('script', {src: t})`,
	"style sheet":    `return await loads('link', {rel: 'stylesheet', href: t})`,
	"image":          `return await loads('img', {src: t})`,
	"video":          `return await loads('video', {src: t})`,
	"prefetch":       `add('link', {rel: 'prefetch', href: t})`,
	"prerender":      `add('script', {type: 'speculationrules', textContent: JSON.stringify({prerender: [{urls: [t]}]})})`,
	"event source":   `new EventSource(t)`,
	"beacon":         `navigator.sendBeacon(t, 'x')`,
	"history entry":  `history.pushState({}, '', t)`,
	"filesystem":     `return await new Promise(done => webkitResolveLocalFileSystemURL(t, done, e => done(String(e))))`,
}

// opening are the attempts that open any address, tried with other forbidden schemes too.
var opening = map[string]bool{"location": true, "link in new tab": true, "window.open": true, "frame": true, "redirect of the page": true}

// prelude are the words that the attempts are written in.
const prelude = `
const add = (tag, properties) => { const e = Object.assign(document.createElement(tag), properties); (document.body || document.documentElement).append(e); return e; };
const click = properties => add('a', properties).click();
const loads = (tag, properties) => new Promise(done => { const e = add(tag, properties); e.onload = e.onloadeddata = () => done('LOADED'); e.onerror = () => done('error'); setTimeout(done, 1000, 'silent'); });
`

// TestNoPageReadsAFileOfTheHost tries every way from a page of the web, a data: page, a blob: page and
// a blank one. The file tells the test's server when it is opened as a document or run as a script.
func TestNoPageReadsAFileOfTheHost(t *testing.T) {
	t.Parallel()
	const secret = "the-content-of-a-file-of-the-host"
	var opened atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("/opened", func(http.ResponseWriter, *http.Request) { opened.Add(1) })
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.FormValue("to"))
		w.WriteHeader(http.StatusFound)
	})
	mux.HandleFunc("/refresh", func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Refresh", "0; url="+r.FormValue("to")) })
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>Base</title><body>")
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	dir := shortDir(t)
	file := filepath.Join(dir, "file.html")
	script := fmt.Sprintf("self.secret = '%s'; new Image().src = '%s/opened'", secret, site.URL)
	if err := os.WriteFile(file, []byte("<!-- "+secret+" --><img src='"+site.URL+"/opened'><script>"+script+"</script>"), 0o600); err != nil {
		t.Fatal(err)
	}
	address := (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()

	visit := func(address string) func(*testing.T, *browser.Page) {
		return func(t *testing.T, page *browser.Page) { open(t, page, address) }
	}
	for name, start := range map[string]func(*testing.T, *browser.Page){
		"web":   visit(site.URL + "/"),
		"data":  visit("data:text/html,<title>Base</title><body>"),
		"blank": visit("about:blank"),
		"blob": func(t *testing.T, page *browser.Page) {
			open(t, page, site.URL+"/")
			evaluate(t, page, "void (location = URL.createObjectURL(new Blob(['<title>Base</title><body>'], {type: 'text/html'})))")
			until(t, "the blob", func() bool { return strings.HasPrefix(page.URL(), "blob:") })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{Stealth: true})
			page := activePage(t, b)
			for name, try := range attempts {
				targets := []string{address}
				if opening[name] {
					targets = append(targets, "view-source:"+address, "chrome://version/", "devtools://devtools/bundled/inspector.html")
				}
				for _, target := range targets {
					start(t, page)
					got := evaluate(t, page, fmt.Sprintf("(async (t, site) => { %s try { %s } catch (e) { return String(e) } })(%q, %q)", prelude, try, target, site.URL))
					if strings.Contains(got, secret) || strings.Contains(got, "LOADED") {
						t.Errorf("%s, %.12s: the page has %s", name, target, got)
					}
					inspect(t, b, name, secret)
				}
			}
			open(t, page, site.URL+"/") // Nothing is on its way any more.
			inspect(t, b, "any", secret)
		})
	}
	t.Cleanup(func() {
		if n := opened.Load(); n != 0 {
			t.Errorf("the file was opened %d times", n)
		}
	})
}

// inspect fails the test when a tab shows the secret, and closes all tabs but the first.
func inspect(t *testing.T, b *browser.Browser, name, secret string) {
	t.Helper()
	for _, page := range b.Pages() {
		switch scheme, _, _ := strings.Cut(page.URL(), ":"); scheme {
		case "", "http", "data", "blob", "about", "chrome-error":
		default:
			t.Errorf("%s: %s shows %s", name, page.ID(), page.URL())
		}
		if page.ID() != "t1" {
			_, _ = page.Evaluate(t.Context(), "void setTimeout(close)")
			continue
		}
		if html, err := page.Content(t.Context()); err == nil && strings.Contains(html, secret) {
			t.Errorf("%s: %s holds the secret", name, page.ID())
		}
	}
}

// Should a document open that must not, no tool reads it, and the tab leaves it.
func TestDocumentThatMustNotOpenIsLeft(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	for name, address := range map[string]string{"file": "file:///", "version": "chrome://version/", "source": "view-source:file:///"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
			open(t, page, site.URL)
			_ = page.OpenPastPolicy(address)
			if _, err := page.Content(t.Context()); err != nil {
				wantCode(t, err, errcode.CodeURLBlocked)
			} else if page.URL() != "about:blank" {
				t.Errorf("%s could be read", page.URL())
			}
			until(t, "the tab to leave", func() bool { return page.URL() == "about:blank" })
			open(t, page, site.URL)
			if snapshot, err := page.Snapshot(t.Context(), browser.SnapshotOptions{}); err != nil || !strings.Contains(snapshot.Tree, "Site") {
				t.Errorf("afterwards: %v\n%s", err, snapshot.Tree)
			}
		})
	}
}
