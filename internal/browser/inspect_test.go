package browser_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
)

func TestSnapshotRefs(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{Stealth: true}))
	open(t, page, site.URL)
	ref := func(line string) string {
		t.Helper()
		snapshot, err := page.Snapshot(t.Context(), browser.SnapshotOptions{})
		if err != nil {
			t.Fatal(err)
		}
		match := regexp.MustCompile(line + `.*\[ref=((?:f\d+)?e\d+)\]`).FindStringSubmatch(snapshot.Tree)
		if match == nil {
			t.Fatalf("no %s in\n%s", line, snapshot.Tree)
		}
		return match[1]
	}
	inner := ref(`button "Inner button"`)
	if !strings.HasPrefix(inner, "f") {
		t.Errorf("the ref %s does not say that it is in an iframe", inner)
	}
	if err := page.Click(t.Context(), "["+"ref="+inner+"]", browser.ClickOptions{}, soon); err != nil {
		t.Error(err)
	}
	ref(`button "Pressed"`)
	name := ref(`textbox "Name"`)
	for _, form := range []string{name, "ref=" + name, "aria-ref=" + name, "@" + name, "[ref=" + name + "]"} {
		if err := page.Fill(t.Context(), form, "Ada "+form, soon); err != nil {
			t.Errorf("%s: %v", form, err)
		}
	}
	// The element goes: its ref must match nothing, at once, though the page has another like it.
	evaluate(t, page, `(() => { const e = document.querySelector('[name=name]'); e.replaceWith(e.cloneNode()) })()`)
	began := time.Now()
	wantCode(t, page.Fill(t.Context(), name, "x", soon), errcode.CodeElementNotFound)
	wantCode(t, page.WaitForSelector(t.Context(), name, "visible", soon), errcode.CodeElementNotFound)
	if err := page.WaitForSelector(t.Context(), name, "detached", soon); err != nil {
		t.Error(err)
	}
	wantCode(t, page.Click(t.Context(), "f99e1", browser.ClickOptions{}, soon), errcode.CodeElementNotFound)
	if took := time.Since(began); took > soon/2 {
		t.Errorf("a ref that is gone took %v", took)
	}
	// A ref from before a navigation means nothing after it.
	send := ref(`button "Send"`)
	open(t, page, site.URL+"/")
	wantCode(t, page.Click(t.Context(), send, browser.ClickOptions{}, soon), errcode.CodeElementNotFound)
	ref(`button "Send"`)
	if err := page.Click(t.Context(), send, browser.ClickOptions{}, soon); err == nil && page.URL() != site.URL+"/form?name=&colour=red" {
		t.Errorf("the old ref acted on another element; now at %s", page.URL())
	}
}
