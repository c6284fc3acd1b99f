package browser

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/mxschmitt/playwright-go"
)

// Hover moves the mouse onto an element, once it is visible, at rest and not covered, and leaves it
// there. Errors: those of every action on an element.
func (p *Page) Hover(ctx context.Context, selector string, timeout time.Duration) error {
	return p.onElement(ctx, selector, timeout, func(l playwright.Locator, left *float64) error {
		return l.Hover(playwright.LocatorHoverOptions{Timeout: left})
	})
}

// optionKinds says of each wanted text whether it is the value of an option; it is taken as a label
// otherwise. Playwright alone would take the first option that has it as either, and a disabled one too.
const optionKinds = `(node, wanted) => {
  const options = [...((node.localName === 'select' ? node : node.control)?.options ?? [])];
  const plain = text => text.trim().replace(/\s+/g, ' ');
  return wanted.map(text => {
    const byValue = options.find(option => option.value === text);
    const option = byValue ?? options.find(option => plain(option.label) === plain(text));
    return option?.matches(':disabled') ? 'disabled' : byValue ? 'value' : 'label';
  });
}`

// SelectOptions chooses the options of a select element that have one of the texts as their value or,
// where none has it, as their label, and returns the values of those that are chosen then. A select
// element for one choice takes the first of them. It waits for options that are not there yet. Errors:
// those of every action on an element.
func (p *Page) SelectOptions(ctx context.Context, selector string, wanted []string, timeout time.Duration) (chosen []string, err error) {
	return on(ctx, p, p.element(selector, "selector"), timeout, func(l playwright.Locator, left *float64) ([]string, error) {
		deadline := time.Now().Add(time.Duration(*left * float64(time.Millisecond)))
		answer, err := l.Evaluate(optionKinds, wanted, playwright.LocatorEvaluateOptions{Timeout: left})
		if err != nil {
			return nil, err
		}
		kinds, _ := answer.([]any)
		var values, others []string
		for i, text := range wanted {
			switch {
			case i < len(kinds) && kinds[i] == "disabled":
				return nil, notActionable(selector, fmt.Sprintf("the option %q is disabled", text), nil)
			case i < len(kinds) && kinds[i] == "value":
				values = append(values, text)
			default:
				others = append(others, text)
			}
		}
		chosen, err := l.SelectOption(playwright.SelectOptionValues{Values: &values, ValuesOrLabels: &others},
			playwright.LocatorSelectOptionOptions{Timeout: remaining(deadline, left)})
		for i := range chosen {
			chosen[i] = shownText(chosen[i])
		}
		return chosen, err
	})
}

// dragSteps is how many moves bring the mouse from one element to the other: pages that follow the
// pointer look for a distance, and for an element passed on the way.
const dragSteps = 10

// Drag drags one element onto another and drops it there, for pages that use the drag events of HTML
// as for those that follow the pointer. When it fails in the middle, the button is released again.
// Errors: those of every action on an element, of either.
func (p *Page) Drag(ctx context.Context, source, target string, timeout time.Duration) error {
	deadline := time.Now().Add(timeout)
	from, to := p.element(source, "source_selector"), p.element(target, "target_selector")
	// First of all, so that the button is not held down while the target is awaited.
	_, err := on(ctx, p, to, timeout, func(l playwright.Locator, left *float64) (struct{}, error) {
		return struct{}{}, l.WaitFor(playwright.LocatorWaitForOptions{State: playwright.WaitForSelectorStateAttached, Timeout: left})
	})
	if err != nil {
		return err
	}
	missed, err := on(ctx, p, from, time.Until(deadline), func(l playwright.Locator, left *float64) (missed, err error) {
		steps := dragSteps
		err = l.DragTo(to.Locator, playwright.LocatorDragToOptions{Steps: &steps, Timeout: left})
		if !holding(err) {
			return nil, err
		}
		// Escape first, so that the page takes the release for an end and not for a drop.
		_ = p.pw.Keyboard().Press("Escape")
		_ = p.pw.Mouse().Up()
		return err, nil // What failed is the target.
	})
	if err == nil {
		err = p.acted(ctx, to, missed)
	}
	return err
}

// holding reports whether a drag that failed got as far as pressing the button.
func holding(err error) bool {
	if err == nil {
		return false
	}
	_, log := driverMessage(err)
	return strings.Contains(log, "performing move and down action")
}

