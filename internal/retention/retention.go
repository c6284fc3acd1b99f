// Package retention keeps what was recorded within its age and its size. It works in small steps, so that no
// call waits behind it, and never touches archived sessions, kept profiles or saved logins.
package retention

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/contract"
)

// Options say what is kept.
type Options struct {
	// MaxAge is how long records are kept.
	MaxAge time.Duration
	// MaxBytes is how large database and artifacts may be together.
	MaxBytes int64
	Log      *slog.Logger
}

// Store is where the records are.
type Store interface {
	// Prune removes at most limit rows that are older than before, and returns how many it removed, and the
	// files that belonged to them.
	Prune(ctx context.Context, before time.Time, limit int) (rows int, files []string, err error)
	// PruneLogs does the same for kept log records.
	PruneLogs(ctx context.Context, before time.Time, limit int) (rows int, err error)
	// Ended returns sessions that ended before a time and of which no rows are left, at most limit, the
	// oldest first. Archived ones are not among them.
	Ended(ctx context.Context, before time.Time, limit int) (sessions []string, err error)
	// ForgetSession removes the row of a session.
	ForgetSession(ctx context.Context, id string) error
	// Oldest is the time of the row that stands n rows after the oldest; ok is false without rows.
	Oldest(ctx context.Context, n int) (at time.Time, ok bool, err error)
	// Bytes is what the live pages of the database take.
	Bytes(ctx context.Context) (int64, error)
	// Compact gives free pages back to the file system, at most pages of them, and reports whether more
	// are free.
	Compact(ctx context.Context, pages int) (more bool, err error)
	// Degrade notes that something is wrong, and Recover that it is over.
	Degrade(failure *contract.Error, severity types.Severity)
	Recover(code contract.Code)
}

// Artifacts are the files of sessions: screenshots, traces and downloads.
type Artifacts interface {
	// ArtifactBytes is what they take, of all sessions.
	ArtifactBytes() (int64, error)
	// RemoveArtifact removes one file, as Prune named it, and RemoveArtifacts those of a session. Both return
	// how much they took.
	RemoveArtifact(path string) (int64, error)
	RemoveArtifacts(session string) (int64, error)
}

// How much a step removes at most: some milliseconds of the writer.
const (
	maxStepRows     = 500
	maxStepSessions = 100
	maxStepPages    = 256
)

// maxSteps is how many steps a sweep takes at most: what is left is for the next one.
const maxSteps = 20_000

// maxLogAge is how long kept log records stay.
const maxLogAge = 3 * 24 * time.Hour

// Sweeper prunes records and files.
type Sweeper struct {
	opts      Options
	store     Store
	artifacts Artifacts
	now       func() time.Time
}

// New returns a sweeper. now is the clock.
func New(o Options, s Store, a Artifacts, now func() time.Time) *Sweeper {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Sweeper{o, s, a, now}
}

// sweepInterval is how often a sweep runs: often enough that an hour of heavy use does not outgrow the size by
// much.
const sweepInterval = 10 * time.Minute

