package record

import "github.com/browserhive/browserhive/gen/types"

// extensions are those of the images that are kept.
var extensions = map[string]string{"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}

// saveImage writes the image that goes with a call to the disk, the one that the call answered or, without one,
// the one that its page showed, and reports whether there is one now.
func (r *Recorder) saveImage(o Outcome) (shot Screenshot, kept bool) {
	image, kind := o.Image, types.ScreenshotKindAgent
	if image == nil {
		image, kind = o.Frame, types.ScreenshotKindTrace
	}
	if image == nil || o.SessionID == "" || r.opts.Images == nil {
		return shot, false
	}
	path, err := r.opts.Images(o.SessionID, o.ID+extensions[image.MIMEType], image.Data)
	if err != nil {
		r.opts.Log.Warn("a screenshot was not kept", "session_id", o.SessionID, "error", err)
		return shot, false
	}
	return Screenshot{
		ID: o.ID, At: o.At, SessionID: o.SessionID, Tool: o.Tool, Kind: kind, ContentType: image.MIMEType,
		Width: int64(image.Width), Height: int64(image.Height), Size: int64(len(image.Data)), Path: path,
	}, true
}
