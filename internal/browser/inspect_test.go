package browser_test

import (
	"bytes"
	"image/png"
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
		tree, err := page.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		match := regexp.MustCompile(line + `.*\[ref=((?:f\d+)?e\d+)\]`).FindStringSubmatch(tree)
		if match == nil {
			t.Fatalf("no %s in\n%s", line, tree)
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

func TestScreenshot(t *testing.T) {
	t.Parallel()
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, "data:text/html,<body style='margin:0'><div style='width:50px;height:3000px'></div>")
	for _, test := range []struct {
		o             browser.ScreenshotOptions
		width, height int
	}{
		{browser.ScreenshotOptions{}, 1280, 720},
		{browser.ScreenshotOptions{FullPage: true}, 1280, 3000},
		{browser.ScreenshotOptions{Clip: &browser.Rect{X: 10, Y: 20, Width: 30, Height: 40}}, 30, 40},
	} {
		image, width, height, err := page.Screenshot(t.Context(), test.o)
		if err != nil {
			t.Errorf("%+v: %v", test.o, err)
			continue
		}
		decoded, err := png.DecodeConfig(bytes.NewReader(image))
		if err != nil || width != test.width || height != test.height || decoded.Width != width || decoded.Height != height {
			t.Errorf("%+v: %d × %d, decoded %+v, %v", test.o, width, height, decoded, err)
		}
	}
	image, _, _, err := page.Screenshot(t.Context(), browser.ScreenshotOptions{OmitBackground: true})
	if err != nil {
		t.Fatal(err)
	}
	if decoded, err := png.Decode(bytes.NewReader(image)); err != nil {
		t.Error(err)
	} else if _, _, _, alpha := decoded.At(1, 1).RGBA(); alpha != 0 {
		t.Error("the background is painted")
	}
	_, _, _, err = page.Screenshot(t.Context(), browser.ScreenshotOptions{Clip: &browser.Rect{X: 9000, Y: 0, Width: 10, Height: 10}})
	wantCode(t, err, errcode.CodeInvalidArguments)
}
