package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
)

// open adds a tab, or returns it when it is there already. Tabs are numbered in the order in which they
// open, and a number is never used again. A window that a page opens does not become the active tab: the
// agent's next call should act where its last one did.
func (b *Browser) open(pw playwright.Page) *Page {
	opener, _ := pw.Opener() // It knows without asking, and does not fail.
	b.mu.Lock()
	if known := b.tab(pw); known != nil {
		b.mu.Unlock()
		return known
	}
	b.lastTab++
	p := &Page{
		b: b, pw: pw, id: fmt.Sprintf("t%d", b.lastTab), opener: b.tab(opener),
		closed: make(chan struct{}), controlled: make(chan struct{}),
	}
	b.pages = append(b.pages, p)
	if b.active == nil {
		b.active = p
	}
	b.mu.Unlock()

	pw.OnClose(func(playwright.Page) { b.shut(p) })
	pw.OnCrash(func(playwright.Page) { p.onCrash() })
	pw.OnDOMContentLoaded(func(playwright.Page) { p.parsed.fire() })
	pw.OnFrameNavigated(func(frame playwright.Frame) { p.onNavigated(frame) })
	pw.OnDownload(p.onDownload)
	p.openControl()
	if p.arrivals.Load() == 0 { // A window that a page opened has been somewhere before we listened.
		p.visit(pw.URL())
	}
	// It may have closed before we listened. The library guards this list and not what IsClosed reads.
	if !slices.Contains(b.pw.Pages(), pw) {
		b.shut(p)
	}
	return p
}

// tab returns the open tab of the driver's page, or nil. Browser.mu is held.
func (b *Browser) tab(pw playwright.Page) *Page {
	for _, p := range b.pages {
		if p.pw == pw {
			return p
		}
	}
	return nil
}

// shut removes a tab that closed. If it was the active one, another becomes active.
func (b *Browser) shut(p *Page) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.pages, p)
	if i < 0 {
		return
	}
	b.pages = slices.Delete(b.pages, i, i+1)
	if b.active == p {
		b.active = b.successor(p)
	}
	if p.dialog != nil {
		p.dialog.forget()
	}
	close(p.closed)
}

// successor is the tab that becomes active after the active one has closed: its opener if that is open,
// else the one that a call used last, else the newest; nil when none is left. Browser.mu is held.
func (b *Browser) successor(p *Page) *Page {
	var best *Page
	for _, other := range b.pages {
		if other == p.opener {
			return other
		}
		if best == nil || other.used >= best.used {
			best = other
		}
	}
	return best
}

// Page returns the tab with the id, or the active tab for "", for a call to use. Errors: TAB_NOT_FOUND,
// with the tab id "<active>" when none is open; BROWSER_CRASHED when the browser is gone.
func (b *Browser) Page(tabID string) (*Page, error) {
	if err := b.Err(); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.active
	if tabID != "" {
		i := slices.IndexFunc(b.pages, func(p *Page) bool { return p.id == tabID })
		if i < 0 {
			return nil, tabNotFound(b.options.SessionID, tabID)
		}
		p = b.pages[i]
	}
	if p == nil {
		return nil, tabNotFound(b.options.SessionID, noTab)
	}
	b.use(p)
	return p, nil
}

// use notes that a call uses the tab. Browser.mu is held.
func (b *Browser) use(p *Page) {
	b.uses++
	p.used = b.uses
}

// Pages returns the open tabs in the order in which they opened.
func (b *Browser) Pages() []*Page {
	pages, _ := b.Tabs()
	return pages
}

// Tabs returns the open tabs in the order in which they opened, and the active one, nil when none is open.
func (b *Browser) Tabs() (pages []*Page, active *Page) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.pages), b.active
}

// NewTab opens a tab, makes it the active one and opens the address there, as Goto does, unless it is "".
// When that fails it closes the tab again, except for DIALOG_OPEN: the page is there and waits for an
// answer. Errors: those of Goto, CALL_TIMEOUT when no tab opens.
func (b *Browser) NewTab(ctx context.Context, address, waitUntil string, timeout time.Duration) (*Page, error) {
	if err := b.Err(); err != nil {
		return nil, err
	}
	if address != "" {
		if _, err := b.mayOpen(ctx, address); err != nil {
			return nil, err
		}
	}
	opening, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	p, err := await(opening, b, nil, timeout, func(*float64) (*Page, error) {
		pw, err := b.pw.NewPage()
		if err != nil {
			return nil, err
		}
		if opening.Err() != nil { // Nobody waits for it any more.
			_ = pw.Close()
			return nil, opening.Err()
		}
		return b.open(pw), nil
	})
	switch {
	case errors.Is(err, errUnanswered):
		return nil, callTimeout(timeout).Because(err)
	case err != nil && !coded(err) && targetGone(err):
		return nil, crashed(b.options.SessionID, err)
	case err != nil:
		return nil, err
	}
	b.activate(p)
	if address == "" {
		return p, nil
	}
	if _, err := p.Goto(ctx, address, waitUntil, timeout); err != nil {
		if contract.CodeOf(err) != errcode.CodeDialogOpen {
			_ = p.Close(context.WithoutCancel(ctx))
		}
		return nil, err
	}
	return p, nil
}

// Switch makes a tab the active one and shows it to a person in front of the window. Errors: those of Page.
func (b *Browser) Switch(ctx context.Context, tabID string) (*Page, error) {
	p, err := b.Page(tabID)
	if err != nil {
		return nil, err
	}
	b.activate(p)
	// What calls act on is decided; a page that a dialog keeps need not be seen.
	_, _ = await(ctx, b, p, stuckTimeout, func(*float64) (struct{}, error) { return struct{}{}, p.pw.BringToFront() })
	return p, nil
}

func (b *Browser) activate(p *Page) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if slices.Contains(b.pages, p) { // It may have closed already.
		b.active = p
		b.use(p)
	}
}

// closeTabTimeout bounds the close of a tab. The browser takes milliseconds, also when the page is stuck.
const closeTabTimeout = 5 * time.Second

// Close closes the tab without asking its page, also while a dialog is open. Closing again is no error.
// Errors: CALL_TIMEOUT, CALL_CANCELLED and BROWSER_CRASHED.
func (p *Page) Close(ctx context.Context) error {
	_, err := await(ctx, p.b, nil, closeTabTimeout, func(*float64) (struct{}, error) { return struct{}{}, p.pw.Close() })
	switch {
	case errors.Is(err, errUnanswered):
		return callTimeout(closeTabTimeout).Because(err)
	case err != nil && coded(err):
		return err
	case err != nil && !targetGone(err):
		return fmt.Errorf("closing a tab: %w", err)
	case err != nil && p.b.Err() != nil:
		return p.b.Err()
	}
	p.b.shut(p) // The event may still be on its way.
	return nil
}
