package browser_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/hosttest"
)

func TestTabs(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	// Stealth sessions keep pages from opening windows that nobody asked for.
	b := browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{SessionID: "shop-a1b2c3d4", Engine: types.EnginePlaywright})
	first := activePage(t, b)
	if first.ID() != "t1" {
		t.Errorf("the first tab is %s", first.ID())
	}
	open(t, first, site.URL)
	if err := first.Click(t.Context(), "#open", browser.ClickOptions{}, soon); err != nil {
		t.Fatal(err)
	}
	second := nextPage(t, b, "t2")
	if err := second.WaitForSelector(t.Context(), "h1", "visible", soon); err != nil {
		t.Fatal(err)
	}
	if activePage(t, b) != first {
		t.Error("a window that opened became the active tab")
	}
	_, err := b.Page("t9")
	wantCode(t, err, errcode.CodeTabNotFound)

	// A call is on its way when its tab closes.
	running := make(chan error, 1)
	go func() {
		_, err := second.Evaluate(context.Background(), "new Promise(() => {})")
		running <- err
	}()
	_, _ = second.Evaluate(t.Context(), "void setTimeout(close)")
	wantCode(t, <-running, errcode.CodePageClosed)
	_, err = second.Title(t.Context())
	wantCode(t, err, errcode.CodePageClosed)
	until(t, "the tab to go", func() bool { return len(b.Pages()) == 1 })

	// So does the last one, and the next window is a tab of its own.
	evaluate(t, first, "void open('/popup')")
	third := nextPage(t, b, "t3")
	evaluate(t, third, "void opener.eval('open(\"/popup\")')")
	nextPage(t, b, "t4")
	_, _ = third.Evaluate(t.Context(), "void setTimeout(close)")
	until(t, "the tab to go", func() bool { return len(b.Pages()) == 2 })
}

func TestTabAfterAClose(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	b := browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{})
	ctx := t.Context()
	page := func(id string) *browser.Page {
		t.Helper()
		p, err := b.Page(id)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	active := func(want string) {
		t.Helper()
		if _, p := b.Tabs(); p == nil || p.ID() != want {
			t.Fatalf("%v is active, not %s", p, want)
		}
	}
	shut := func(id string) {
		t.Helper()
		if err := page(id).Close(ctx); err != nil {
			t.Fatal(err)
		}
	}
	open(t, page("t1"), site.URL)
	for range 3 {
		if _, err := b.NewTab(ctx, site.URL, "load", soon); err != nil {
			t.Fatal(err)
		}
	}
	active("t4")
	evaluate(t, page("t2"), "void open('/popup')")
	nextPage(t, b, "t5")
	active("t4") // A window does not take over.
	if _, err := b.Switch(ctx, "t5"); err != nil {
		t.Fatal(err)
	}
	page("t1") // Used last.
	shut("t5")
	active("t2") // Its opener.
	page("t3")
	shut("t1") // Not the active one.
	active("t2")
	shut("t2")
	active("t3") // Used last.
	evaluate(t, page("t3"), "void open('/popup')")
	nextPage(t, b, "t6")
	shut("t3")
	active("t6") // Found by its id last.

	// What fails leaves no tab; a page that refuses to answer does not keep its own.
	_, err := b.NewTab(ctx, "file:///etc/passwd", "load", soon)
	wantCode(t, err, errcode.CodeURLBlocked)
	_, err = b.NewTab(ctx, "http://127.0.0.1:1/", "load", soon)
	wantCode(t, err, errcode.CodeNavigationFailed)
	_, err = b.NewTab(ctx, site.URL+"/slow", "load", hosttest.Limit(2*time.Second)) // Enough for the tab itself to open.
	wantCode(t, err, errcode.CodeNavigationTimeout)
	stuck, err := b.NewTab(ctx, site.URL, "load", soon)
	if err != nil {
		t.Fatal(err)
	}
	evaluate(t, stuck, "void setTimeout(() => { for (;;); })")
	if err := stuck.Close(ctx); err != nil {
		t.Error(err)
	}
	if err := stuck.Close(ctx); err != nil { // Again.
		t.Error(err)
	}
	if n := len(b.Pages()); n != 2 {
		t.Errorf("%d tabs are open", n)
	}
	active("t6")
	_, err = b.Switch(ctx, "t5")
	wantCode(t, err, errcode.CodeTabNotFound)
}

// A login window that reports to its opener and closes itself leaves the opener at work.
func TestLoginWindowClosesItself(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	b := browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{})
	opener := activePage(t, b)
	open(t, opener, site.URL)
	for n := range 5 {
		got := evaluate(t, opener, `new Promise(resolve => {
			window.onmessage = event => resolve(event.data)
			open('').document.write("<script>opener.postMessage(42, '*'); close()</" + "script>")
		})`)
		if got != "42" {
			t.Errorf("the window reported %s", got)
		}
		until(t, "window "+itoa(n)+" to go", func() bool { return len(b.Pages()) == 1 })
		if activePage(t, b) != opener {
			t.Error("the opener is not the active tab")
		}
	}
}

func TestNoTabIsOpen(t *testing.T) {
	t.Parallel()
	b := browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{SessionID: "shop-a1b2c3d4"})
	page := activePage(t, b)
	_, _ = page.Evaluate(t.Context(), "void setTimeout(close)") // The tab may be gone before the answer is there.
	until(t, "the tab to go", func() bool { return len(b.Pages()) == 0 })
	_, err := b.Page("")
	wantCode(t, err, errcode.CodeTabNotFound)
	var coded *contract.Error
	if errors.As(err, &coded); string(coded.Details) != `{"session_id":"shop-a1b2c3d4","tab_id":"\u003cactive\u003e"}` {
		t.Errorf("details %s", coded.Details)
	}
	again, err := b.NewTab(t.Context(), "data:text/html,again", "load", soon)
	if err != nil {
		t.Fatal(err)
	}
	if again.ID() != "t2" || activePage(t, b) != again {
		t.Errorf("the new tab is %s", again.ID())
	}
}

func TestCrashedTabCloses(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	b := browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{})
	page := activePage(t, b)
	open(t, page, site.URL)
	evaluate(t, page, "void open('/popup', '_blank', 'noopener')") // In a process of its own.
	nextPage(t, b, "t2")
	running := make(chan error, 1)
	go func() {
		_, err := page.Evaluate(context.Background(), "new Promise(() => {})")
		running <- err
	}()
	evaluate(t, page, "1") // The call before it has arrived.
	go func() { _ = page.OpenPastPolicy("chrome://crash/") }()
	wantCode(t, <-running, errcode.CodePageClosed)
	until(t, "the tab to go", func() bool { return len(b.Pages()) == 1 })
	if other := activePage(t, b); other.ID() != "t2" || evaluate(t, other, "1") != "1" {
		t.Error("the other tab is not there to go on with")
	}
}
