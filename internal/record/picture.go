package record

import (
	"bytes"
	"encoding/json"
	"image"
	_ "image/jpeg" // for the size of a frame

	"github.com/browserhive/browserhive/gen/types"
)

// extensions are those of the images that are kept.
var extensions = map[string]string{"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}

// keep writes the image that goes with a call to the disk, what the call answered or, failing that, what its
// page showed, and reports whether there is one now.
func (r *Recorder) keep(o Outcome) (shot Screenshot, kept bool) {
	shot = Screenshot{ID: o.ID, At: o.At, SessionID: o.SessionID, Tool: o.Tool, Kind: types.ScreenshotKindAgent}
	shown := o.Image
	switch {
	case o.Image != nil:
		var size struct{ Width, Height *int64 }
		_ = json.Unmarshal(o.Result, &size) // Without a size, it is not known.
		shot.Width, shot.Height = size.Width, size.Height
	case o.Frame != nil:
		shown, shot.Kind = o.Frame, types.ScreenshotKindTrace
		if c, _, err := image.DecodeConfig(bytes.NewReader(o.Frame.Data)); err == nil {
			width, height := int64(c.Width), int64(c.Height)
			shot.Width, shot.Height = &width, &height
		}
	}
	if shown == nil || o.SessionID == "" || r.opts.Images == nil {
		return shot, false
	}
	shot.ContentType, shot.Size = shown.MIMEType, int64(len(shown.Data))
	var err error
	if shot.Path, err = r.opts.Images(o.SessionID, o.ID+extensions[shown.MIMEType], shown.Data); err != nil {
		r.opts.Log.Warn("a screenshot was not kept", "session_id", o.SessionID, "error", err)
		return shot, false
	}
	return shot, true
}
