package record

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	_ "image/jpeg" // for the size of a frame
	"sync"

	"github.com/browserhive/browserhive/gen/types"
)

// extensions are those of the images that are kept.
var extensions = map[string]string{"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}

// picture is the image that goes with a call: what the call answered or, failing that, what its page showed.
func (r *Recorder) picture(o Outcome) (Screenshot, bool) {
	p := Screenshot{ID: o.ID, At: o.At, SessionID: o.SessionID, Tool: o.Tool, Kind: types.ScreenshotKindAgent}
	shown := o.Image
	switch {
	case o.Image != nil:
		var size struct{ Width, Height *int64 }
		_ = json.Unmarshal(o.Result, &size) // Without a size, it is not known.
		p.Width, p.Height = size.Width, size.Height
	case o.Frame != nil:
		shown, p.Kind = o.Frame, types.ScreenshotKindTrace
		if c, _, err := image.DecodeConfig(bytes.NewReader(o.Frame.Data)); err == nil {
			width, height := int64(c.Width), int64(c.Height)
			p.Width, p.Height = &width, &height
		}
	}
	if shown == nil || o.SessionID == "" || r.opts.Images == nil {
		return p, false
	}
	p.ContentType, p.Size, p.content = shown.MIMEType, int64(len(shown.Data)), shown.Data
	return p, true
}

// keep writes an image and records it with its call.
func (r *Recorder) keep(p Screenshot, c Call) {
	path, err := r.opts.Images(p.SessionID, p.ID+extensions[p.ContentType], p.content)
	if err != nil {
		r.opts.Log.Warn("a screenshot was not kept", "session_id", p.SessionID, "error", err)
		r.store.AddCall(c)
		return
	}
	p.Path, p.content, c.HasScreenshot = path, nil, true
	r.store.AddCall(c)
	r.store.AddScreenshot(p)
}

// mostPictures bounds how many images wait for the disk, and mostPictureBytes how large they are together: a
// second of what two cores take. Calls beyond are recorded without theirs.
const (
	mostPictures     = 32
	mostPictureBytes = 64 << 20
)

// pictures are the images that wait for the disk, so that no call waits for it. One goroutine writes them, in
// their order.
type pictures struct {
	queue chan pictured
	ended chan struct{} // Closed when the last is written.

	mu      sync.Mutex
	bytes   int64
	stopped bool
}

// pictured is an image with its call.
type pictured struct {
	image Screenshot
	call  Call
}

// start lets keep be called for each image, until stop.
func (q *pictures) start(keep func(Screenshot, Call)) {
	q.queue, q.ended = make(chan pictured, mostPictures), make(chan struct{})
	go func() {
		defer close(q.ended)
		for one := range q.queue {
			keep(one.image, one.call)
			q.mu.Lock()
			q.bytes -= one.image.Size
			q.mu.Unlock()
		}
	}()
}

// put takes an image, and reports false when there is no room for it.
func (q *pictures) put(p Screenshot, c Call) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.stopped || q.bytes+p.Size > mostPictureBytes {
		return false
	}
	select {
	case q.queue <- pictured{p, c}:
		q.bytes += p.Size
		return true
	default:
		return false
	}
}

func (q *pictures) stop(ctx context.Context) error {
	q.mu.Lock()
	if !q.stopped {
		q.stopped = true
		close(q.queue)
	}
	q.mu.Unlock()
	select {
	case <-q.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
