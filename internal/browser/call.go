package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mxschmitt/playwright-go"
)

// graceAfterLimit is how much longer than its own limit the driver may take to report that the limit
// has passed. Beyond that it, or the page, does not answer at all.
const graceAfterLimit = 2 * time.Second

// ownLimit is how much sooner than a call's own limit its context may end and still count as that limit:
// a caller that derives both from one number sets the context a moment earlier.
const ownLimit = 250 * time.Millisecond

// errUnanswered is what await returns when the driver exceeds limit and grace. The caller turns it
// into its own timeout.
var errUnanswered = fmt.Errorf("no answer within the limit and %v", graceAfterLimit)

// await runs one call of the driver and returns as soon as it is done, ctx ends, the limit has passed,
// the page closes or waits for a dialog, or the browser is lost. p may be nil, for calls that no page has
// to answer. Playwright has no deadline of its own for most calls. A call that is given up here is
// cancelled in the driver as well, as far as that can be (cancel.go); what cannot lives on until it ends or
// its browser does, and its goroutine with it.
//
// call receives the time that is left, in the form that the driver takes: the limit, or less when ctx
// ends before. A call of several steps gives each of them that, or what remaining makes of it.
func await[T any](ctx context.Context, b *Browser, p *Page, limit time.Duration, call func(left *float64) (T, error)) (T, error) {
	var none T
	began := time.Now()
	if b.Err() != nil {
		return none, b.gone(nil)
	}
	if ctx.Err() != nil {
		return none, ended(ctx, began)
	}
	var opened <-chan struct{}
	if p != nil {
		opened = b.dialogOpened.wait()
		if open := p.heldBy(ctx); open != nil {
			return none, dialogOpen(open)
		}
	}
	left, own := limit, true // own: it is the limit that ends the call, and not the context.
	if deadline, ok := ctx.Deadline(); ok {
		remaining := deadline.Sub(began)
		own = remaining >= limit-ownLimit
		left = min(limit, remaining)
	}
	type result struct {
		value T
		err   error
	}
	answered := make(chan result, 1)
	mark := b.driver.mark()
	go func() {
		value, err := protect(func() (T, error) { return call(marked(left, mark)) })
		answered <- result{value, err}
	}()
	giveUp := func() {
		if b.driver.cancel(mark) == 0 {
			return
		}
		limit := time.NewTimer(cancelTimeout)
		defer limit.Stop()
		select { // It may have keys to let go of.
		case <-answered:
		case <-limit.C:
		}
	}
	var closed chan struct{}
	if p != nil {
		closed = p.closed
	}
	expired := time.NewTimer(limit + graceAfterLimit)
	defer expired.Stop()
	var err error
	var held chan *openDialog
	for err == nil {
		select {
		case r := <-answered:
			if r.err == nil {
				return r.value, nil
			}
			err = r.err
		case <-opened: // In this tab, or in another one.
			opened = b.dialogOpened.wait()
			found := make(chan *openDialog, 1)
			go func() { found <- p.heldBy(ctx) }() // Ends within stuckTimeout.
			held = found
		case open := <-held:
			if open != nil {
				return none, dialogOpen(open)
			}
		case <-ctx.Done():
			if b.Err() != nil {
				return none, b.gone(nil) // That is why ctx ended.
			}
			giveUp()
			if own && errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return none, errUnanswered
			}
			return none, ended(ctx, began)
		case <-b.done:
			return none, b.gone(nil)
		case <-closed:
			return none, p.gone(nil)
		case <-expired.C:
			giveUp()
			return none, errUnanswered
		}
	}
	switch {
	case errors.Is(err, playwright.ErrTimeout) && own:
		return none, err
	case errors.Is(err, playwright.ErrTimeout):
		<-ctx.Done() // The driver was told when ctx ends, and came a moment before.
		return none, ended(ctx, began)
	case ctx.Err() != nil:
		return none, ended(ctx, began)
	case targetGone(err) && p != nil:
		return none, p.gone(err)
	}
	return none, err
}

// protect runs a call of the library, which panics on answers that it does not expect.
func protect[T any](call func() (T, error)) (value T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the driver library panicked: %v", r)
		}
	}()
	return call()
}

// gone is the error of a call whose browser is gone.
func (b *Browser) gone(cause error) error {
	if err := b.Err(); err != nil {
		return err
	}
	return crashed(b.options.SessionID, cause)
}

// settleTimeout is how long an error of a dead target may come before the event that says what died. The
// driver sends both within milliseconds of each other.
const settleTimeout = 250 * time.Millisecond

// gone is the error of a call whose page is gone: BROWSER_CRASHED if the browser went with it, else
// PAGE_CLOSED.
func (p *Page) gone(cause error) error {
	timer := time.NewTimer(settleTimeout)
	defer timer.Stop()
	select {
	case <-p.b.done:
		if p.b.Err() != nil {
			return p.b.Err()
		}
	case <-timer.C:
	}
	return pageClosed(p.id, cause)
}

// callLimit bounds calls that have no timeout of their own and a context without a deadline. It is the
// longest that any tool may take.
const callLimit = 10 * time.Minute

// milliseconds is a duration as the driver takes it. It is never 0, which would mean forever.
func milliseconds(d time.Duration) *float64 {
	ms := max(float64(d)/float64(time.Millisecond), 1)
	return &ms
}
