package browser

import (
	"context"
	"errors"
	"time"

	"github.com/mxschmitt/playwright-go"
)

// supersededTries is how often Goto starts again when the end of an older navigation cut it off. There
// is one such end, the error page of a failed navigation, and a page may add one by a script.
const supersededTries = 3

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
	deadline := time.Now().Add(timeout)
	for try := 1; ; try++ {
		response, err := await(ctx, p.b, p, time.Until(deadline), func(left *float64) (playwright.Response, error) {
			return p.pw.Goto(address, playwright.PageGotoOptions{WaitUntil: waitState(waitUntil), Timeout: left})
		})
		if err == nil {
			return responseStatus(response), p.guard()
		}
		if superseded(err) && try < supersededTries && time.Now().Before(deadline) {
			continue
		}
		return nil, p.navigated(address, timeout, err)
	}
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
		return p.navigated(address, timeout, err)
	}
	return p.guard()
}

// navigated is the error of a navigation that failed with err.
func (p *Page) navigated(address string, timeout time.Duration, err error) error {
	if coded(err) {
		return err
	}
	if errors.Is(err, errUnanswered) {
		err = errors.Join(playwright.ErrTimeout, err)
	}
	return navigationError(address, timeout, err)
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
