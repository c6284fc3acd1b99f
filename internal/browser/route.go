package browser

import (
	"context"

	"github.com/mxschmitt/playwright-go"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
)

// guardDocuments keeps pages from documents that the operator blocks, whoever asks for them: a redirect, a
// link, a script, a form, a frame, the first request of a new window. Requests of other kinds pass. Should
// the network layer not take it, tools still refuse, and Warnings says so.
func (b *Browser) guardDocuments(ctx context.Context) {
	if b.options.BlocksDocument == nil {
		return
	}
	_, err := await(ctx, b, nil, launchTimeout, func(*float64) (struct{}, error) {
		// Of the whole browser, because a page's own route comes too late for the first request of a window.
		return struct{}{}, b.pw.Route("**/*", b.onRequest)
	})
	if err != nil {
		b.warnings = append(b.warnings, string(errcode.CodeBlocklistRouteFailed)+": links may lead to blocked addresses: "+firstLine(brief(err).Error()))
	}
}

// onRequest lets a request through or not. Its errors do not matter: the page went away.
func (b *Browser) onRequest(route playwright.Route) {
	request := route.Request()
	if request.IsNavigationRequest() {
		if refused := b.refuse(request.URL()); refused != nil {
			if p := b.asking(request); p != nil {
				p.refusal.Store(refused)
			}
			_ = route.Abort("blockedbyclient")
			return
		}
	}
	_ = route.Continue()
}

// refuse is the operator's word against a document, nil when it may open.
func (b *Browser) refuse(address string) *contract.Error {
	if b.options.BlocksDocument == nil {
		return nil
	}
	pattern, hit := b.options.BlocksDocument(address)
	if !hit {
		return nil
	}
	b.log.Info("a blocked document was not opened", "url", recorded(address), "pattern", pattern)
	return blocked(address, pattern)
}

// asking is the tab whose own document is asked for; nil for a frame's, and for a window that is not there
// yet.
func (b *Browser) asking(request playwright.Request) *Page {
	frame := request.Frame()
	if frame == nil || frame.ParentFrame() != nil {
		return nil
	}
	page := frame.Page()
	for _, p := range b.Pages() {
		if p.pw == page {
			return p
		}
	}
	return nil
}
