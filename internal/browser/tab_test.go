package browser_test

import (
	"context"
	"errors"
	"testing"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
	"github.com/browserhive/browserhive/internal/contract"
)

func TestTabs(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	b := browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{SessionID: "shop-a1b2c3d4"})
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
}

func TestDialogsHoldNothingUp(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, site.URL)
	if got := evaluate(t, page, "[alert('a'), confirm('b'), prompt('c')]"); got != "[null,false,null]" {
		t.Errorf("the dialogs answered %s", got)
	}
	evaluate(t, page, "void addEventListener('beforeunload', event => event.preventDefault())")
	if err := page.Click(t.Context(), "h1", browser.ClickOptions{}, soon); err != nil {
		t.Fatal(err)
	}
	open(t, page, site.URL+"/popup")
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
