package browser

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mxschmitt/playwright-go"

	"github.com/browserhive/browserhive/internal/secret"
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
		err := l.Locator(clickable).Click(options)
		if err != nil {
			p.release(o.Modifiers)
		}
		return err
	})
}

// release lets go of keys that a failed action may have left pressed, and that everything after it would
// be typed with.
func (p *Page) release(keys []string) {
	for _, key := range keys {
		_ = p.pw.Keyboard().Up(key)
	}
}

// keyed is how many characters of a text are typed key by key when no delay is asked for. A key takes one
// to five milliseconds, and a page that looks at single keys has seen enough of them by then.
const keyed = 1000

// Type presses a key for each character of the text, after whatever the element holds, with a delay
// between them. Without a delay, what follows the first thousand characters is entered in one step.
// Errors: those of every action on an element.
func (p *Page) Type(ctx context.Context, selector, text string, delay, timeout time.Duration) error {
	return p.onElement(ctx, selector, timeout, func(l playwright.Locator, left *float64) error {
		left, err := p.tellSecret(ctx, l, text, left)
		if err != nil {
			return err
		}
		rest := ""
		if runes := []rune(text); delay == 0 && len(runes) > keyed {
			text, rest = string(runes[:keyed]), string(runes[keyed:])
		}
		pause := float64(delay) / float64(time.Millisecond)
		err = l.PressSequentially(text, playwright.LocatorPressSequentiallyOptions{Delay: &pause, Timeout: left})
		if err != nil || rest == "" {
			return err
		}
		return p.pw.Keyboard().InsertText(rest)
	})
}

// Fill replaces what a field holds. Errors: those of every action on an element; INVALID_ARGUMENTS also
// for a value that a field of its type, such as a date or a number, does not take.
func (p *Page) Fill(ctx context.Context, selector, value string, timeout time.Duration) error {
	return p.onElement(ctx, selector, timeout, func(l playwright.Locator, left *float64) error {
		left, err := p.tellSecret(ctx, l, value, left)
		if err != nil {
			return err
		}
		return orMalformed(l.Fill(value, playwright.LocatorFillOptions{Timeout: left}))
	})
}

// orMalformed turns the driver's words for a value that a field does not take into INVALID_ARGUMENTS.
func orMalformed(err error) error {
	if err == nil {
		return nil
	}
	message, _ := driverMessage(err)
	if !strings.Contains(message, "Malformed value") && !strings.Contains(message, "Cannot type text into input[type=number]") {
		return err
	}
	return invalidArgument("value", "a field of this type does not take it: write a date as 2026-01-31, a time as 13:45, both as "+
		"2026-01-31T13:45, a month as 2026-01, a week as 2026-W05, a colour as #ff8800, a number within the field's range and steps", brief(err))
}

// Press presses a key or a combination such as Control+A, on an element or, for "", wherever the page
// has its focus. Errors: those of every action on an element; INVALID_ARGUMENTS also for a key that
// does not exist; CALL_TIMEOUT when the page does not take the key.
func (p *Page) Press(ctx context.Context, selector, key string, timeout time.Duration) error {
	if !KeyText(key) {
		secret.Shown(ctx) // It enters nothing.
	}
	if selector != "" {
		return p.onElement(ctx, selector, timeout, func(l playwright.Locator, left *float64) error {
			if KeyText(key) {
				var err error
				if left, err = p.tellSecret(ctx, l, key, left); err != nil {
					return err
				}
			}
			return p.pressed(key, l.Press(key, playwright.LocatorPressOptions{Timeout: left}))
		})
	}
	_, err := act(ctx, p, timeout, func(*float64) (struct{}, error) {
		if KeyText(key) {
			p.tellFocus(ctx)
		}
		return struct{}{}, p.pressed(key, p.pw.Keyboard().Press(key))
	})
	if errors.Is(err, errUnanswered) {
		return callTimeout(timeout).Because(err)
	}
	return err
}

// pressed ends the press of a key: after a failure it lets go of what was pressed, and it turns the
// driver's word for a key that does not exist into INVALID_ARGUMENTS.
func (p *Page) pressed(key string, err error) error {
	if err == nil {
		return nil
	}
	p.release(strings.Split(key, "+"))
	message, _ := driverMessage(err)
	if !strings.Contains(message, "Unknown key") {
		return err
	}
	return invalidArgument("key", firstLine(message)+"; use a name such as Enter, ArrowDown or a, or a combination such as Control+a", brief(err))
}

// hidesInput says whether a field, or the one of a label, is for a password or shows dots for its text.
const hidesInput = `node => {
  const field = node.control ?? node;
  return field.type === 'password' || (field.getAttribute('autocomplete') ?? '').toLowerCase().includes('-password') ||
    !['', 'none'].includes(getComputedStyle(field).webkitTextSecurity ?? '');
}`

// focusHides says whether the field that has the focus hides its text, as far as a script can look: within a
// frame of another site or a closed shadow root it cannot, and says yes.
const focusHides = `() => {
  let node = document.activeElement;
  for (;;) {
    const inside = node?.shadowRoot ? node.shadowRoot.activeElement : node?.localName === 'iframe' ? node.contentDocument?.activeElement : undefined;
    if (inside === undefined) break;
    if (!inside) return node.localName === 'iframe';
    node = inside;
  }
  if (!node) return false;
  return node.localName === 'iframe' || (node.localName.includes('-') && !node.shadowRoot) || (` + hidesInput + `)(node);
}`

// KeyText reports whether a key enters a character, and is no command such as Enter or Control+a.
func KeyText(key string) bool {
	return utf8.RuneCountInString(strings.TrimPrefix(key, "Shift+")) == 1
}

// tellFocus notes whether the field that has the focus shows what is typed. Where nobody can tell, it does
// not.
func (p *Page) tellFocus(ctx context.Context) {
	if p.b.options.OnSecret == nil {
		return
	}
	if hides, err := p.pw.Evaluate(focusHides); err == nil && hides == false {
		secret.Shown(ctx)
	}
}

// tellSecret tells of a text that is about to be entered into a field that hides it, and notes one that the
// field shows. It returns the time that is left then.
func (p *Page) tellSecret(ctx context.Context, l playwright.Locator, text string, left *float64) (*float64, error) {
	if p.b.options.OnSecret == nil || text == "" {
		return left, nil
	}
	began := time.Now()
	hides, err := l.Evaluate(hidesInput, nil, playwright.LocatorEvaluateOptions{Timeout: left})
	if err != nil {
		return nil, err
	}
	if hides == true {
		p.b.options.OnSecret(text)
	} else {
		secret.Shown(ctx)
	}
	return remaining(began.Add(time.Duration(*left*float64(time.Millisecond))), left), nil
}
