package e2e

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// filesPage has an input of each kind and a way to start each kind of download.
const filesPage = `<form action="/send" method="post" enctype="multipart/form-data">
	<label id="choose">Choose <input id="one" type="file" name="one" style="display:none"></label>
	<input id="many" type="file" name="many" multiple>
	<input id="tree" type="file" webkitdirectory>
	<input id="text"><button id="send">Send</button>
</form>
<a id="get" href="/get">Get</a> <a id="blank" href="/get" target="_blank">Get in a window</a>
<a id="evil" href="/evil">Evil</a> <a id="broken" href="/broken">Broken</a>
<a id="blob" download="made.txt">Blob</a> <a id="page" href="/form">Page</a> <button id="nothing">Nothing</button>
<script>blob.href = URL.createObjectURL(new Blob(['made here']))</script>`

func newFilesSite(t *testing.T) *site {
	t.Helper()
	s := newSite(t)
	s.page("/files", "Files", filesPage)
	s.mux.HandleFunc("/send", func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseMultipartForm(1 << 20); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		for _, field := range []string{"one", "many"} {
			for _, h := range r.MultipartForm.File[field] {
				f, err := h.Open()
				if err != nil {
					continue
				}
				content, _ := io.ReadAll(f)
				_ = f.Close()
				fmt.Fprintf(w, "%s %s=%s;", field, h.Filename, content)
			}
		}
	})
	attachment := func(name, content string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Disposition", "attachment; filename=\""+name+"\"")
			_, _ = io.WriteString(w, content)
		}
	}
	s.mux.HandleFunc("/get", attachment("report.csv", "a,b,c"))
	s.mux.HandleFunc("/evil", attachment("..%2f..%2f.profile", "x"))
	s.mux.HandleFunc("/broken", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=half.bin")
		w.Header().Set("Content-Length", "100000")
		_, _ = io.WriteString(w, "half")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	return s
}

func TestUploadFile(t *testing.T) {
	work(t)
	site := newFilesSite(t)
	p := tenant(t)
	a := p.connect(stateful)
	uploads := filepath.Join(p.dataDir, "uploads")
	for name, content := range map[string]string{"mine.txt": "first", "mine/mine.txt": "second"} {
		path := filepath.Join(uploads, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	id := a.launch()
	a.call("navigate", args{"session_id": id, "url": site.URL + "/files"})
	for _, c := range []struct {
		code, selector string
		paths          []string
		reason         string
	}{
		{"PATH_NOT_ALLOWED", "#one", []string{"../browserhive.lock"}, ""},
		{"PATH_NOT_ALLOWED", "#one", []string{"/etc/passwd"}, ""},
		{"UPLOAD_FAILED", "#one", []string{"missing.txt"}, "not in the uploads directory"},
		{"UPLOAD_FAILED", "#one", []string{"mine"}, "not a file"},
		{"UPLOAD_FAILED", "#one", []string{"mine.txt", "mine/mine.txt"}, "one file only"},
		{"UPLOAD_FAILED", "#text", []string{"mine.txt"}, "not a file input"},
		{"UPLOAD_FAILED", "#send", []string{"mine.txt"}, "not a file input"},
		{"UPLOAD_FAILED", "#tree", []string{"mine.txt"}, "directory"},
		{"ELEMENT_NOT_FOUND", "#none", []string{"mine.txt"}, ""},
		{"INVALID_ARGUMENTS", "#one", []string{}, ""},
	} {
		f := a.refused(c.code, "upload_file", args{"session_id": id, "selector": c.selector, "paths": c.paths, "timeout": 3 * brief})
		if reason, _ := f.Details["reason"].(string); !strings.Contains(reason, c.reason) {
			t.Errorf("%s %v: %s", c.selector, c.paths, reason)
		}
	}
	a.call("upload_file", args{"session_id": id, "selector": "#one", "paths": []string{filepath.Join(uploads, "mine.txt")}})
	a.call("upload_file", args{"session_id": id, "selector": "#choose", "paths": []string{"mine.txt"}})
	a.call("upload_file", args{"session_id": id, "selector": "#many", "paths": []string{"mine.txt", "mine/mine.txt"}})
	// The page has what was there when it was chosen, and not what the path leads to when it is sent.
	if err := os.Remove(filepath.Join(uploads, "mine.txt")); err != nil {
		t.Fatal(err)
	}
	a.call("click", args{"session_id": id, "selector": "#send"})
	got := a.evaluate(id, "document.body.textContent")
	if want := "one mine.txt=first;many mine.txt=first;many mine.txt=second;"; got != want {
		t.Errorf("the site received %v, not %s", got, want)
	}
}

func TestDownloadFile(t *testing.T) {
	work(t)
	site := newFilesSite(t)
	p := tenant(t)
	a := p.connect(stateful)
	id := a.launch()
	dir := filepath.Join(p.dataDir, "sessions", id, "downloads")
	a.call("navigate", args{"session_id": id, "url": site.URL + "/files"})
	for _, c := range []struct{ trigger, saveAs, suggested, saved, content string }{
		{"#get", "", "report.csv", "report.csv", "a,b,c"},
		{"#blank", "", "report.csv", "report (1).csv", "a,b,c"},
		{"#get", "mine.csv", "report.csv", "mine.csv", "a,b,c"},
		{"#get", "mine.csv", "report.csv", "mine (1).csv", "a,b,c"},
		{"#blob", "", "made.txt", "made.txt", "made here"},
	} {
		in := args{"session_id": id, "trigger_selector": c.trigger}
		if c.saveAs != "" {
			in["save_as"] = c.saveAs
		}
		got := a.call("download_file", in).fields
		if got["suggested_name"] != c.suggested || got["saved_to"] != filepath.Join(dir, c.saved) || got["size"] != float64(len(c.content)) {
			t.Errorf("%s: %v", c.trigger, got)
		}
		if content, err := os.ReadFile(filepath.Join(dir, c.saved)); err != nil || string(content) != c.content {
			t.Errorf("%s: %q %v", c.trigger, content, err)
		}
	}
	got := a.call("download_file", args{"session_id": id, "trigger_selector": "#evil"}).fields
	if path, _ := got["saved_to"].(string); filepath.Dir(path) != dir || strings.HasPrefix(filepath.Base(path), ".") {
		t.Errorf("kept as %v", got)
	}
	for _, name := range []string{"../x", "/tmp/x", "a/b", "..", ""} {
		a.refused("PATH_NOT_ALLOWED", "download_file", args{"session_id": id, "trigger_selector": "#get", "save_as": name})
	}
	f := a.refused("DOWNLOAD_FAILED", "download_file", args{"session_id": id, "trigger_selector": "#broken"})
	if reason, _ := f.Details["reason"].(string); reason == "" {
		t.Error("no reason")
	}
	f = a.refused("DOWNLOAD_FAILED", "download_file", args{"session_id": id, "trigger_selector": "#nothing", "timeout": 10 * brief})
	if reason, _ := f.Details["reason"].(string); !strings.Contains(reason, "no download") {
		t.Errorf("reason %q", reason)
	}
	a.refused("ELEMENT_NOT_FOUND", "download_file", args{"session_id": id, "trigger_selector": "#none", "timeout": brief})
	a.refused("DOWNLOAD_FAILED", "download_file", args{"session_id": id, "trigger_selector": "#page", "timeout": 10 * brief})
	// The files outlive the session.
	a.call("close_session", args{"session_id": id})
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 6 {
		t.Errorf("%v %v", entries, err)
	}
}
