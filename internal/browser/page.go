package browser

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/browserhive/browserhive/internal/contract"
)

// Page is one tab. Its methods may be called from several goroutines; the browser runs them in the
// order in which they arrive. Each returns when it is done, when its timeout has passed, or when ctx
// ends, and beside the errors it names may return:
//
//   - CALL_TIMEOUT and CALL_CANCELLED when ctx ends first,
//   - PAGE_CLOSED when the tab closes during the call,
//   - DIALOG_OPEN at once when a dialog is open or opens during the call; what the browser has begun to do
//     it does when the dialog is answered,
//   - BROWSER_CRASHED when the browser is gone,
//   - URL_BLOCKED when the tab shows a document that must not be read.
type Page struct {
	b      *Browser
	pw     playwright.Page
	id     string
	closed chan struct{} // Closed when the tab is.
	// strayed is set while the tab shows a document that must not be read, and says why not.
	strayed atomic.Pointer[contract.Error]
	// control is a protocol session that can stop a script. It is opened ahead, because a page that is
	// kept busy by a script does not take up new sessions.
	control    atomic.Pointer[playwright.CDPSession]
	controlled chan struct{} // Closed when control is open, or failed to.
	// arrivals counts the documents that have arrived; moved tells of them and of every other address.
	arrivals atomic.Int64
	moved    signal
	parsed   signal // Tells of documents that are parsed.
	// seen is the last snapshot, for the changes that the next may be asked for.
	seen atomic.Pointer[seen]

	// Browser.mu guards these.
	opener   *Page // The tab whose page opened this one; nil for others.
	used     int64 // When a call last used the tab, as a number of Browser.uses.
	dialog   *openDialog
	prepared *prepared // The answer to the next dialog.

	// refusal is why the tab's last document was not let through, and left why it was made to leave one,
	// since a call began to load one.
	refusal, left atomic.Pointer[contract.Error]
	// wanted is where the next download goes; nil while no call waits for one.
	wanted atomic.Pointer[chan playwright.Download]
}

// openControl opens the control session in the background; it ends with the page.
func (p *Page) openControl() {
	go func() {
		defer close(p.controlled)
		_, _ = protect(func() (struct{}, error) {
			session, err := p.b.pw.NewCDPSession(p.pw)
			if err == nil {
				p.control.Store(&session)
			}
			return struct{}{}, err
		})
	}()
}

// ID names the tab in its session: t1, t2 and so on. It never changes and is never used again.
func (p *Page) ID() string { return p.id }

// URL is the address of the page at this moment, cut at the limit of the contract.
func (p *Page) URL() string { return shownAddress(p.pw.URL()) }

// Title returns the title of the page, which may be empty, cut at the limit of the contract.
func (p *Page) Title(ctx context.Context) (string, error) {
	title, err := read(ctx, p, "the title", func(*float64) (string, error) { return p.pw.Title() })
	return shownText(title), err
}

// onCrash closes a tab whose renderer died: it answers nothing any more.
func (p *Page) onCrash() {
	p.b.log.Warn("the renderer of a tab crashed", "tab_id", p.id)
	p.b.shut(p)
	go func() { _, _ = protect(func() (struct{}, error) { return struct{}{}, p.pw.Close() }) }()
}

// onNavigated tells of a document that has arrived in the tab. It must not block: it runs where the
// driver's messages are read.
func (p *Page) onNavigated(frame playwright.Frame) {
	if frame.ParentFrame() != nil {
		p.visitFrame(frame)
		return
	}
	p.arrivals.Add(1)
	p.moved.fire()
	p.visit(frame.URL())
}

// visit counts a document, and leaves one that must not be read. Chromium keeps pages from such addresses,
// the network layer from blocked ones, and Goto refuses both, so this is for ways that none of them knows,
// such as a person at the address bar, or a service worker that answers for a blocked address.
func (p *Page) visit(address string) {
	refused := p.b.misplaced(address)
	p.strayed.Store(refused)
	if refused == nil {
		if address != "" && address != errorPage && !isBlank(address) {
			p.b.navigations.Add(1)
			p.report(address)
		}
		return
	}
	p.left.Store(refused)
	p.b.log.Warn("left a document that must not open", "tab_id", p.id, "url", recorded(address))
	go func() { // Ends with the navigation, at most after Playwright's 30 seconds.
		_, _ = protect(func() (playwright.Response, error) { return p.pw.Goto("about:blank") })
	}()
}

// visitFrame leaves a blocked document of an iframe, which only a service worker can have brought there.
func (p *Page) visitFrame(frame playwright.Frame) {
	if p.b.refuse(frame.URL()) == nil {
		return
	}
	p.b.log.Warn("left a document that must not open", "tab_id", p.id, "url", recorded(frame.URL()))
	go func() { // Ends with the navigation, at most after Playwright's 30 seconds.
		_, _ = protect(func() (playwright.Response, error) { return frame.Goto("about:blank") })
	}()
}

// guard answers URL_BLOCKED while the tab shows a document that must not be read.
func (p *Page) guard() error {
	if refused := p.strayed.Load(); refused != nil {
		return refused
	}
	return nil
}

// misplaced is why a page must not stand at the address, nil when it may.
func (b *Browser) misplaced(address string) *contract.Error {
	if !mayShow(address) {
		return blocked(address, "scheme:"+schemeOf(address))
	}
	return b.refuse(address)
}

// act runs a call on the page with a timeout of its own.
func act[T any](ctx context.Context, p *Page, timeout time.Duration, call func(left *float64) (T, error)) (T, error) {
	if err := p.guard(); err != nil {
		var none T
		return none, err
	}
	value, err := await(ctx, p.b, p, timeout, call)
	if err == nil {
		err = p.guard() // What was read may be of a document that came in between.
	}
	if err != nil {
		var none T
		return none, err
	}
	return value, nil
}

// maxReadTries is how often a read starts again when the page navigates under it. A redirect chain settles
// within a few; a page that never settles should not be waited for.
const maxReadTries = 5

// read runs a call on the page that has no timeout of its own. what names, in an error, what was read.
func read[T any](ctx context.Context, p *Page, what string, call func(left *float64) (T, error)) (T, error) {
	for try := 1; ; try++ {
		value, err := act(ctx, p, callLimit, call)
		switch {
		case err == nil || coded(err):
			return value, err
		case contextLost(err) && try < maxReadTries:
			_ = p.WaitForLoadState(ctx, "domcontentloaded", countTimeout)
		case contextLost(err):
			return value, pageClosed(p.id, err)
		case errors.Is(err, errUnanswered), errors.Is(err, playwright.ErrTimeout):
			return value, callTimeout(callLimit).Because(brief(err))
		default:
			return value, fmt.Errorf("reading %s: %w", what, err)
		}
	}
}
