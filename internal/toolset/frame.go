package toolset

import (
	"context"
	"encoding/json"
	"time"

	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/contract"
)

// frameWait is how long a picture of the page may keep the answer of a call: some take a second on a busy
// host, and a page that hangs gives none.
const frameWait = 2 * time.Second

// frameQuality is enough to see what a page showed, in a tenth of the bytes of a PNG.
const frameQuality = 60

// frame is what the page of a call shows when the call is done, where screenshotTrace asks for it; nil when
// there is none to take: the call answered one itself, closed its tab or its session, or a dialog is open.
// It is taken before the answer, because the next call may change the page.
func (t *Toolset) frame(ctx context.Context, st *state) *contract.Image {
	s := st.session
	if !t.opts.Frames || s == nil || st.out.Image != nil || s.Context().Err() != nil {
		return nil
	}
	var a struct {
		TabID *string `json:"tab_id"`
	}
	_ = json.Unmarshal(st.args, &a) // They were checked.
	// Of a call that was cancelled, too.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), frameWait)
	defer cancel()
	defer context.AfterFunc(s.Context(), cancel)()
	p, err := s.Browser().Page(tabID(a.TabID))
	if err != nil {
		return nil
	}
	picture, err := p.Screenshot(ctx, browser.ScreenshotOptions{Format: "jpeg", Quality: frameQuality})
	if err != nil {
		return nil
	}
	return imageOf(picture, "jpeg")
}
