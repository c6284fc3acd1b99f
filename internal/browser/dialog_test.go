package browser_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
	"github.com/browserhive/browserhive/internal/contract"
)

// wantDialog fails unless the error says that the dialog is open, and returns its tab.
func wantDialog(t *testing.T, err error, kind, message string) (tab string) {
	t.Helper()
	wantCode(t, err, errcode.CodeDialogOpen)
	var coded *contract.Error
	var details struct {
		TabID         string `json:"tab_id"`
		Type, Message string
	}
	if errors.As(err, &coded) {
		if err := json.Unmarshal(coded.Details, &details); err != nil {
			t.Fatal(err)
		}
	}
	if details.Type != kind || details.Message != message {
		t.Errorf("the dialog is %+v, not %s %q", details, kind, message)
	}
	return details.TabID
}

func answerDialog(t *testing.T, page *browser.Page, answer browser.DialogAnswer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	if err := page.AnswerNextDialog(ctx, answer); err != nil {
		t.Fatalf("answering: %v", err)
	}
}

func TestOpenDialogAnswersEveryCall(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, site.URL)
	evaluate(t, page, `void (document.querySelector('h1').onclick = e => { e.target.textContent = String(confirm('sure?')) })`)
	everywhere, err := browser.ParseURLGlob("**")
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	ctx := t.Context()
	err = page.Click(ctx, "h1", browser.ClickOptions{}, soon)
	if tab := wantDialog(t, err, "confirm", "sure?"); tab != "t1" {
		t.Errorf("the dialog is in %s", tab)
	}
	for name, call := range map[string]func() error{
		"click":    func() error { return page.Click(ctx, "h1", browser.ClickOptions{}, soon) },
		"snapshot": func() error { _, err := page.Snapshot(ctx, browser.SnapshotOptions{}); return err },
		"title":    func() error { _, err := page.Title(ctx); return err },
		"evaluate": func() error { _, err := page.Evaluate(ctx, "1"); return err },
		"goto":     func() error { _, err := page.Goto(ctx, site.URL, "load", soon); return err },
		"reload":   func() error { return page.Reload(ctx, "load", soon) },
		"wait":     func() error { return page.WaitForSelector(ctx, "#none", "visible", soon) },
		"wait for the address": func() error {
			_, err := page.WaitForURL(ctx, everywhere, soon)
			return err
		},
	} {
		t.Log(name)
		wantDialog(t, call(), "confirm", "sure?")
	}
	if took := time.Since(began); took > soon/2 {
		t.Errorf("the answers took %v", took)
	}
	answerDialog(t, page, browser.DialogAnswer{Accept: true})
	if got := evaluate(t, page, "document.querySelector('h1').textContent"); got != `"true"` {
		t.Errorf("confirm returned %s", got)
	}
	// A dialog opens under a call that waits for something else.
	_, _ = page.Evaluate(ctx, "void setTimeout(() => { window.asked = prompt('name?', 'Ada') }, 50)") // It may come first.
	wantDialog(t, page.WaitForSelector(ctx, "#none", "visible", soon), "prompt", "name?")
	answerDialog(t, page, browser.DialogAnswer{Accept: true})
	if got := evaluate(t, page, "asked"); got != `"Ada"` {
		t.Errorf("prompt returned %s", got)
	}
}

func TestPreparedAnswers(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, site.URL)
	text := "s3cret 🐝"
	answerDialog(t, page, browser.DialogAnswer{}) // Replaced by the next.
	answerDialog(t, page, browser.DialogAnswer{Accept: true, Text: &text})
	if got := evaluate(t, page, "prompt('?', 'x')"); got != `"`+text+`"` {
		t.Errorf("prompt returned %s", got)
	}
	answerDialog(t, page, browser.DialogAnswer{})
	if got := evaluate(t, page, "confirm('?')"); got != "false" {
		t.Errorf("confirm returned %s", got)
	}
	answerDialog(t, page, browser.DialogAnswer{Accept: true, Text: &text})
	if got := evaluate(t, page, "alert('no prompt')"); got != "null" {
		t.Errorf("alert returned %s", got)
	}
	// Each counted for one dialog.
	_, err := page.Evaluate(t.Context(), "confirm('again?')")
	wantDialog(t, err, "confirm", "again?")
	answerDialog(t, page, browser.DialogAnswer{})
}

