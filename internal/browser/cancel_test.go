package browser_test

import (
	"context"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/hosttest"
)

// retried is longer than the driver waits between two attempts at an element, which is half a second.
const retried = `new Promise(resolve => setTimeout(resolve, 800))`

// cancelled is a context that is cancelled once the driver has looked at an element for the first time. It
// tells nobody of that.
func cancelled(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	timer := time.AfterFunc(brief, cancel)
	t.Cleanup(func() { timer.Stop(); cancel() })
	return ctx
}

// What is given up while it waits for an element does not happen later, when the element takes it.
func TestWhatIsGivenUpDoesNotHappenLater(t *testing.T) {
	t.Parallel()
	// As the server's sessions are: fields are asked first whether they hide what is entered.
	b := browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{OnSecret: func(string) {}})
	page := activePage(t, b)
	for name, act := range map[string]func(ctx context.Context) error{
		"click": func(ctx context.Context) error {
			return page.Click(ctx, "#button", browser.ClickOptions{Modifiers: []string{"Shift"}}, soon)
		},
		"fill": func(ctx context.Context) error { return page.Fill(ctx, "#field", "late", soon) },
		"select": func(ctx context.Context) error {
			_, err := page.SelectOptions(ctx, "#choice", []string{"late"}, soon)
			return err
		},
		"hover": func(ctx context.Context) error { return page.Hover(ctx, "#hidden", soon) },
		"press": func(ctx context.Context) error { return page.Press(ctx, "#coming", "a", soon) },
		"type":  func(ctx context.Context) error { return page.Type(ctx, "#coming", "a", 0, soon) },
		"drag":  func(ctx context.Context) error { return page.Drag(ctx, "#source", "#hidden", soon) },
		"wait": func(ctx context.Context) error {
			return page.WaitForSelector(ctx, "#coming", "visible", soon)
		},
	} {
		t.Run(name, func(t *testing.T) {
			open(t, page, markup(`<button id=button disabled>Late</button><input id=field disabled>
				<select id=choice><option>first</select>
				<p id=hidden hidden style="position: fixed; right: 0; bottom: 0">Hidden</p><p id=source draggable=true>Source</p>
				<script>
					window.seen = [];
					for (const kind of ['click', 'input', 'change', 'keydown', 'mouseover', 'dragstart', 'drop'])
						addEventListener(kind, event => event.target.id && event.target.id !== 'source' && seen.push(kind + ' ' + event.target.id + event.shiftKey), true);
				</script>`))
			began := time.Now()
			wantCode(t, act(cancelled(t)), errcode.CodeCallCancelled)
			if took := time.Since(began); took > hosttest.Limit(5*time.Second) {
				t.Errorf("given up after %v", took)
			}
			evaluate(t, page, `document.querySelectorAll('[disabled], [hidden]').forEach(e => e.disabled = e.hidden = false); choice.add(new Option('late'))`)
			evaluate(t, page, `document.body.insertAdjacentHTML('beforeend', '<input id=coming>')`)
			evaluate(t, page, retried)
			if seen := evaluate(t, page, "seen"); seen != "[]" {
				t.Errorf("the page saw %s", seen)
			}
			// Nothing is left behind that would change the next action: no key, no button of the mouse.
			if err := page.Click(t.Context(), "#button", browser.ClickOptions{}, soon); err != nil {
				t.Fatal(err)
			}
			if seen := evaluate(t, page, "seen.filter(what => what.startsWith('click'))"); seen != `["click buttonfalse"]` {
				t.Errorf("the click after it came as %s", seen)
			}
		})
	}
}

// Giving up one of several calls on a tab leaves the others alone.
func TestGivingUpOneCallLeavesTheOthers(t *testing.T) {
	t.Parallel()
	b := browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{})
	page := activePage(t, b)
	open(t, page, markup(`<p>Nothing yet</p>`))
	kept := make(chan error, 1)
	go func() { kept <- page.WaitForSelector(t.Context(), "#coming", "attached", soon) }()
	wantCode(t, page.WaitForSelector(cancelled(t), "#coming", "attached", soon), errcode.CodeCallCancelled)
	select {
	case err := <-kept:
		t.Fatalf("the other wait ended with %v", err)
	default:
	}
	evaluate(t, page, `document.body.insertAdjacentHTML('beforeend', '<input id=coming>')`)
	if err := <-kept; err != nil {
		t.Errorf("the other wait: %v (%s)", err, contract.CodeOf(err))
	}
}
