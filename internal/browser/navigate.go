package browser

import (
	"context"
	"errors"
	"time"

	"github.com/mxschmitt/playwright-go"
)

// Goto opens an address and waits until the page has come as far as waitUntil says: commit,
// domcontentloaded, load or networkidle. status is that of the response, nil where there is none, as
// for data:. Errors: URL_BLOCKED before the browser is touched, INVALID_ARGUMENTS for what is no
// absolute URL, NAVIGATION_TIMEOUT, NAVIGATION_FAILED.
func (p *Page) Goto(ctx context.Context, address, waitUntil string, timeout time.Duration) (status *int, err error) {
	if address, err = p.b.mayOpen(ctx, address); err != nil {
		return nil, err
	}
	navigate := func(limit time.Duration) (playwright.Response, error) {
		return p.load(ctx, limit, func(left *float64) (playwright.Response, error) {
			return p.pw.Goto(address, playwright.PageGotoOptions{WaitUntil: waitState(waitUntil), Timeout: left})
		})
	}
	deadline := time.Now().Add(timeout)
	response, err := navigate(timeout)
	if err != nil && superseded(err) {
		// An older navigation, such as one that a script of the old page had begun, arrived in between.
		p.stopLoading(ctx)
		response, err = navigate(time.Until(deadline))
	}
	if err != nil {
		return nil, p.navigated(address, timeout, err)
	}
	return responseStatus(response), p.arrived()
}

// mayOpen answers whether a tool may open the address, before the browser hears of it. It returns the
// address as Chromium reads it.
func (b *Browser) mayOpen(ctx context.Context, address string) (string, error) {
	address, err := checkAddress(address)
	if err != nil {
		return "", err
	}
	if blocks := b.options.BlocksURL; blocks != nil {
		if pattern, hit := blocks(ctx, address); hit {
			return "", blocked(address, pattern)
		}
	}
	return address, nil
}

// Back goes one entry back in the tab's history; with no such entry it does nothing. Errors:
// NAVIGATION_TIMEOUT, NAVIGATION_FAILED.
func (p *Page) Back(ctx context.Context, waitUntil string, timeout time.Duration) error {
	return p.move(ctx, timeout, func(left *float64) (playwright.Response, error) {
		return p.pw.GoBack(playwright.PageGoBackOptions{WaitUntil: waitState(waitUntil), Timeout: left})
	})
}

// Forward goes one entry forward in the tab's history; with no such entry it does nothing. Errors:
// NAVIGATION_TIMEOUT, NAVIGATION_FAILED.
func (p *Page) Forward(ctx context.Context, waitUntil string, timeout time.Duration) error {
	return p.move(ctx, timeout, func(left *float64) (playwright.Response, error) {
		return p.pw.GoForward(playwright.PageGoForwardOptions{WaitUntil: waitState(waitUntil), Timeout: left})
	})
}

// Reload loads the page again. Errors: NAVIGATION_TIMEOUT, NAVIGATION_FAILED.
func (p *Page) Reload(ctx context.Context, waitUntil string, timeout time.Duration) error {
	address := p.pw.URL()
	_, err := p.load(ctx, timeout, func(left *float64) (playwright.Response, error) {
		return p.pw.Reload(playwright.PageReloadOptions{WaitUntil: waitState(waitUntil), Timeout: left})
	})
	if err == nil {
		return p.arrived()
	}
	if address == errorPage {
		address = p.entryAddress(ctx, address) // That of the page that failed before, too.
	}
	return p.navigated(address, timeout, err)
}

// move goes to another entry of the tab's history.
func (p *Page) move(ctx context.Context, timeout time.Duration, call func(left *float64) (playwright.Response, error)) error {
	address := p.pw.URL()
	_, err := p.load(ctx, timeout, call)
	if err == nil {
		return p.arrived()
	}
	if !coded(err) && opensErrorPage(err) {
		address = p.newAddress(ctx, address) // Where it went, not where it began.
	}
	return p.navigated(address, timeout, err)
}

// entryTimeout bounds newAddress: the browser process hears of a document some milliseconds after the driver
// does, which has it from the page's own. Entries may also have the same address.
const (
	entryTimeout  = 500 * time.Millisecond
	entryInterval = 20 * time.Millisecond
)

// newAddress is entryAddress once it is another than the one before, or at the latest after entryTimeout.
func (p *Page) newAddress(ctx context.Context, before string) string {
	ctx, cancel := context.WithTimeout(ctx, entryTimeout)
	defer cancel()
	tick := time.NewTicker(entryInterval)
	defer tick.Stop()
	for {
		if address := p.entryAddress(ctx, before); address != before {
			return address
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return before
		}
	}
}