func TestDialogTimesOut(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	const limit = 200 * time.Millisecond
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{DialogLimit: limit}))
	open(t, page, site.URL)
	answerDialog(t, page, browser.DialogAnswer{Accept: true})
	evaluate(t, page, "new Promise(resolve => setTimeout(resolve, 300))")                        // The answer is too old now.
	_, _ = page.Evaluate(t.Context(), "void setTimeout(() => { window.answer = confirm('?') })") // The dialog may come first.
	until(t, "the dialog to be dismissed", func() bool {
		answer, err := page.Evaluate(t.Context(), "window.answer ?? null")
		return err == nil && string(answer) == "false"
	})
}

func TestLeavingAPageThatAsks(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, site.URL)
	evaluate(t, page, "void addEventListener('beforeunload', event => event.preventDefault())")
	if err := page.Click(t.Context(), "h1", browser.ClickOptions{}, soon); err != nil {
		t.Fatal(err) // Only a page that was acted on may ask.
	}
	_, err := page.Goto(t.Context(), site.URL+"/popup", "load", soon)
	wantDialog(t, err, "beforeunload", "")
	answerDialog(t, page, browser.DialogAnswer{})
	if got := evaluate(t, page, "location.pathname"); got != `"/"` {
		t.Errorf("the tab left for %s", got)
	}
	wantDialog(t, page.Click(t.Context(), "text=Plain link", browser.ClickOptions{}, soon), "beforeunload", "")
	answerDialog(t, page, browser.DialogAnswer{Accept: true})
	popup, err := browser.ParseURLGlob("**/popup")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := page.WaitForURL(t.Context(), popup, soon); err != nil {
		t.Error(err)
	}
}

func TestDialogHoldsWindowsOfItsProcess(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	b := browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{})
	opener := activePage(t, b)
	open(t, opener, site.URL)
	evaluate(t, opener, "void (window.other = open('/popup'))")
	popup := nextPage(t, b, "t2")
	if err := popup.WaitForLoadState(t.Context(), "load", soon); err != nil {
		t.Fatal(err)
	}
	apart, err := b.NewTab(t.Context(), site.URL, "load", soon)
	if err != nil {
		t.Fatal(err)
	}
	// The opener has its popup ask, so the call that does it waits in the one and the dialog is in the other.
	_, err = opener.Evaluate(t.Context(), "other.confirm('there?')")
	if tab := wantDialog(t, err, "confirm", "there?"); tab != "t2" {
		t.Errorf("the dialog is in %s", tab)
	}
	_, err = opener.Goto(t.Context(), site.URL, "load", soon)
	wantDialog(t, err, "confirm", "there?")
	if got := evaluate(t, apart, "document.title"); got != `"Site"` {
		t.Errorf("the tab of another process is titled %s", got)
	}
	// A tab closes with its dialog, and the opener goes on.
	if err := popup.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantCode(t, popup.AnswerNextDialog(t.Context(), browser.DialogAnswer{}), errcode.CodePageClosed)
	if got := evaluate(t, opener, "1"); got != "1" {
		t.Errorf("the opener answers %s", got)
	}
}

func TestWindowThatAsksAtOnce(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	b := browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{})
	opener := activePage(t, b)
	open(t, opener, site.URL)
	for n, script := range []string{
		"open('about:blank').alert('early')",
		"(w => { w.document.write('<script>alert(`early`)</' + 'script>'); w.document.close() })(open('about:blank'))",
		"void open('/alert')",
	} {
		id := "t" + itoa(n+2)
		_, err := opener.Evaluate(t.Context(), script)
		if err != nil { // Where there is no tab yet that could be named, the dialog was dismissed.
			if tab := wantDialog(t, err, "alert", "early"); tab != id {
				t.Errorf("the dialog of %s is in %s", id, tab)
			}
		}
		popup := nextPage(t, b, id)
		until(t, "the window to go on", func() bool {
			answerDialog(t, popup, browser.DialogAnswer{Accept: true})
			result, err := popup.Evaluate(t.Context(), "document.readyState")
			return err == nil && string(result) == `"complete"`
		})
		if got := evaluate(t, opener, "1+1"); got != "2" {
			t.Errorf("the opener answers %s", got)
		}
	}
}

func TestScriptGoesOnAfterItsDialog(t *testing.T) {
	t.Parallel()
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	ctx, cancel := context.WithCancel(t.Context())
	running := make(chan error, 1)
	go func() {
		_, err := page.Evaluate(ctx, "alert('first'), window.reached = 'the end'")
		running <- err
	}()
	wantDialog(t, <-running, "alert", "first")
	cancel() // Stopping what is stuck must not stop what merely waits for an answer.
	wantCode(t, page.Back(t.Context(), "load", soon), errcode.CodeDialogOpen)
	answerDialog(t, page, browser.DialogAnswer{Accept: true})
	if got := evaluate(t, page, "reached"); got != `"the end"` {
		t.Errorf("the script left %s", got)
	}
}
