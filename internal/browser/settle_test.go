package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
	"github.com/browserhive/browserhive/internal/hosttest"
)

// quick is far less than any timeout in these tests, and far more than what is measured needs.
var quick = hosttest.Limit(8 * time.Second)

// A click whose navigation Chromium drops has happened all the same, and says so soon.
func TestActionsOutliveBlockedNavigations(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/silent" {
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>Actions</title>
			<form action="file:///etc/passwd"><input id=field><button id=file>Send</button></form>
			<a id=link href="file:///etc/passwd">File</a> <a id=chrome href="chrome://version">Chrome</a>
			<a id=mail href="mailto:a@example.com">Mail</a>
			<button id=script onclick="location = 'file:///etc/passwd'">Script</button>
			<a id=silent href="/silent">Silent</a> <a id=next href="/next">Next</a>`)
	}))
	t.Cleanup(func() { site.CloseClientConnections(); site.Close() })
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, site.URL)
	for name, act := range map[string]func(context.Context) error{
		"press": func(ctx context.Context) error { return page.Press(ctx, "#field", "Enter", soon) },
		"type":  func(ctx context.Context) error { return page.Type(ctx, "#field", "x\n", 0, soon) },
	} {
		began := time.Now()
		if err := act(t.Context()); err != nil || time.Since(began) > quick {
			t.Errorf("%s: %v after %v", name, err, time.Since(began))
		}
	}
	for _, id := range []string{"file", "link", "chrome", "mail", "script", "silent"} {
		began := time.Now()
		if err := page.Click(t.Context(), "#"+id, browser.ClickOptions{}, hosttest.Limit(12*time.Second)); err != nil || time.Since(began) > quick {
			t.Errorf("%s: %v after %v", id, err, time.Since(began))
		}
		if page.URL() != site.URL+"/" {
			t.Errorf("%s: the tab is at %s", id, page.URL())
		}
	}
	// A navigation that gets its answer is waited for.
	open(t, page, site.URL)
	began := time.Now()
	if err := page.Click(t.Context(), "#next", browser.ClickOptions{}, soon); err != nil || page.URL() != site.URL+"/next" {
		t.Errorf("%v after %v; the tab is at %s", err, time.Since(began), page.URL())
	}
}

// A page without a body has a tree, if an empty one.
func TestSnapshotWithoutBody(t *testing.T) {
	t.Parallel()
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	for name, test := range map[string]struct{ address, script, want string }{
		"emptied by open": {`data:text/html,<button onclick="open('about:blank')">Empty</button>`, "document.querySelector('button').click()", ""},
		"no root":         {"data:text/html,<p>Here", "document.documentElement.remove()", ""},
		"no body":         {"data:text/html,<p>Here", "document.body.remove()", ""},
		"svg":             {"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><text y='20'>Drawn</text></svg>", "1", "Drawn"},
		"xml":             {"data:text/xml,<a><b>Marked</b></a>", "1", "Marked"},
	} {
		open(t, page, test.address)
		evaluate(t, page, test.script)
		began := time.Now()
		snapshot, err := page.Snapshot(t.Context(), browser.SnapshotOptions{})
		if err != nil || !strings.Contains(snapshot.Tree, test.want) || time.Since(began) > quick {
			t.Errorf("%s: %q, %v after %v", name, snapshot.Tree, err, time.Since(began))
		}
	}
}