// load runs a call that loads a document. When it fails, it leaves the tab at rest, so that nothing of
// it arrives in the middle of what comes next.
func (p *Page) load(ctx context.Context, limit time.Duration, call func(left *float64) (playwright.Response, error)) (playwright.Response, error) {
	began := time.Now()
	if open := p.heldBy(ctx); open != nil {
		return nil, dialogOpen(open)
	}
	p.refusal.Store(nil)
	p.left.Store(nil)
	p.unblock(ctx) // A page that is caught in a loop keeps its tab from leaving it.
	arrivals := p.arrivals.Load()
	response, err := await(ctx, p.b, p, limit-time.Since(began), call)
	switch {
	case err == nil:
	case ctx.Err() != nil, errors.Is(err, playwright.ErrTimeout), errors.Is(err, errUnanswered):
		// Given up. Beside a load that is under way, Chromium refuses another to the same address.
		if p.arrivals.Load() == arrivals {
			p.stopLoading(ctx)
		}
	case !coded(err) && opensErrorPage(err):
		p.waitErrorPage(ctx, arrivals)
	}
	return response, err
}

// errorPageTimeout bounds waitErrorPage. The error page comes within milliseconds of the failure.
const errorPageTimeout = 2 * time.Second

// waitErrorPage waits until the error page of a failed navigation is there. Chromium reports the
// failure first, and an error page that comes later would cut off the next navigation. since is the
// number of arrivals when the navigation began.
func (p *Page) waitErrorPage(ctx context.Context, since int64) {
	limit := time.NewTimer(errorPageTimeout)
	defer limit.Stop()
	for {
		moved := p.moved.wait()
		if p.arrivals.Load() != since && p.URL() == errorPage {
			return
		}
		select {
		case <-moved:
		case <-p.closed:
			return
		case <-limit.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// stopLoadingTimeout bounds stopLoading, which comes on top of the time that the call had. The browser answers
// within milliseconds, on a busy host within a second.
const stopLoadingTimeout = 2 * time.Second

func (p *Page) stopLoading(ctx context.Context) {
	session := p.control.Load()
	if session == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLoadingTimeout)
	defer cancel()
	_, _ = await(ctx, p.b, p, stopLoadingTimeout, func(*float64) (any, error) {
		return (*session).Send("Page.stopLoading", nil)
	})
}

// entryAddress is the address of the tab's present history entry, also where the tab shows an error
// page for it; fallback when the browser does not tell.
func (p *Page) entryAddress(ctx context.Context, fallback string) string {
	session := p.control.Load()
	if session == nil {
		return fallback
	}
	answer, err := await(ctx, p.b, p, countTimeout, func(*float64) (any, error) {
		return (*session).Send("Page.getNavigationHistory", nil)
	})
	if err != nil {
		return fallback
	}
	history, _ := answer.(map[string]any)
	entries, _ := history["entries"].([]any)
	current, _ := history["currentIndex"].(float64)
	if i := int(current); i >= 0 && i < len(entries) {
		if entry, _ := entries[i].(map[string]any); entry != nil {
			if address, ok := entry["url"].(string); ok {
				return address
			}
		}
	}
	return fallback
}

// arrived answers URL_BLOCKED when the document that was opened must not be read, also once the tab has
// left it.
func (p *Page) arrived() error {
	if refused := p.left.Load(); refused != nil {
		return refused
	}
	return p.guard()
}

// navigated is the error of a navigation that failed with err.
func (p *Page) navigated(address string, timeout time.Duration, err error) error {
	if coded(err) {
		return err
	}
	if refused := p.refusal.Load(); refused != nil && blockedByClient(err) {
		return refused
	}
	if refused := p.left.Load(); refused != nil {
		return refused // Leaving it cut the navigation off.
	}
	if errors.Is(err, errUnanswered) {
		err = errors.Join(playwright.ErrTimeout, err)
	}
	if netErrorPattern.FindString(err.Error()) == "net::ERR_ABORTED" && p.closes() {
		return p.gone(err) // Closing the tab cut it off.
	}
	return navigationError(address, timeout, err)
}

// closes reports whether the tab is closed, or will be told to be within settleTimeout.
func (p *Page) closes() bool {
	timer := time.NewTimer(settleTimeout)
	defer timer.Stop()
	select {
	case <-p.closed:
		return true
	case <-timer.C:
		return false
	}
}

func waitState(name string) *playwright.WaitUntilState {
	state := playwright.WaitUntilState(name)
	return &state
}

func responseStatus(response playwright.Response) *int {
	if response == nil {
		return nil
	}
	status := response.Status()
	return &status
}
