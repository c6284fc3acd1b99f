package record

import "context"

// Cause is the call in which something happens; the zero value is none.
type Cause struct{ CallID, Tool string }

type causeKey struct{}

// WithCause returns a context in which what happens has a cause.
func WithCause(ctx context.Context, c Cause) context.Context {
	return context.WithValue(ctx, causeKey{}, c)
}

// CauseOf returns the call in which something happens.
func CauseOf(ctx context.Context) Cause {
	c, _ := ctx.Value(causeKey{}).(Cause)
	return c
}
