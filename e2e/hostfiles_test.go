package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// secretFile is a file of the host that no page may show.
type secretFile struct{ path, url, secret string }

func plantSecret(t *testing.T) secretFile {
	t.Helper()
	secret := "host-secret-" + filepath.Base(t.TempDir()) + fmt.Sprint(os.Getpid())
	path := filepath.Join(t.TempDir(), "secret.html")
	if err := os.WriteFile(path, []byte("<title>"+secret+"</title><p>"+secret+"</p><script>top.postMessage('"+secret+"', '*')</script>"), 0o600); err != nil {
		t.Fatal(err)
	}
	return secretFile{path, (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String(), secret}
}

// No tool opens anything but documents of the web.
func TestToolsOpenNoHostFiles(t *testing.T) {
	work(t)
	site := newSite(t)
	file := plantSecret(t)
	a := tenant(t).connect(stateful)
	id := a.launch()
	a.call("navigate", args{"session_id": id, "url": site.URL + "/form"})
	for address, scheme := range map[string]string{
		file.url: "file",
		strings.Replace(file.url, "file", "FiLe", 1): "file",
		" \t" + file.url: "file",
		strings.Replace(file.url, "le:", "\nle:", 1):  "file",
		"file:" + file.path:                           "file",
		"file://localhost" + file.path:                "file",
		"view-source:" + file.url:                     "view-source",
		"view-source:" + site.URL:                     "view-source",
		"chrome://version":                            "chrome",
		"chrome://net-export":                         "chrome",
		"devtools://devtools/bundled/inspector.html":  "devtools",
		"chrome-extension://abc/x.html":               "chrome-extension",
		"chrome-untrusted://print":                    "chrome-untrusted",
		"about:version":                               "about",
		"about:about":                                 "about",
		"filesystem:" + file.url:                      "filesystem",
		"javascript:location.href='" + file.url + "'": "javascript",
		"ftp://127.0.0.1/x":                           "ftp",
		"intent://x#Intent;scheme=file;end":           "intent",
	} {
		f := a.refused("URL_BLOCKED", "navigate", args{"session_id": id, "url": address})
		if f.Details["pattern"] != "scheme:"+scheme {
			t.Errorf("%q: %v", address, f.Details)
		}
	}
	if got := a.evaluate(id, "location.href"); got != site.URL+"/form" {
		t.Errorf("the tab has moved to %v", got)
	}
	for _, address := range []string{"about:blank", "data:text/html,<title>data</title>", site.URL + "/form"} {
		a.call("navigate", args{"session_id": id, "url": address})
	}
	readsNothing(a, id, file)
}

// way is an attempt of a page to show a file of the host.
type way struct {
	name string
	body string // of the page
	act  string // a script to run; else a click on #go, if there is one
}

// No page shows a file of the host, whatever it tries.
func TestPagesOpenNoHostFiles(t *testing.T) {
	work(t)
	site := newSite(t)
	file := plantSecret(t)
	site.mux.HandleFunc("/redirect", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", file.url)
		w.WriteHeader(http.StatusFound)
	})
	site.mux.HandleFunc("/refresh", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Refresh", "0; url="+file.url)
	})
	ways := []way{
		{name: "link", body: `<a id=go href="%[1]s">go</a>`},
		{name: "link in a new tab", body: `<a id=go target=_blank href="%[1]s">go</a>`},
		{name: "view-source link", body: `<a id=go href="view-source:%[1]s">go</a>`},
		{name: "download link", body: `<a id=go download href="%[1]s">go</a>`},
		{name: "window.open", body: `<button id=go onclick="window.w = window.open('%[1]s')">go</button>`},
		{name: "popup moved on", body: `<button id=go onclick="window.w = window.open('about:blank'); w.location = '%[1]s'">go</button>`},
		{name: "form", body: `<form action="%[1]s"><button id=go>go</button></form>`},
		{name: "post form", body: `<form method=post action="%[1]s"><button id=go>go</button></form>`},
		{name: "iframe", body: `<iframe src="%[1]s"></iframe>`},
		{name: "iframe moved on", body: `<iframe name=inner></iframe><a id=go target=inner href="%[1]s">go</a>`},
		{name: "iframe in srcdoc", body: `<iframe srcdoc="<iframe src='%[1]s'></iframe>"></iframe>`},
		{name: "object", body: `<object data="%[1]s"></object><embed src="%[1]s">`},
		{name: "style and script", body: `<link rel=stylesheet href="%[1]s"><script src="%[1]s"></script><img src="%[1]s">`},
		{name: "meta refresh", body: `<meta http-equiv=refresh content="0; url=%[1]s">`},
		{name: "location", act: `() => { location.href = '%[1]s' }`},
		{name: "location.replace", act: `() => { location.replace('%[1]s') }`},
		{name: "history", act: `() => { try { history.pushState({}, '', '%[1]s') } catch (e) {} }`},
		{name: "fetch", act: `() => fetch('%[1]s').then(r => r.text()).then(t => { document.body.textContent = t }, () => {})`},
		{name: "XMLHttpRequest", act: `() => new Promise(done => { const x = new XMLHttpRequest(); x.onloadend = () => { document.body.textContent = x.responseText; done() }; x.open('GET', '%[1]s'); x.send() })`},
		{name: "import", act: `() => import('%[1]s').then(m => { document.body.textContent = String(m) }, () => {})`},
		{name: "worker", act: `() => { try { new Worker('%[1]s') } catch (e) {} }`},
		{name: "blob page", act: `() => { location = URL.createObjectURL(new Blob(['<iframe src="%[1]s"></iframe>'], {type: 'text/html'})) }`},
		{name: "window.open by script", act: `() => { window.w = window.open('%[1]s') }`},
		{name: "document.write", act: `() => { document.write('<iframe src="%[1]s"></iframe>') }`},
	}
	for i, w := range ways {
		site.page(fmt.Sprintf("/way/%d", i), w.name, fmt.Sprintf(w.body+`<p>here</p><script>
			addEventListener('message', e => document.body.append(String(e.data)));</script>`, file.url))
	}
	a := tenant(t).connect(stateful)
	id := a.launch()
	for i, w := range ways {
		a.call("navigate", args{"session_id": id, "url": fmt.Sprintf("%s/way/%d", site.URL, i)})
		if w.act != "" {
			a.attempt("evaluate", args{"session_id": id, "expression": fmt.Sprintf(w.act, file.url)})
		} else if strings.Contains(w.body, "id=go") {
			a.attempt("click", args{"session_id": id, "selector": "#go", "timeout": 3 * brief})
		}
		a.attempt("wait_for_load_state", args{"session_id": id, "timeout": 3 * brief})
		if !readsNothing(a, id, file) {
			t.Errorf("by %s", w.name)
		}
	}
	for _, path := range []string{"/redirect", "/refresh"} {
		a.attempt("navigate", args{"session_id": id, "url": site.URL + path})
		a.attempt("wait_for_load_state", args{"session_id": id, "timeout": 3 * brief})
		if !readsNothing(a, id, file) {
			t.Errorf("by %s", path)
		}
	}
	for _, move := range []string{"go_back", "go_forward", "reload"} {
		a.attempt(move, args{"session_id": id, "timeout": 3 * brief})
		if !readsNothing(a, id, file) {
			t.Errorf("by %s", move)
		}
	}
	// The same eyes do see what an iframe may show.
	site.page("/inside", "Inside", "<p>seen inside")
	site.page("/outside", "Outside", `<iframe src="/inside"></iframe>`)
	a.call("navigate", args{"session_id": id, "url": site.URL + "/outside"})
	if tree := a.call("snapshot", args{"session_id": id}).text; !strings.Contains(tree, "seen inside") {
		t.Errorf("a snapshot misses an iframe: %s", tree)
	}
	if raw, err := os.ReadFile(file.path); err != nil || !strings.Contains(string(raw), file.secret) {
		t.Fatalf("the secret was not there to be found: %v", err)
	}
}

