package browser

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/mxschmitt/playwright-go"
)

// ClickOptions adjust a click. The zero value is one click of the left button on the middle of the
// element.
type ClickOptions struct {
	Button    string   // left, right or middle
	Count     int      // 2 for a double click
	Modifiers []string // Alt, Control, ControlOrMeta, Meta, Shift
	// X and Y are where in the element to click, in CSS pixels from its top left corner; both or none.
	X, Y *float64
}

// Click clicks on an element, once it is visible, at rest, enabled and not covered. Errors: those of
// every action on an element, ELEMENT_NOT_FOUND, ELEMENT_NOT_ACTIONABLE and INVALID_ARGUMENTS.
func (p *Page) Click(ctx context.Context, selector string, o ClickOptions, timeout time.Duration) error {
	return p.onElement(ctx, selector, timeout, func(l playwright.Locator, left *float64) error {
		options := playwright.LocatorClickOptions{Timeout: left}
		if o.Button != "" {
			button := playwright.MouseButton(o.Button)
			options.Button = &button
		}
		if o.Count > 0 {
			options.ClickCount = &o.Count
		}
		for _, name := range o.Modifiers {
			options.Modifiers = append(options.Modifiers, playwright.KeyboardModifier(name))
		}
		if o.X != nil && o.Y != nil {
			options.Position = &playwright.Position{X: *o.X, Y: *o.Y}
		}
		return l.Click(options)
	})
}

// Type presses a key for each character of the text, after whatever the element holds, with a delay
// between them. Errors: those of every action on an element.
func (p *Page) Type(ctx context.Context, selector, text string, delay, timeout time.Duration) error {
	return p.onElement(ctx, selector, timeout, func(l playwright.Locator, left *float64) error {
		pause := float64(delay) / float64(time.Millisecond)
		return l.PressSequentially(text, playwright.LocatorPressSequentiallyOptions{Delay: &pause, Timeout: left})
	})
}

// Fill replaces what a field holds. Errors: those of every action on an element.
func (p *Page) Fill(ctx context.Context, selector, value string, timeout time.Duration) error {
	return p.onElement(ctx, selector, timeout, func(l playwright.Locator, left *float64) error {
		return l.Fill(value, playwright.LocatorFillOptions{Timeout: left})
	})
}

// Press presses a key or a combination such as Control+A, on an element or, for "", wherever the page
// has its focus. Errors: those of every action on an element; INVALID_ARGUMENTS also for a key that
// does not exist; CALL_TIMEOUT when the page does not take the key.
func (p *Page) Press(ctx context.Context, selector, key string, timeout time.Duration) error {
	if selector != "" {
		return p.onElement(ctx, selector, timeout, func(l playwright.Locator, left *float64) error {
			return orUnknownKey(l.Press(key, playwright.LocatorPressOptions{Timeout: left}))
		})
	}
	_, err := act(ctx, p, timeout, func(*float64) (struct{}, error) {
		return struct{}{}, orUnknownKey(p.pw.Keyboard().Press(key))
	})
	if errors.Is(err, errUnanswered) {
		return callTimeout(timeout).Because(err)
	}
	return err
}

// orUnknownKey turns the driver's word for a key that does not exist into INVALID_ARGUMENTS.
func orUnknownKey(err error) error {
	if err == nil {
		return nil
	}
	message, _ := driverMessage(err)
	if !strings.Contains(message, "Unknown key") {
		return err
	}
	return invalidArgument("key", firstLine(message)+"; use a name such as Enter, ArrowDown or a, or a combination such as Control+a", brief(err))
}
