package toolset

import (
	"context"
	"time"

	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/contract"
)

// frameTimeout is how long a picture of the page may keep the answer of a call: some take a second on a busy
// host, and a page that hangs gives none.
const frameTimeout = 2 * time.Second

// frameQuality is enough to see what a page showed, in a tenth of the bytes of a PNG.
const frameQuality = 60

// takeFrame keeps what the page of a call shows when the call is done, where screenshotTrace asks for it and
// there is something to take: not when the call answered a picture itself, closed its tab or its session, or
// left a dialog open. It is taken before the answer, because the next call may change the page.
func (t *Toolset) takeFrame(ctx context.Context, c *call, rest next) *contract.Error {
	err := rest(ctx)
	if s := c.session; t.opts.Frames && s != nil && c.answer.Image == nil && s.Context().Err() == nil {
		c.frame = frameOf(ctx, c)
	}
	return err
}

func frameOf(ctx context.Context, c *call) *contract.Image {
	// Of a call that was cancelled, too.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), frameTimeout)
	defer cancel()
	defer context.AfterFunc(c.session.Context(), cancel)()
	p, err := c.session.Browser().Page(c.tabID())
	if err != nil {
		return nil
	}
	picture, err := p.Screenshot(ctx, browser.ScreenshotOptions{Format: "jpeg", Quality: frameQuality})
	if err != nil {
		return nil
	}
	return imageOf(picture, "jpeg")
}
