package e2e

import (
	"archive/zip"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/browserhive/browserhive/internal/browser/browsertest"
)

// A trace has what was done, opens in the viewer that comes with the driver, and holds no credentials.
func TestTraces(t *testing.T) {
	work(t)
	site := newSite(t)
	site.mux.HandleFunc("/login", func(w http.ResponseWriter, _ *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: "C00KIE-VALUE", Path: "/"})
		fmt.Fprint(w, `<title>Login</title><form method=post action=/in><input id=pw name=pw type=password><input id=seen name=seen><button>In</button></form>`)
	})
	site.mux.HandleFunc("/in", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<title>In</title>welcome") })
	p := start(t, setup{args: []string{"--trace", "--screenshotTrace"}})
	a := p.connect(stateful)
	id := a.launch()
	in := func(more args) args { more["session_id"] = id; return more }
	a.call("navigate", in(args{"url": site.URL + "/login"}))
	a.evaluate(id, "document.querySelector('#pw').setAttribute('value', 'PRESET' + '-S3CRET'); 0")
	a.call("fill", in(args{"selector": "#seen", "value": "plain words"}))
	a.call("fill", in(args{"selector": "#pw", "value": "TYPED-S3CRET"}))
	a.call("set_cookies", in(args{"cookies": []args{{"name": "own", "value": "0WN-VALUE", "url": site.URL}}}))
	a.call("get_cookies", in(args{}))
	a.call("screenshot", in(args{}))
	// What a person types, nobody tells the server.
	a.evaluate(id, "document.querySelector('#pw').value = 'PERS' + 'ON-S3CRET'; 0")
	a.call("click", in(args{"selector": "button"}))
	a.call("wait_for_url", in(args{"url": "**/in"}))
	a.call("close_session", in(args{}))
	p.eventually("SELECT json_extract(trace, '$.state') || coalesce(json_extract(trace, '$.cut_until'), '') || (CAST(coalesce(warnings, '') AS TEXT) LIKE '%TRACE_%') FROM sessions WHERE id = '"+id+"'", "ready0")

	file := filepath.Join(p.dataDir, "sessions", id, "trace.zip")
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.rows("SELECT json_extract(trace, '$.size_bytes') FROM sessions WHERE id = '" + id + "'")[0]; got != strconv.FormatInt(info.Size(), 10) || info.Mode().Perm() != 0o600 {
		t.Errorf("%d bytes with mode %v, recorded as %s", info.Size(), info.Mode(), got)
	}
	names := leakFree(t, file, "PRESET-S3CRET", "TYPED-S3CRET", "PERSON-S3CRET", "C00KIE-VALUE", "0WN-VALUE")
	for _, kind := range []string{"trace.trace", "trace.network", "resources/", "screencast/"} {
		if !strings.Contains(names, kind) {
			t.Errorf("no %s among %s", kind, names)
		}
	}
	// Every call on a page but the screenshot has a picture of it; the last one closed it.
	p.eventually("SELECT tool || ' ' || kind FROM screenshots ORDER BY id", "navigate trace", "evaluate trace", "fill trace", "fill trace", "set_cookies trace", "get_cookies trace",
		"screenshot agent", "evaluate trace", "click trace", "wait_for_url trace")
	for _, frame := range p.rows("SELECT path FROM screenshots WHERE kind = 'trace' AND width > 0 AND height > 0") {
		if content, err := os.ReadFile(filepath.Join(p.dataDir, filepath.FromSlash(frame))); err != nil || !strings.HasPrefix(string(content), "\xff\xd8") {
			t.Errorf("%s: %v", frame, err)
		}
	}
	p.eventually("SELECT count(*) || '' FROM tool_calls WHERE has_screenshot", "10")

	viewer := filepath.Join(browsertest.Installation(t).DriverDir, "package", "lib", "vite", "traceViewer")
	site.mux.Handle("/viewer/", http.StripPrefix("/viewer/", http.FileServer(http.Dir(viewer))))
	site.mux.HandleFunc("/trace.zip", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) })
	reader := a.launch()
	a.call("navigate", args{"session_id": reader, "url": site.URL + "/viewer/index.html?trace=" + site.URL + "/trace.zip"})
	for _, step := range []string{`Fill "plain words"`, "Click", "Navigate"} {
		a.call("wait_for_selector", args{"session_id": reader, "selector": "role=treeitem[name=/^" + step + " /] >> nth=0", "state": "visible"})
	}
}

// leakFree fails when the file holds one of the texts, and returns the names of its entries.
func leakFree(t *testing.T, file string, secrets ...string) (names string) {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		names += f.Name + "\n"
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range secrets {
			if strings.Contains(string(text), s) {
				t.Errorf("%s is in %s", s, f.Name)
			}
		}
	}
	return names
}

// The trace of a browser that dies has what came before; that of a server that dies is gone, and says so.
func TestTracesThatBreakOff(t *testing.T) {
	work(t)
	site := newSite(t)
	site.page("/fine", "Fine", "fine")
	p := start(t, setup{args: []string{"--trace"}})
	a := p.connect(stateful)
	dying, left := a.launch(), a.launch()
	for _, id := range []string{dying, left} {
		a.call("navigate", args{"session_id": id, "url": site.URL + "/fine"})
	}
	if err := syscall.Kill(p.browserPID(dying), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.eventually("SELECT json_extract(trace, '$.state') || ' ' || substr(json_extract(warnings, '$[#-1]'), 1, 21) FROM sessions WHERE id = '"+dying+"'", "ready TRACE_FINALIZE_FAILED")
	if names := leakFree(t, filepath.Join(p.dataDir, "sessions", dying, "trace.zip")); !strings.Contains(names, "trace.trace") {
		t.Errorf("no trace among %s", names)
	}
	p.eventually("SELECT json_extract(trace, '$.state') FROM sessions WHERE id = '"+left+"'", "recording")
	if err := p.kill(); err != nil {
		t.Fatal(err)
	}
	<-p.exited
	next := start(t, setup{dataDir: p.dataDir})
	next.eventually("SELECT json_extract(trace, '$.state') || ' ' || substr(json_extract(warnings, '$[#-1]'), 1, 21) FROM sessions WHERE id = '"+left+"'", "failed TRACE_FINALIZE_FAILED")
}
