package secret

import (
	"context"
	"sync/atomic"
)

type shownKey struct{}

// WatchTyping returns a context in which Shown is noticed, and what reports it.
func WatchTyping(ctx context.Context) (context.Context, func() bool) {
	shown := &atomic.Bool{}
	return context.WithValue(ctx, shownKey{}, shown), shown.Load
}

// Shown says that the text which a call types goes into a field that shows it. Of a text that nobody says it
// of, nothing may be kept: it may be a password too short to be found again, or one whose field was not there.
func Shown(ctx context.Context) {
	if shown, ok := ctx.Value(shownKey{}).(*atomic.Bool); ok {
		shown.Store(true)
	}
}
