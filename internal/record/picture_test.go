package record_test

import (
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/record"
)

func TestScreenshots(t *testing.T) {
	t.Parallel()
	k := &kept{}
	var fail error
	options := record.Options{Results: config.RecordToolResultsNone, Images: func(session, name string, _ []byte) (string, error) {
		return "sessions/" + session + "/screenshots/" + name, fail
	}}
	r := newRecorder(t, options, k)
	o := record.Outcome{
		ID: "e1", Tool: "screenshot", SessionID: "shop-1", At: time.Now(), Result: json.RawMessage(`{"width":10,"height":20}`),
		Image: &contract.Image{MIMEType: "image/webp", Data: []byte("12345"), Width: 10, Height: 20},
	}
	r.Call(o, func() {})
	o.ID, o.Image, o.Frame = "e2", nil, &contract.Image{MIMEType: "image/jpeg", Data: []byte("1234567"), Width: 30, Height: 40}
	r.Call(o, func() {})
	stopped(t, r)
	s := k.shots[0]
	if s.ID != "e1" || s.Path != "sessions/shop-1/screenshots/e1.webp" || s.Width != 10 || s.Height != 20 || s.Size != 5 || s.Kind != types.ScreenshotKindAgent || !k.calls[0].HasScreenshot {
		t.Errorf("%+v", s)
	}
	if s = k.shots[1]; s.Path != "sessions/shop-1/screenshots/e2.jpg" || s.Width != 30 || s.Height != 40 || s.Kind != types.ScreenshotKindTrace || !k.calls[1].HasScreenshot {
		t.Errorf("%+v", s)
	}
	fail = errors.New("full")
	r = newRecorder(t, options, k)
	r.Call(o, func() {})
	stopped(t, r)
	r.Call(o, func() {}) // After the stop: the call stays.
	if len(k.shots) != 2 || len(k.calls) != 4 || k.calls[2].HasScreenshot || k.calls[3].HasScreenshot {
		t.Errorf("%+v", k)
	}
}

// A disk that takes nothing keeps no call waiting, and loses images alone.
func TestScreenshotsNeverKeepACallWaiting(t *testing.T) {
	t.Parallel()
	const calls = 100 // more than may wait
	k := &kept{}
	var forgotten atomic.Int64
	disk := make(chan struct{})
	r := newRecorder(t, record.Options{Results: config.RecordToolResultsNone, Images: func(_, name string, _ []byte) (string, error) {
		<-disk
		return name, nil
	}}, k)
	for range calls {
		r.Call(record.Outcome{ID: record.NewID(), Tool: "screenshot", SessionID: "shop-1", At: time.Now(), Image: &contract.Image{MIMEType: "image/png", Data: make([]byte, 4<<20)}}, func() { forgotten.Add(1) })
	}
	close(disk)
	stopped(t, r)
	if len(k.calls) != calls || len(k.shots) == 0 || len(k.shots) == calls || forgotten.Load() != calls {
		t.Errorf("%d calls and %d images", len(k.calls), len(k.shots))
	}
}
