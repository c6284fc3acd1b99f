package browser

import (
	"bytes"
	"context"
	"image/png"
	"strings"

	"github.com/mxschmitt/playwright-go"
)

// Snapshot returns the accessible tree of the page and its iframes as YAML. Elements that can be acted
// on carry a ref, such as [ref=e12], which is valid as a selector until the next snapshot or until the
// element is gone.
func (p *Page) Snapshot(ctx context.Context) (tree string, err error) {
	return read(ctx, p, "the snapshot", func(left *float64) (string, error) {
		return p.pw.AriaSnapshot(playwright.PageAriaSnapshotOptions{Mode: playwright.AriaSnapshotModeAi, Timeout: left})
	})
}

// Content returns the HTML of the page as it is now, doctype included.
func (p *Page) Content(ctx context.Context) (html string, err error) {
	return read(ctx, p, "the content", func(*float64) (string, error) { return p.pw.Content() })
}

// Rect is an area of the page in CSS pixels.
type Rect struct{ X, Y, Width, Height float64 }

// ScreenshotOptions adjust a screenshot. The zero value is the visible part of the page.
type ScreenshotOptions struct {
	FullPage       bool
	OmitBackground bool // Leaves transparent what the page does not paint.
	Clip           *Rect
}

// Screenshot returns a PNG image and its size in pixels. Errors: INVALID_ARGUMENTS when the clip lies
// outside of the page.
func (p *Page) Screenshot(ctx context.Context, o ScreenshotOptions) (image []byte, width, height int, err error) {
	image, err = read(ctx, p, "the screenshot", func(left *float64) ([]byte, error) {
		options := playwright.PageScreenshotOptions{
			FullPage: &o.FullPage, OmitBackground: &o.OmitBackground, Timeout: left,
		}
		if o.Clip != nil {
			options.Clip = &playwright.Rect{X: o.Clip.X, Y: o.Clip.Y, Width: o.Clip.Width, Height: o.Clip.Height}
		}
		image, err := p.pw.Screenshot(options)
		if err != nil && strings.Contains(err.Error(), "Clipped area is either empty or outside") {
			return nil, invalidArgument("clip", "the area is empty or lies outside of the page", brief(err))
		}
		return image, err
	})
	if err != nil {
		return nil, 0, 0, err
	}
	config, err := png.DecodeConfig(bytes.NewReader(image))
	return image, config.Width, config.Height, err
}
