package browser_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
	"github.com/browserhive/browserhive/internal/hosttest"
)

// What a page may be given is bounded, and what was not given does not count.
func TestSetFilesIsBounded(t *testing.T) {
	t.Parallel()
	b := browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{})
	page := activePage(t, b)
	open(t, page, "data:text/html,<input type=file id=file><input id=other><input type=file id=tree webkitdirectory>")
	sized := func(size int64) *os.File {
		f, err := os.Create(filepath.Join(t.TempDir(), "sparse.bin"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		if err := f.Truncate(size); err != nil {
			t.Fatal(err)
		}
		return f
	}
	set := func(selector string, size int64) error {
		return page.SetFiles(t.Context(), selector, []*os.File{sized(size)}, soon)
	}
	err := set("#file", 1<<30+1)
	wantCode(t, err, errcode.CodeUploadFailed)
	if !strings.Contains(err.Error(), "1024 MiB") {
		t.Errorf("%v does not name the bound", err)
	}
	wantCode(t, set("#tree", 1), errcode.CodeUploadFailed)
	wantCode(t, set("#other", 1), errcode.CodeUploadFailed)
	if err := set("#file", 1<<20); err != nil {
		t.Errorf("after one that was too large: %v", err)
	}
	if got := evaluate(t, page, "[file.files[0].name, file.files[0].size]"); got != `["sparse.bin",1048576]` {
		t.Errorf("the page sees %s", got)
	}
}

// A download that does not end within the timeout is given up, and the tab can go on.
func TestDownloadThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/never" {
			return
		}
		w.Header().Set("Content-Disposition", "attachment")
		w.Header().Set("Content-Length", "1000000")
		_, _ = w.Write(make([]byte, 64<<10))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer site.Close()
	defer site.CloseClientConnections()
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, site.URL+"/")
	evaluate(t, page, `void document.body.insertAdjacentHTML('beforeend', '<a id=never href="/never" download>Never</a><a id=made download="made.txt" href="data:text/plain,made">Made</a>')`)
	limit := hosttest.Limit(3 * time.Second) // Time for the click.
	_, err := page.Download(t.Context(), "#never", limit)
	wantCode(t, err, errcode.CodeDownloadFailed)
	if !strings.Contains(err.Error(), "did not complete") {
		t.Errorf("%v", err)
	}
	_, err = page.Download(t.Context(), "##", soon)
	wantCode(t, err, errcode.CodeInvalidArguments)
	if !strings.Contains(err.Error(), "trigger_selector") {
		t.Errorf("%v does not name the argument", err)
	}
	download, err := page.Download(t.Context(), "#made", soon)
	if err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(download.Path); err != nil || string(content) != "made" || download.SuggestedName != "made.txt" {
		t.Errorf("%+v %q %v", download, content, err)
	}
}
