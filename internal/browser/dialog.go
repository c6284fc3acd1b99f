package browser

import (
	"context"
	"errors"
	"time"

	"github.com/mxschmitt/playwright-go"
)

// dialogLimit is how long a dialog may wait for an answer, and a prepared answer for its dialog. It is
// what the contract says of both dialog tools.
const dialogLimit = 60 * time.Second

// DialogAnswer says how to answer a dialog of a page: alert, confirm, prompt or beforeunload.
type DialogAnswer struct {
	Accept bool
	// Text is what a prompt that is accepted returns; nil means the text that the page proposes. It may be
	// a secret.
	Text *string
}

// prepared is an answer that waits for its dialog.
type prepared struct {
	DialogAnswer
	until time.Time
}

// openDialog is a dialog that nobody had prepared an answer for.
type openDialog struct {
	page   *Page
	pw     playwright.Dialog
	expiry *time.Timer
}

// AnswerNextDialog answers the dialog that is open in the tab, or else prepares the answer to the next
// one, for a minute and instead of an answer that was prepared before. Errors: PAGE_CLOSED and those of
// every call, but neither DIALOG_OPEN nor URL_BLOCKED.
func (p *Page) AnswerNextDialog(ctx context.Context, answer DialogAnswer) error {
	p.b.mu.Lock()
	open := p.dialog
	if open == nil {
		p.prepared = &prepared{answer, time.Now().Add(p.b.dialogLimit)}
	} else {
		open.forget()
	}
	p.b.mu.Unlock()
	if open == nil {
		select {
		case <-p.closed:
			return p.gone(nil)
		default:
			return nil
		}
	}
	_, err := await(ctx, p.b, nil, stuckTimeout, func(*float64) (struct{}, error) {
		if err := give(open.pw, answer); err != nil {
			return struct{}{}, err
		}
		// The library does not tell that a dialog it dismisses is gone. A browser that is tells of it here.
		_, err := p.b.pw.Cookies("http://localhost")
		return struct{}{}, err
	})
	switch {
	case err == nil || coded(err):
		return err
	case errors.Is(err, errUnanswered):
		return callTimeout(stuckTimeout).Because(err)
	case targetGone(err):
		return p.gone(err)
	}
	return nil // Somebody in front of the window was quicker.
}

// give answers a dialog. Its error does not hold the text.
func give(dialog playwright.Dialog, answer DialogAnswer) error {
	_, err := protect(func() (struct{}, error) {
		switch {
		case !answer.Accept:
			return struct{}{}, dialog.Dismiss()
		case dialog.Type() != "prompt":
			return struct{}{}, dialog.Accept()
		case answer.Text == nil:
			return struct{}{}, dialog.Accept(dialog.DefaultValue())
		}
		return struct{}{}, dialog.Accept(*answer.Text)
	})
	return err
}

// onDialog answers a dialog that an answer is prepared for, and keeps any other until somebody answers it
// or its time is up. It must not block, hence the goroutines, which end with the driver's answer.
func (b *Browser) onDialog(dialog playwright.Dialog) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.tab(dialog.Page())
	if p == nil {
		// A window that is not a tab yet, and never becomes one while a dialog keeps it. Nobody can name it.
		go func() { _ = give(dialog, DialogAnswer{}) }()
		return
	}
	ready := p.prepared
	p.prepared = nil
	if ready != nil && time.Now().Before(ready.until) {
		go func() { _ = give(dialog, ready.DialogAnswer) }()
		return
	}
	if p.dialog != nil { // It was closed, and the news is still on its way.
		p.dialog.forget()
	}
	open := &openDialog{page: p, pw: dialog}
	open.expiry = time.AfterFunc(b.dialogLimit, func() { b.dismiss(open) })
	p.dialog = open
	b.dialogOpened.fire()
}

// onDialogClosed forgets a dialog that somebody in front of the window answered, or whose frame is gone.
func (b *Browser) onDialogClosed(dialog playwright.Dialog) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.tab(dialog.Page()); p != nil && p.dialog != nil && p.dialog.pw == dialog {
		p.dialog.forget()
	}
}

// dismiss answers a dialog that nobody answered in time.
func (b *Browser) dismiss(open *openDialog) {
	b.mu.Lock()
	if open.page.dialog != open {
		b.mu.Unlock()
		return
	}
	open.forget()
	b.mu.Unlock()
	b.log.Info("dismissed a dialog that nobody answered", "tab_id", open.page.id, "type", open.pw.Type())
	_ = give(open.pw, DialogAnswer{})
}

// forget takes a dialog from its tab, so that one alone answers it. Browser.mu is held.
func (d *openDialog) forget() {
	d.page.dialog = nil
	d.expiry.Stop()
}

// heldBy returns the dialog that keeps the page from doing anything: its own, or that of another tab in the
// same process, as a window and its opener often are. It returns at once when no dialog is open anywhere,
// and after stuckTimeout at the latest.
func (p *Page) heldBy(ctx context.Context) *openDialog {
	p.b.mu.Lock()
	own := p.dialog
	var other *openDialog
	for _, tab := range p.b.pages {
		if tab.dialog != nil {
			other = tab.dialog
			break
		}
	}
	p.b.mu.Unlock()
	if own != nil || other == nil || p.responds(ctx) {
		return own
	}
	return other
}
