package session

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/contract"
)

// slow is an observer that takes its time over a launch.
type slow struct {
	Observer
	told  chan struct{}
	ended int
}

func (o *slow) Launched(*Session)               { <-o.told }
func (o *slow) Ended(*Session, Reason, *string) { o.ended++ }

// nowhere keeps no files.
type nowhere struct{ Dirs }

func (nowhere) RemoveSession(string) error { return nil }

// A session that becomes live after Stop has looked for live ones ends by itself, and Stop waits for that and for
// nothing more.
func TestLaunchThatStopHasPassedEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		watching := &slow{told: make(chan struct{})}
		r := NewRegistry(Options{
			Lease: time.Hour, CloseTimeout: time.Minute, Observer: watching, Log: slog.New(slog.DiscardHandler),
		}, nobody{}, nowhere{}, nil)
		r.launching = 1
		b := &fake{done: make(chan struct{})}
		s := &Session{
			ID: "late-1", state: Launching, browser: new(browser.Browser), running: b, lease: time.Hour,
			done: make(chan struct{}), forget: func() {},
		}
		s.ctx, s.cancel = context.WithCancel(t.Context())

		launched, stopped := make(chan error, 1), make(chan error, 1)
		go func() { launched <- r.admit(s) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		began := time.Now()
		go func() { stopped <- r.Stop(ctx) }()
		synctest.Wait()
		close(watching.told)
		if err := <-launched; contract.CodeOf(err) != errcode.CodeCallCancelled {
			t.Errorf("the launch answers %v", err)
		}
		if err := <-stopped; err != nil || time.Since(began) > 0 {
			t.Errorf("Stop answered %v after %v", err, time.Since(began))
		}
		if s.State() != Closed || !b.closed.Load() || watching.ended != 1 {
			t.Errorf("the session is %s, its browser closed %v, its end told %d times", s.State(), b.closed.Load(), watching.ended)
		}
		if live, launching := r.Counts(); live != 0 || launching != 0 {
			t.Errorf("%d live, %d launching", live, launching)
		}
	})
}

// looking is a launcher that takes its time to say which driver a session gets.
type looking struct {
	nobody
	looks chan struct{}
}

func (l looking) Engine(bool) types.Engine { <-l.looks; return types.EnginePlaywright }
func (looking) Warm(types.Engine)          {}

// What makes ready for a launch delays neither the start of a server nor a client, and ends with the server.
func TestExpectReturnsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := looking{looks: make(chan struct{})}
		r := NewRegistry(Options{
			Spare: true, Log: slog.New(slog.DiscardHandler), FreeMemory: func() (uint64, bool) { return 0, true },
		}, l, nowhere{}, nil)
		for range 3 {
			r.Expect(Request{})
		}
		synctest.Wait()
		if ready, starting := r.Readiness(); ready || starting {
			t.Error("a browser starts before the driver is known")
		}
		close(l.looks)
		if err := r.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
