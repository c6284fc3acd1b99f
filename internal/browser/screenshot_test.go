package browser_test

import (
	"bytes"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
)

func TestScreenshot(t *testing.T) {
	t.Parallel()
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, "data:text/html,<body style='margin:0'><div id=small style='width:50px;height:60px;background:red'></div><div style='width:60px;height:2940px'></div>")
	for name, test := range map[string]struct {
		o             browser.ScreenshotOptions
		width, height int
	}{
		"view":    {browser.ScreenshotOptions{}, 1280, 720},
		"page":    {browser.ScreenshotOptions{FullPage: true}, 1280, 3000},
		"clip":    {browser.ScreenshotOptions{Clip: &browser.Rect{X: 10, Y: 20, Width: 30, Height: 40}}, 30, 40},
		"below":   {browser.ScreenshotOptions{FullPage: true, Clip: &browser.Rect{X: 0, Y: 2900, Width: 30, Height: 500}}, 30, 100},
		"element": {browser.ScreenshotOptions{Selector: "#small"}, 50, 60},
		"jpeg":    {browser.ScreenshotOptions{Format: "jpeg", Quality: 50}, 1280, 720},
		"webp":    {browser.ScreenshotOptions{Format: "webp"}, 1280, 720},
		"fine":    {browser.ScreenshotOptions{Format: "webp", Quality: 100, Selector: "#small"}, 50, 60},
	} {
		picture, err := page.Screenshot(t.Context(), test.o)
		if err != nil || picture.Width != test.width || picture.Height != test.height || picture.Cut {
			t.Errorf("%s: %d × %d, %t, %v", name, picture.Width, picture.Height, picture.Cut, err)
			continue
		}
		switch test.o.Format {
		case "jpeg":
			_, err = jpeg.Decode(bytes.NewReader(picture.Data))
		case "webp":
			if string(picture.Data[8:12]) != "WEBP" {
				t.Errorf("%s: %q", name, picture.Data[:12])
			}
		default:
			_, err = png.Decode(bytes.NewReader(picture.Data))
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	picture, err := page.Screenshot(t.Context(), browser.ScreenshotOptions{OmitBackground: true})
	if err != nil {
		t.Fatal(err)
	}
	if decoded, err := png.Decode(bytes.NewReader(picture.Data)); err != nil {
		t.Error(err)
	} else if _, _, _, alpha := decoded.At(200, 1).RGBA(); alpha != 0 {
		t.Error("the background is painted")
	}
	for name, o := range map[string]browser.ScreenshotOptions{
		"clip outside":        {Clip: &browser.Rect{X: 9000, Y: 0, Width: 10, Height: 10}},
		"quality of png":      {Quality: 50},
		"element and page":    {Selector: "#small", FullPage: true},
		"element and clip":    {Selector: "#small", Clip: &browser.Rect{Width: 1, Height: 1}},
		"selector of no kind": {Selector: "#small >>> ["},
	} {
		if _, err = page.Screenshot(t.Context(), o); err == nil {
			t.Errorf("%s was taken", name)
			continue
		}
		wantCode(t, err, errcode.CodeInvalidArguments)
	}
}

// A model refuses a picture that is too large, so none is.
func TestScreenshotBound(t *testing.T) {
	t.Parallel()
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, "data:text/html,<body style='margin:0'><div id=long style='width:100px;height:20000px'></div>")
	for _, format := range []string{"png", "webp"} {
		picture, err := page.Screenshot(t.Context(), browser.ScreenshotOptions{FullPage: true, Format: format})
		if err != nil || !picture.Cut || picture.Height != browser.MaxSide || picture.Width != 1280 {
			t.Errorf("%s: %d × %d, %t, %v", format, picture.Width, picture.Height, picture.Cut, err)
		}
	}
	// The rest is a clip of the page.
	picture, err := page.Screenshot(t.Context(), browser.ScreenshotOptions{FullPage: true, Clip: &browser.Rect{Y: 16000, Width: 1280, Height: 8000}})
	if err != nil || picture.Cut || picture.Height != 4000 {
		t.Errorf("%d × %d, %t, %v", picture.Width, picture.Height, picture.Cut, err)
	}
	_, err = page.Screenshot(t.Context(), browser.ScreenshotOptions{Selector: "#long"})
	wantCode(t, err, errcode.CodeInvalidArguments)
}