// Run sweeps at once and then from time to time, until ctx ends.
func (s *Sweeper) Run(ctx context.Context) {
	tick := time.NewTicker(sweepInterval)
	defer tick.Stop()
	for {
		s.Sweep(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Sweep removes what is too old and what is too much. A step that fails is a degradation, which ends with
// the next sweep that succeeds.
func (s *Sweeper) Sweep(ctx context.Context) types.RetentionRun {
	began := s.now()
	w := &sweep{Sweeper: s, ctx: ctx}
	steps := []struct {
		name string
		run  func() error
	}{{"logs", w.logs}, {"age", w.age}, {"size", w.size}, {"compact", w.compact}}
	failed := 0
	for _, step := range steps {
		if err := step.run(); err != nil && ctx.Err() == nil {
			failed++
			failure := errcode.RetentionFailed{Step: step.name, Reason: err.Error()}.Err().Because(err)
			s.opts.Log.Error(failure.Message, "step", step.name, "error", err)
			s.store.Degrade(failure, types.SeverityWarn)
		}
	}
	run := types.RetentionRun{
		At: s.now().UnixMilli(), Result: types.RetentionResultOk, PrunedRows: int64(w.rows), FreedBytes: w.bytes,
		DurationMs: s.now().Sub(began).Milliseconds(),
	}
	switch {
	case failed == len(steps):
		run.Result = types.RetentionResultFailed
	case failed > 0:
		run.Result = types.RetentionResultPartial
	case ctx.Err() == nil:
		s.store.Recover(errcode.CodeRetentionFailed)
	}
	if w.rows > 0 || w.bytes > 0 {
		s.opts.Log.Info("records pruned", "rows", w.rows, "sessions", w.sessions, "bytes", w.bytes)
	}
	return run
}

// sweep is one run.
type sweep struct {
	*Sweeper
	ctx            context.Context
	steps          int
	rows, sessions int
	bytes          int64
}

// more counts a step, and reports whether there may be another.
func (w *sweep) more() bool {
	w.steps++
	return w.steps <= maxSteps && w.ctx.Err() == nil
}

func (w *sweep) logs() error {
	for w.more() {
		n, err := w.store.PruneLogs(w.ctx, w.now().Add(-maxLogAge), maxStepRows)
		w.rows += n
		if err != nil || n == 0 {
			return err
		}
	}
	return nil
}

func (w *sweep) age() error {
	_, err := w.before(w.now().Add(-w.opts.MaxAge))
	return err
}

// before removes what is older than a time, and reports whether it removed anything.
func (w *sweep) before(at time.Time) (removed bool, err error) {
	for w.more() {
		n, files, err := w.store.Prune(w.ctx, at, maxStepRows)
		w.rows += n
		removed = removed || n > 0
		if err != nil {
			return removed, err
		}
		var failed error // A file that cannot be removed holds up no other; it goes with its session at the latest.
		for _, file := range files {
			freed, err := w.artifacts.RemoveArtifact(file)
			w.bytes += freed
			failed = errors.Join(failed, err)
		}
		if failed != nil {
			return removed, fmt.Errorf("files of records: %w", failed)
		}
		if n == 0 {
			break
		}
	}
	for w.more() {
		ids, err := w.store.Ended(w.ctx, at, maxStepSessions)
		if err != nil || len(ids) == 0 {
			return removed, err
		}
		for _, id := range ids {
			freed, err := w.artifacts.RemoveArtifacts(id)
			w.bytes += freed
			if err != nil {
				return removed, fmt.Errorf("files of a session: %w", err)
			}
			if err := w.store.ForgetSession(w.ctx, id); err != nil {
				return removed, err
			}
			w.sessions++
			removed = true
		}
	}
	return removed, nil
}

// errTooLarge is what is left when nothing more can be removed.
var errTooLarge = errors.New("archived and running sessions alone exceed the size")

// size removes the oldest until the rest fits.
func (w *sweep) size() error {
	for w.more() {
		rows, err := w.store.Bytes(w.ctx)
		if err != nil {
			return err
		}
		files, err := w.artifacts.ArtifactBytes()
		if err != nil {
			return err
		}
		if rows+files <= w.opts.MaxBytes {
			return nil
		}
		at, ok, err := w.store.Oldest(w.ctx, maxStepRows)
		if err != nil {
			return err
		}
		if !ok {
			at = w.now() // Only files are left.
		}
		removed, err := w.before(at.Add(time.Millisecond))
		if err != nil {
			return err
		}
		if !removed {
			return errTooLarge
		}
	}
	return nil
}

// compact gives what was removed back to the file system.
func (w *sweep) compact() error {
	for w.more() {
		more, err := w.store.Compact(w.ctx, maxStepPages)
		if err != nil || !more {
			return err
		}
	}
	return nil
}
