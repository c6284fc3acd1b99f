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
	address, err = checkAddress(address)
	if err != nil {
		return nil, err
	}
	if allow := p.b.options.AllowURL; allow != nil {
		if refused := allow(address); refused != nil {
			return nil, refused
		}
	}
	navigate := func(limit time.Duration) (playwright.Response, error) {
		return await(ctx, p.b, p, limit, func(left *float64) (playwright.Response, error) {
			return p.pw.Goto(address, playwright.PageGotoOptions{WaitUntil: waitState(waitUntil), Timeout: left})
		})
	}
	deadline := time.Now().Add(timeout)
	response, err := navigate(timeout)
	if err != nil && superseded(err) {
		// The end of an older navigation, such as one that a script of the old page had begun, came in
		// between. Nothing is left of it once the tab is quiet.
		p.settle(ctx)
		response, err = navigate(time.Until(deadline))
	}
	if err != nil {
		return nil, p.navigated(ctx, address, timeout, err)
	}
	return responseStatus(response), p.guard()
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
	return p.move(ctx, timeout, func(left *float64) (playwright.Response, error) {
		return p.pw.Reload(playwright.PageReloadOptions{WaitUntil: waitState(waitUntil), Timeout: left})
	})
}

func (p *Page) move(ctx context.Context, timeout time.Duration, call func(left *float64) (playwright.Response, error)) error {
	address := p.URL()
	if _, err := await(ctx, p.b, p, timeout, call); err != nil {
		if !coded(err) && opensErrorPage(err) {
			p.settle(ctx)
			address = p.entryAddress(ctx, address) // Where it went, not where it began.
		}
		return p.navigated(ctx, address, timeout, err)
	}
	return p.guard()
}

// entryAddress is the address of the tab's present history entry, also where the tab shows an error
// page for it; fallback when the browser does not tell.
func (p *Page) entryAddress(ctx context.Context, fallback string) string {
	session := p.control.Load()
	if session == nil {
		return fallback
	}
	answer, err := await(ctx, p.b, p, countWait, func(*float64) (any, error) {
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

// navigated is the error of a navigation that failed with err. It returns when the error page is there:
// Chromium opens it a moment after it reports the failure, and would cut off whatever comes next.
func (p *Page) navigated(ctx context.Context, address string, timeout time.Duration, err error) error {
	if coded(err) {
		return err
	}
	if errors.Is(err, errUnanswered) {
		err = errors.Join(playwright.ErrTimeout, err)
	}
	if opensErrorPage(err) {
		p.settle(ctx)
	}
	return navigationError(address, timeout, err)
}

const (
	// quiet is how long no document may arrive for a tab to count as settled; one that is on its way
	// takes a few milliseconds.
	quiet = 100 * time.Millisecond
	// settleLimit bounds settle on a page that keeps navigating.
	settleLimit = time.Second
)

// settle waits until documents that are on their way to the tab have arrived.
func (p *Page) settle(ctx context.Context) {
	limit := time.NewTimer(settleLimit)
	defer limit.Stop()
	for {
		calm := time.NewTimer(quiet)
		select {
		case <-p.arrived:
			calm.Stop()
		case <-calm.C:
			return
		case <-limit.C:
			calm.Stop()
			return
		case <-ctx.Done():
			calm.Stop()
			return
		}
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
