package browser

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/outline"
)

// countTimeout bounds the look at how many elements a selector matches after an action on it failed. The
// action's own time is over by then, so this is short.
const countTimeout = 2 * time.Second

// unresponsive is why an element cannot be acted on whose page does not answer.
const unresponsive = "the page does not respond"

// element is what a call means by a selector. argument names, in an error, where the selector was given.
type element struct {
	playwright.Locator
	selector, argument string
	isRef              bool
}

func (p *Page) element(selector, argument string) element {
	resolved, isRef := outline.Selector(selector)
	return element{p.pw.Locator(resolved), selector, argument, isRef}
}

// onElement runs an action on the one element that the selector matches. Errors: ELEMENT_NOT_FOUND
// with the number of matches when that is not one, ELEMENT_NOT_ACTIONABLE with what stood in the way,
// INVALID_ARGUMENTS for a selector that does not parse.
func (p *Page) onElement(ctx context.Context, selector string, timeout time.Duration, action func(l playwright.Locator, left *float64) error) error {
	_, err := on(ctx, p, p.element(selector, "selector"), timeout, func(l playwright.Locator, left *float64) (struct{}, error) {
		return struct{}{}, action(l, left)
	})
	return err
}

// on is onElement for an action with a result.
func on[T any](ctx context.Context, p *Page, e element, timeout time.Duration, action func(l playwright.Locator, left *float64) (T, error)) (T, error) {
	var none T
	if e.isRef {
		// An element that is gone never comes back under its ref, so waiting for it makes no sense.
		if count, err := p.countOf(ctx, e.Locator, e.argument); errors.Is(err, errUnanswered) {
			return none, notActionable(e.selector, unresponsive, err)
		} else if err != nil {
			return none, err
		} else if count == 0 {
			return none, elementNotFound(e.selector, 0)
		}
	}
	value, err := act(ctx, p, timeout, func(left *float64) (T, error) { return action(e.Locator, left) })
	return value, p.acted(ctx, e, err)
}

// acted is the error of an action on an element that ended with err.
func (p *Page) acted(ctx context.Context, e element, err error) error {
	if err == nil || coded(err) {
		return err
	}
	// ctx may end with the timeout; this is still a part of the answer.
	count, countErr := p.countOf(context.WithoutCancel(ctx), e.Locator, e.argument)
	switch {
	case errors.Is(countErr, errUnanswered):
		return notActionable(e.selector, unresponsive, err)
	case countErr != nil:
		return countErr
	case count != 1:
		return elementNotFound(e.selector, count).Because(brief(err))
	}
	detail := obstacle(err)
	if detail == "" {
		detail = "the page did not finish in time"
	}
	return notActionable(e.selector, detail, err)
}

// count returns how many elements match. A selector that does not parse is INVALID_ARGUMENTS.
func (p *Page) count(ctx context.Context, locator playwright.Locator) (int, error) {
	return p.countOf(ctx, locator, "selector")
}

func (p *Page) countOf(ctx context.Context, locator playwright.Locator, argument string) (int, error) {
	count, err := act(ctx, p, countTimeout, func(*float64) (int, error) { return locator.Count() })
	if err == nil || coded(err) || errors.Is(err, errUnanswered) {
		return count, err
	}
	message, _ := driverMessage(err)
	switch {
	case strings.Contains(message, "Invalid frame in aria-ref"), contextLost(err):
		return 0, nil // The frame is gone, and with it whatever matched in it.
	}
	return 0, invalidArgument(argument, selectorFault(message), brief(err))
}

// selectorFault is what is wrong with a selector, without the driver's name for the kind of error.
func selectorFault(message string) string {
	fault := firstLine(message)
	for _, prefix := range []string{"Error: ", "SyntaxError: ", "InvalidSelectorError: "} {
		fault = strings.TrimPrefix(fault, prefix)
	}
	return fault
}

// coded reports whether the error already carries a code of the contract.
func coded(err error) bool { return contract.CodeOf(err) != "" }
