package browser

import (
	"context"

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
