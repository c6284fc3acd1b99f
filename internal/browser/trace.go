package browser

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/browserhive/browserhive/gen/errcode"
)

// TraceOptions ask for a trace of what a session does.
type TraceOptions struct {
	// MaxBytes is how much of it stays while it is recorded; the oldest goes first.
	MaxBytes int64
	// Keep is given the trace when the browser is gone. What it does not read before it returns is lost. It
	// has to return when ctx ends.
	Keep func(ctx context.Context, t Trace)
}

// Trace is what was recorded of a session, raw: with everything that pages showed and sent, apart from the
// contents of password fields and the bodies of requests.
type Trace struct {
	// Parts follow each other in time.
	Parts []TracePart
	// CutUntil is when the part that was dropped last ended; zero while nothing was.
	CutUntil time.Time
	// Fault is why the last part may lack its end; nil for a whole trace.
	Fault error
}

// TracePart is a directory with the files of a part: Name with the endings .trace and .network, and what
// they refer to, by paths below the directory.
type TracePart struct {
	Dir, Name string
	Bytes     int64
	Ended     time.Time
}

const (
	// traceParts is how many parts make up the most that stays. Fewer would cut more at once, more would
	// begin anew, and lack what pages have loaded before, more often.
	traceParts = 8
	// traceInterval is how often the size of the present part is looked at.
	traceInterval = 2 * time.Second
	// traceTimeout is how long the driver may take to begin or to end a part.
	traceTimeout = 5 * time.Second
	// traceKeepTimeout is how long the trace of a browser that was lost may take to be kept.
	traceKeepTimeout = 10 * time.Second
)

// tracer records the trace of one browser. After its start it belongs to the goroutine of run, and after
// ended is closed to finish.
type tracer struct {
	b       *Browser
	options TraceOptions
	trace   Trace
	serial  int // Of the present part.
	// quit is closed to make run end, ended is closed when it has.
	quit, ended chan struct{}
}

// traceDir is where the driver records.
func (b *Browser) traceDir() string { return filepath.Join(b.tmp, "trace") }

// startTrace begins the trace of the session, if it is to have one. A session whose trace does not begin
// runs without it and says so in Warnings.
func (b *Browser) startTrace(ctx context.Context) {
	if b.options.Trace == nil {
		return
	}
	t := &tracer{b: b, options: *b.options.Trace, quit: make(chan struct{}), ended: make(chan struct{})}
	if err := t.begin(ctx); err != nil {
		b.warnings = append(b.warnings, string(errcode.CodeTraceStartFailed)+": the session leaves no trace: "+firstLine(brief(err).Error()))
		return
	}
	b.mu.Lock()
	b.tracer = t
	b.mu.Unlock()
	go t.run() //nolint:gosec // it lives as long as the browser, not as its launch
}

// tracing is the tracer of the browser, nil for one without a trace.
func (b *Browser) tracing() *tracer {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tracer
}

// Traced reports whether the session is traced.
func (b *Browser) Traced() bool { return b.tracing() != nil }

// begin begins a part.
func (t *tracer) begin(ctx context.Context) error {
	t.serial++
	_, err := await(ctx, t.b, nil, traceTimeout, func(*float64) (struct{}, error) {
		return struct{}{}, t.b.pw.Tracing().Start(playwright.TracingStartOptions{
			Name: playwright.String(t.name()), Snapshots: playwright.Bool(true), Screenshots: playwright.Bool(true),
		})
	})
	return err
}

// name is that of the present part's files.
func (t *tracer) name() string { return fmt.Sprintf("part-%d", t.serial) }

// end ends a part and sets its files aside.
func (t *tracer) end(ctx context.Context) error {
	_, err := await(ctx, t.b, nil, traceTimeout, func(*float64) (struct{}, error) {
		return struct{}{}, t.b.pw.Tracing().Stop()
	})
	return errors.Join(err, t.setAside())
}

// setAside moves the files of the present part to a directory of its own, and drops the oldest parts when
// there is too much.
func (t *tracer) setAside() error {
	part := TracePart{Dir: filepath.Join(t.b.tmp, "traced", t.name()), Name: t.name(), Ended: time.Now()}
	if err := os.MkdirAll(filepath.Dir(part.Dir), 0o700); err != nil {
		return err
	}
	if err := os.Rename(t.b.traceDir(), part.Dir); err != nil {
		return err
	}
	t.trace.Parts = append(t.trace.Parts, part)
	last := &t.trace.Parts[len(t.trace.Parts)-1]
	var err error
	if last.Bytes, err = bytesBelow(part.Dir); err != nil {
		return err
	}
	sum := int64(0)
	for _, p := range t.trace.Parts {
		sum += p.Bytes
	}
	for len(t.trace.Parts) > 1 && sum > t.options.MaxBytes {
		oldest := t.trace.Parts[0]
		if err := os.RemoveAll(oldest.Dir); err != nil {
			return err
		}
		sum -= oldest.Bytes
		t.trace.CutUntil = oldest.Ended
		t.trace.Parts = t.trace.Parts[1:]
	}
	return nil
}

// run begins a new part whenever the present one is large enough, until the browser ends or quit is closed.
func (t *tracer) run() {
	defer close(t.ended)
	tick := time.NewTicker(traceInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-t.quit:
			return
		case <-t.b.done:
			return
		}
		size, err := bytesBelow(t.b.traceDir())
		if err == nil && size < t.options.MaxBytes/traceParts {
			continue
		}
		err = errors.Join(err, t.end(context.Background()))
		if err == nil {
			err = t.begin(context.Background())
		}
		if err != nil {
			t.trace.Fault = err
			t.b.log.Warn("the trace of a session breaks off", "error", brief(err))
			return
		}
	}
}

// stopTrace ends the trace while the browser still runs.
func (b *Browser) stopTrace(ctx context.Context) {
	t := b.tracing()
	if t == nil {
		return
	}
	close(t.quit)
	<-t.ended // It is bounded by traceTimeout.
	if t.trace.Fault == nil {
		t.trace.Fault = t.end(ctx)
	}
}

// keepTrace hands over the trace of a browser that has ended, cause being why it did so by itself, nil when
// it was asked to.
func (b *Browser) keepTrace(ctx context.Context, cause error) {
	t := b.tracing()
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, traceKeepTimeout)
	defer cancel()
	if cause != nil {
		<-t.ended
		if t.trace.Fault == nil {
			t.trace.Fault = errors.Join(cause, t.setAside()) // What the driver has written until then.
		}
	}
	t.options.Keep(ctx, t.trace)
}

// bytesBelow is the size of all files in a directory. Those that go meanwhile do not count, and a directory
// that is not there is empty.
func bytesBelow(dir string) (sum int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = e.Info(); err == nil {
				sum += info.Size()
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return sum, err
}