// scrollScript scrolls the page, or the element that it is called on, and answers with the offset that
// was reached, once it no longer changes.
const scrollScript = `async (node, {by, x, y, behavior}) => {
  const page = document.scrollingElement ?? document.documentElement;
  const box = node instanceof Element ? node : page;
  if (!box) return [0, 0];
  const began = [box.scrollLeft, box.scrollTop];
  const options = {behavior: behavior === 'smooth' ? 'smooth' : 'instant'};
  if (x !== null) options.left = x;
  if (y !== null) options.top = y;
  by ? box.scrollBy(options) : box.scrollTo(options);
  return await settled(box, began, behavior);
}`

// settledScript waits until a smooth scroll has ended: until the browser says so and nothing moves, because
// what it says may be of the scroll before; until nothing has moved for a second, as at an end; and ten
// seconds at most.
const settledScript = `async (box, began, behavior) => {
  if (behavior !== 'smooth') return [box.scrollLeft, box.scrollTop];
  let last = began, still = 0, ended = false;
  const source = box === document.scrollingElement ? document : box;
  source.addEventListener('scrollend', () => { ended = true }, {once: true});
  for (let i = 0; i < 200 && still < (ended ? 4 : 20); i++) {
    await new Promise(resolve => setTimeout(resolve, 50));
    const now = [box.scrollLeft, box.scrollTop];
    still = now[0] === last[0] && now[1] === last[1] ? still + 1 : 0;
    last = now;
  }
  return [box.scrollLeft, box.scrollTop];
}`

// ScrollOptions say where to scroll.
type ScrollOptions struct {
	// By scrolls by X and Y; otherwise they are where to scroll to. nil leaves that direction alone.
	By   bool
	X, Y *float64
	// Selector is the element that is scrolled; "" means the page.
	Selector string
	Smooth   bool
}

// Scroll scrolls a page, or an element of it, and returns the offset that it reached in CSS pixels. A
// distance that leads beyond an end leads to that end. Errors: those of every action on an element.
func (p *Page) Scroll(ctx context.Context, o ScrollOptions, timeout time.Duration) (x, y float64, err error) {
	argument := map[string]any{"by": o.By, "x": orNull(o.X), "y": orNull(o.Y), "behavior": behavior(o.Smooth)}
	script := withSettled(scrollScript)
	if o.Selector == "" {
		answer, err := read(ctx, p, "the scroll offset", func(*float64) (any, error) {
			return p.pw.Evaluate("argument => ("+script+")(null, argument)", argument)
		})
		x, y = point(answer)
		return x, y, err
	}
	answer, err := on(ctx, p, p.element(o.Selector, "selector"), timeout, func(l playwright.Locator, left *float64) (any, error) {
		return l.Evaluate(script, argument, playwright.LocatorEvaluateOptions{Timeout: left})
	})
	x, y = point(answer)
	return x, y, err
}

// ScrollTo scrolls until an element is in view and returns the offset that the page reached. Errors:
// those of every action on an element.
func (p *Page) ScrollTo(ctx context.Context, selector string, smooth bool, timeout time.Duration) (x, y float64, err error) {
	err = p.onElement(ctx, selector, timeout, func(l playwright.Locator, left *float64) error {
		deadline := time.Now().Add(time.Duration(*left * float64(time.Millisecond)))
		if smooth {
			script := withSettled(`async node => {
				const page = document.scrollingElement ?? document.documentElement;
				node.scrollIntoView({behavior: 'smooth', block: 'nearest', inline: 'nearest'});
				await settled(page, [page.scrollLeft, page.scrollTop], 'smooth');
			}`)
			if _, err := l.Evaluate(script, nil, playwright.LocatorEvaluateOptions{Timeout: left}); err != nil {
				return err
			}
		}
		return l.ScrollIntoViewIfNeeded(playwright.LocatorScrollIntoViewIfNeededOptions{Timeout: remaining(deadline, left)})
	})
	if err != nil {
		return 0, 0, err
	}
	return p.Scroll(ctx, ScrollOptions{By: true}, timeout)
}

func behavior(smooth bool) string {
	if smooth {
		return "smooth"
	}
	return "auto"
}

func withSettled(script string) string {
	return "(...given) => { const settled = " + settledScript + "; return (" + script + ")(...given); }"
}

func point(answer any) (x, y float64) {
	list, _ := answer.([]any)
	if len(list) != 2 {
		return 0, 0
	}
	return number(list[0]), number(list[1])
}

// number is a number as the driver decodes it: whole ones come as int.
func number(value any) float64 {
	switch n := value.(type) {
	case int:
		return float64(n)
	case float64:
		return n
	}
	return 0
}

// orNull is a number as the driver encodes it.
func orNull(n *float64) any {
	if n == nil {
		return nil
	}
	return *n
}