// attempt calls a tool that may fail.
func (a *agent) attempt(tool string, in args) {
	a.t.Helper()
	_, _ = a.try(tool, in)
}

// readsNothing looks at the session with every tool that reads, and reports whether the secret and the
// address of the file stay hidden.
func readsNothing(a *agent, id string, file secretFile) bool {
	a.t.Helper()
	ok := true
	look := func(how string, seen any) {
		raw, err := json.Marshal(seen)
		if err != nil {
			a.t.Fatal(err)
		}
		if strings.Contains(string(raw), file.secret) {
			a.t.Errorf("%s shows the file: %.300s", how, raw)
			ok = false
		}
	}
	info := a.call("session_info", args{"session_id": id}).fields
	if at, _ := info["current_url"].(string); strings.HasPrefix(at, "file:") {
		a.t.Errorf("the tab is at %s", at)
		ok = false
	}
	for _, tool := range []string{"get_content", "snapshot"} {
		if out, f := a.try(tool, args{"session_id": id}); f == nil {
			look(tool, out.fields)
		}
	}
	// Also through a window that the page has opened, and its frames.
	out, f := a.try("evaluate", args{"session_id": id, "expression": `() => {
		const texts = [document.documentElement.outerHTML, document.title];
		for (const other of [window.w, ...Array.from(frames, (_, i) => frames[i])]) {
			try { texts.push(other.location.href, other.document.documentElement.outerHTML) } catch (e) {}
		}
		return texts;
	}`})
	if f == nil {
		look("evaluate", out.fields)
	}
	return ok
}
