package browser_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
)

func TestGoto(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	for _, test := range []struct {
		url    string
		status int // 0 for none
	}{
		{site.URL, 200},
		{site.URL + "/status/404", 404},
		{site.URL + "/status/500", 500},
		{"data:text/html,<title>D</title>", 0},
		{"about:blank", 0},
	} {
		for _, state := range []string{"commit", "domcontentloaded", "load", "networkidle"} {
			status, err := page.Goto(t.Context(), test.url, state, soon)
			if err != nil {
				t.Errorf("%s until %s: %v", test.url, state, err)
			} else if test.status == 0 && status != nil || test.status != 0 && (status == nil || *status != test.status) {
				t.Errorf("%s until %s: status %v, want %d", test.url, state, status, test.status)
			}
		}
	}
}

// A failed navigation must not disturb the next one, though its error page arrives a moment later.
func TestFailedNavigationsAndTheNextOne(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for url, netError := range map[string]string{
		"http://host.invalid/a?secret=1": "net::ERR_NAME_NOT_RESOLVED",
		closed.URL:                       "net::ERR_CONNECTION_REFUSED",
		strings.Replace(site.URL, "http:", "https:", 1): "net::ERR_SSL_PROTOCOL_ERROR",
		site.URL + "/status/204":                        "net::ERR_ABORTED",
	} {
		_, err := page.Goto(t.Context(), url, "load", soon)
		wantCode(t, err, errcode.CodeNavigationFailed)
		if !strings.Contains(err.Error(), netError) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %s", url, err, netError)
		}
		open(t, page, site.URL+"/popup")
		if title, err := page.Title(t.Context()); err != nil || title != "Popup" {
			t.Errorf("after %s: title %q, %v", url, title, err)
		}
	}
	_, err := page.Goto(t.Context(), "http://", "load", soon)
	wantCode(t, err, errcode.CodeInvalidArguments)
}

func TestHistory(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	b := browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{})
	page := activePage(t, b)
	before := b.NavigationCount()
	open(t, page, site.URL+"/")
	open(t, page, site.URL+"/popup")
	if n := b.NavigationCount() - before; n != 2 {
		t.Errorf("%d navigations counted, want 2", n)
	}
	moves := []struct {
		name string
		move func(context.Context, string, time.Duration) error
		want string
	}{
		{"back", page.Back, site.URL + "/"},
		{"forward", page.Forward, site.URL + "/popup"},
		{"forward at the end", page.Forward, site.URL + "/popup"},
		{"reload", page.Reload, site.URL + "/popup"},
		{"back", page.Back, site.URL + "/"},
		{"back", page.Back, "about:blank"},
		{"back at the beginning", page.Back, "about:blank"},
	}
	for _, m := range moves {
		if err := m.move(t.Context(), "load", soon); err != nil || page.URL() != m.want {
			t.Errorf("%s: at %s, want %s: %v", m.name, page.URL(), m.want, err)
		}
	}
}

func TestHistoryNamesTheAddressThatFailed(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	_, err := page.Goto(t.Context(), "http://host.invalid/x", "load", soon)
	wantCode(t, err, errcode.CodeNavigationFailed)
	open(t, page, site.URL)
	err = page.Back(t.Context(), "load", soon)
	wantCode(t, err, errcode.CodeNavigationFailed)
	if !strings.Contains(err.Error(), "http://host.invalid/x") {
		t.Errorf("%v does not name the address", err)
	}
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	slow := func(ctx context.Context, timeout time.Duration) error {
		_, err := page.Goto(ctx, site.URL+"/slow", "load", timeout)
		return err
	}
	wantCode(t, slow(t.Context(), brief), errcode.CodeNavigationTimeout)
	same, cancel := context.WithTimeout(t.Context(), brief) // A caller may give one limit in both places.
	defer cancel()
	wantCode(t, slow(same, brief), errcode.CodeNavigationTimeout)

	short, cancel := context.WithTimeout(t.Context(), brief)
	defer cancel()
	err := slow(short, soon)
	wantCode(t, err, errcode.CodeCallTimeout)
	// The driver had what was left of it by then.
	m := regexp.MustCompile(`within (\d+) ms`).FindStringSubmatch(err.Error())
	if m == nil {
		t.Fatalf("%v does not name the limit", err)
	}
	if named, err := strconv.Atoi(m[1]); err != nil || named > int(brief.Milliseconds()) {
		t.Errorf("%s ms are named, more than the call had", m[1])
	}
	wantCode(t, slow(short, soon), errcode.CodeCallTimeout) // Over before it begins.

	cancelled, cancel := context.WithCancel(t.Context())
	time.AfterFunc(brief, cancel)
	wantCode(t, slow(cancelled, soon), errcode.CodeCallCancelled)

	open(t, page, site.URL)
	if err := page.WaitForLoadState(t.Context(), "networkidle", soon); err != nil {
		t.Error(err)
	}
	if _, err := page.Goto(t.Context(), site.URL+"/pending", "domcontentloaded", soon); err != nil {
		t.Fatal(err)
	}
	wantCode(t, page.WaitForLoadState(t.Context(), "load", brief), errcode.CodeWaitTimeout)
}

// Pages and frames that never load must not hold up what looks at them.
func TestReadingBesideAFrameThatNeverLoads(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, site.URL)
	evaluate(t, page, `void document.body.insertAdjacentHTML('beforeend', '<iframe src="/slow"></iframe><iframe src="file:///etc/passwd"></iframe>')`)
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	snapshot, err := page.Snapshot(ctx, browser.SnapshotOptions{})
	if err != nil || !strings.Contains(snapshot.Tree, `button "Inner button"`) {
		t.Errorf("snapshot: %v\n%s", err, snapshot.Tree)
	}
	if html, err := page.Content(ctx); err != nil || !strings.Contains(html, "<h1>Site</h1>") {
		t.Errorf("content: %v", err)
	}
	if _, err := page.Screenshot(ctx, browser.ScreenshotOptions{FullPage: true}); err != nil {
		t.Errorf("screenshot: %v", err)
	}
}

func TestToolsAskBeforeTheBrowser(t *testing.T) {
	t.Parallel()
	var asked []string
	site := browsertest.Site(t)
	b := browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{
		BlocksURL: func(_ context.Context, url string) (string, bool) {
			asked = append(asked, url)
			return "*/popup", strings.HasSuffix(url, "/popup")
		},
	})
	page := activePage(t, b)
	open(t, page, site.URL)
	_, err := page.Goto(t.Context(), site.URL+"/popup", "load", soon)
	wantCode(t, err, errcode.CodeURLBlocked)
	_, err = page.Goto(t.Context(), "file:///etc/passwd", "load", soon)
	wantCode(t, err, errcode.CodeURLBlocked)
	if len(asked) != 2 || page.URL() != site.URL+"/" {
		t.Errorf("asked %q, at %s", asked, page.URL())
	}
}

func TestPageThatIsStuckCanBeLeft(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, site.URL)
	evaluate(t, page, "void setTimeout(() => { while (true); })")
	open(t, page, site.URL+"/popup")
}
