package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/browserhive/browserhive/internal/browser/install"
	"github.com/browserhive/browserhive/internal/outline"
)

// WaitForSelector waits until the one element that the selector matches is attached, visible, hidden
// or detached; an element that does not exist is hidden and detached. Errors: WAIT_TIMEOUT;
// ELEMENT_NOT_FOUND when several match, or for the ref of an element that is gone; INVALID_ARGUMENTS
// for a selector that does not parse.
func (p *Page) WaitForSelector(ctx context.Context, selector, state string, timeout time.Duration) error {
	resolved, isRef := outline.Selector(selector)
	locator := p.pw.Locator(resolved)
	if isRef {
		count, err := p.count(ctx, locator)
		switch {
		case errors.Is(err, errUnanswered):
			return waitTimeout(fmt.Sprintf("%s to be %s", selector, state), timeout, err)
		case err != nil:
			return err
		case count == 0 && (state == "hidden" || state == "detached"):
			return nil
		case count == 0:
			return elementNotFound(selector, 0)
		}
	}
	_, err := act(ctx, p, timeout, func(left *float64) (struct{}, error) {
		wanted := playwright.WaitForSelectorState(state)
		return struct{}{}, locator.WaitFor(playwright.LocatorWaitForOptions{State: &wanted, Timeout: left})
	})
	switch {
	case err == nil || coded(err):
		return err
	case errors.Is(err, playwright.ErrTimeout), errors.Is(err, errUnanswered):
		return waitTimeout(fmt.Sprintf("%s to be %s", selector, state), timeout, err)
	}
	count, countErr := p.count(context.WithoutCancel(ctx), locator)
	if countErr != nil && !errors.Is(countErr, errUnanswered) {
		return countErr
	}
	if count > 1 {
		return elementNotFound(selector, count).Because(brief(err))
	}
	return waitTimeout(fmt.Sprintf("%s to be %s", selector, state), timeout, err)
}

// WaitForURL waits until the address of the page matches and returns it. Addresses that a page takes
// without loading a document count, too. Errors: WAIT_TIMEOUT.
func (p *Page) WaitForURL(ctx context.Context, pattern URLPattern, timeout time.Duration) (address string, err error) {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	address, err = act(ctx, p, timeout, func(left *float64) (string, error) {
		limit := time.NewTimer(time.Duration(*left * float64(time.Millisecond)))
		defer limit.Stop()
		for {
			moved := p.moved.wait()
			if address := p.pw.URL(); pattern.Match(address) {
				return shownAddress(address), nil
			}
			select {
			case <-moved:
			case <-limit.C:
				return "", playwright.ErrTimeout
			case <-waiting.Done(): // Nobody waits for the answer any more.
				return "", waiting.Err()
			}
		}
	})
	if err == nil || coded(err) {
		return address, err
	}
	return "", waitTimeout("the address to match "+pattern.String(), timeout, err)
}

// WaitForLoadState waits until the page has come as far as load, domcontentloaded or networkidle.
// Errors: WAIT_TIMEOUT.
func (p *Page) WaitForLoadState(ctx context.Context, state string, timeout time.Duration) error {
	_, err := act(ctx, p, timeout, func(left *float64) (struct{}, error) {
		_, err := p.pw.MainFrame().WaitForSelector(install.LoadStateSelector+state, playwright.FrameWaitForSelectorOptions{Timeout: left}) //nolint:staticcheck // the one wait that is not strict
		return struct{}{}, err
	})
	if err == nil || coded(err) {
		return err
	}
	return waitTimeout("the page to reach "+state, timeout, err)
}
