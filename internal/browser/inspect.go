package browser

import (
	"context"
	"errors"

	"github.com/mxschmitt/playwright-go"

	"github.com/browserhive/browserhive/internal/outline"
)

// SnapshotOptions say what of a page to read. The zero value reads all of it.
type SnapshotOptions struct {
	// Selector is the element to read; "" means the page.
	Selector string
	// Depth is how many levels below the first to read; 0 means all.
	Depth int
	// Interactive leaves out what cannot be acted on.
	Interactive bool
	// Changes asks for what has changed since the tab's last snapshot with the same other options.
	Changes bool
}

// Snapshot is what a page shows, as YAML.
type Snapshot struct {
	Tree string
	// Changes says that Tree holds only what has changed. It never does when there is nothing to compare with:
	// no such snapshot, or one of an older document.
	Changes bool
}

// seen is a snapshot that the next one is compared with.
type seen struct {
	options  SnapshotOptions
	document int64 // Page.arrivals at that time.
	tree     string
}

// maxSeen bounds the outline in bytes that a tab keeps to compare with. The outline of a page of 20,000
// elements has about a megabyte.
const maxSeen = 4 << 20

// Snapshot returns the accessible tree of the page, or of one element, and its iframes. Elements that can be
// acted on carry a ref, such as [ref=e12], which is valid as a selector until the element is gone or a
// snapshot of the page no longer has it, and never means another element. What a password field holds is
// eight dots. Errors: with a selector, those of every action on an element, but it is not waited for.
func (p *Page) Snapshot(ctx context.Context, o SnapshotOptions) (Snapshot, error) {
	document := p.arrivals.Load()
	tree, err := p.ariaSnapshot(ctx, o)
	if err != nil {
		return Snapshot{}, err
	}
	if o.Interactive {
		tree = outline.Parse(tree).Interactive().String()
	}
	compare := o.Changes
	o.Changes = false
	now := &seen{o, document, tree}
	if len(tree) > maxSeen || p.arrivals.Load() != document { // Who knows which document that was.
		now = nil
	}
	before := p.seen.Swap(now)
	if !compare || before == nil || now == nil || before.options != o || before.document != document {
		return Snapshot{Tree: tree}, nil
	}
	return Snapshot{Tree: outline.Parse(tree).Changes(outline.Parse(before.tree)), Changes: true}, nil
}

func (p *Page) ariaSnapshot(ctx context.Context, o SnapshotOptions) (string, error) {
	var depth *int
	if o.Depth > 0 {
		depth = &o.Depth
	}
	if o.Selector == "" {
		return read(ctx, p, "the snapshot", func(left *float64) (string, error) {
			return p.pw.AriaSnapshot(playwright.PageAriaSnapshotOptions{Mode: playwright.AriaSnapshotModeAi, Depth: depth, Timeout: left})
		})
	}
	e := p.element(o.Selector, "selector")
	return on(ctx, p, e, callLimit, func(l playwright.Locator, left *float64) (string, error) {
		tree, err := l.AriaSnapshot(playwright.LocatorAriaSnapshotOptions{Mode: playwright.AriaSnapshotModeAi, Depth: depth, Timeout: left})
		if err != nil && contextLost(err) {
			return "", errors.Join(elementNotFound(o.Selector, 0), err) // It went with its document.
		}
		return tree, err
	})
}

// Content returns the HTML of the page as it is now, doctype included.
func (p *Page) Content(ctx context.Context) (html string, err error) {
	return read(ctx, p, "the content", func(*float64) (string, error) { return p.pw.Content() })
}
