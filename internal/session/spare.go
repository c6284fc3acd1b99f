package session

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/browserhive/browserhive/internal/browser"
)

const (
	// spareLifetime is how long after the last launch a spare is kept. An agent at work launches again within
	// minutes; after that, an idle server should hold no browser of some hundred MB for nobody.
	spareLifetime = 5 * time.Minute
	// spareDelay is how long after a launch the next spare is started, and how long it waits when there is
	// no room: the session that was just launched gets the cores for its first page, and further launches
	// of a burst go first.
	spareDelay = 500 * time.Millisecond
	// rowInterval is how soon after the last launch another one makes a row of them. In a row the next spare is
	// started at once, because the next launch is more likely to wait for it than the page to miss the core.
	rowInterval = 10 * time.Second
	// maxSpareDelay bounds the pause after a spare that did not start or died, which doubles each time. One
	// attempt a minute is no burden, and none is made after spareLifetime.
	maxSpareDelay = time.Minute
	// minSpareMemory is how much memory the host must have free for a spare: what maxSessions reckons with for
	// a session, so that a spare never takes what running sessions may still grow into.
	minSpareMemory = 3 << 29
	// spareCloseTimeout bounds the end of a spare that nobody took. It has nothing to save.
	spareCloseTimeout = 5 * time.Second
)

// running is what a browser is to those who only see to its end.
type running interface {
	Done() <-chan struct{}
	Close(ctx context.Context) error
}

// spare keeps one browser ready that no session has had yet, so that a launch that it suits need not wait
// for a browser to start. It suits launches of the same key. No caller can tell that there is one: it is no
// session, and it gives way when a session needs its place.
type spare[B running] struct {
	prepare func(ctx context.Context, ahead browser.LaunchOptions) (B, error)
	// room reports whether a spare may be started now.
	room func() bool
	log  *slog.Logger

	mu        sync.Mutex
	kept      *keeping[B] // nil while none is wanted
	stopped   bool
	expecting bool // Whether a task of aside is under way.
	keepers   sync.WaitGroup
	// The last launch that asked for one, for expect and to know a row.
	last   wish
	lastAt time.Time
}

// wish is what a spare is wanted for.
type wish struct {
	key   string
	ahead browser.LaunchOptions
}

// keeping is one spare from the wish for it to its end.
type keeping[B running] struct {
	key    string
	ctx    context.Context
	cancel context.CancelFunc
	expiry *time.Timer
	// attempt is the browser that is ready or starts; nil in between. spare.mu guards it.
	attempt *attempt[B]
}

// attempt is one start of a spare.
type attempt[B running] struct {
	cancel  context.CancelFunc // ends it
	started chan struct{}      // closed when b and err are set
	b       B
	err     error
	taken   chan struct{} // closed when a session has it
	over    chan struct{} // closed when a session has it or nothing of it runs any more
	// spare.mu guards these.
	awaited bool // a launch waits for it
	settled bool // a session has it, or it is being closed
}

// launched asks for a spare for launches such as the one that has just been made, in place of one of another key.
func (s *spare[B]) launched(w wish) {
	s.mu.Lock()
	defer s.mu.Unlock()
	pause := spareDelay
	if now := time.Now(); now.Sub(s.lastAt) < rowInterval && !s.lastAt.IsZero() {
		pause = 0
	}
	s.last, s.lastAt = w, time.Now()
	s.want(w, pause)
}

// aside runs a task that stop waits for, and returns at once. While one is under way it drops others, which would
// only ask for the same.
func (s *spare[B]) aside(task func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped || s.expecting {
		return
	}
	s.expecting = true
	s.keepers.Go(func() {
		task()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.expecting = false
	})
}

// expect asks for a spare at once, because a launch is likely: one such as the last one, or before any launch
// such as w.
func (s *spare[B]) expect(w wish) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last.key != "" {
		w = s.last
	}
	s.want(w, 0)
}

// want asks for a spare, started after the pause, and starts the time anew for which it is kept. mu is held.
func (s *spare[B]) want(w wish, pause time.Duration) {
	if s.stopped {
		return
	}
	if k := s.kept; k != nil && k.ctx.Err() == nil {
		if k.key == w.key {
			k.expiry.Reset(spareLifetime)
			return
		}
		k.cancel()
	}
	k := &keeping[B]{key: w.key}
	k.ctx, k.cancel = context.WithCancel(context.Background())
	k.expiry = time.AfterFunc(spareLifetime, k.cancel)
	s.kept = k
	s.keepers.Go(func() { s.keep(k, w.ahead, pause) })
}

// state is how far the spare is: ready for the next launch, on its way, or neither.
func (s *spare[B]) state() (ready, starting bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil || s.kept.attempt == nil || s.kept.attempt.settled {
		return false, false
	}
	select {
	case <-s.kept.attempt.started:
		return s.kept.attempt.err == nil, false
	default:
		return false, true
	}
}

// take hands out the spare if it has the key. One that is about to start is waited for, because it will be
// there before any that starts now.
func (s *spare[B]) take(ctx context.Context, key string) (b B, ok bool) {
	s.mu.Lock()
	k := s.kept
	var a *attempt[B]
	if k != nil && k.key == key {
		a = k.attempt
	}
	if a == nil || a.awaited || a.settled {
		s.mu.Unlock()
		return b, false
	}
	a.awaited = true
	s.mu.Unlock()
	select {
	case <-a.started:
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a.awaited = false
	if ctx.Err() != nil || a.err != nil || a.settled {
		return b, false
	}
	a.settled = true
	close(a.taken)
	if s.kept == k {
		s.kept = nil // The next wish is for another one.
	}
	return a.b, true
}

// yield ends the spare until there is room again, and waits until it is gone, or ctx ends.
func (s *spare[B]) yield(ctx context.Context) {
	s.mu.Lock()
	var a *attempt[B]
	if s.kept != nil {
		a = s.kept.attempt
	}
	s.mu.Unlock()
	if a == nil {
		return
	}
	a.cancel()
	select {
	case <-a.over:
	case <-ctx.Done():
	}
}

// stop ends the spare, for good, and waits until it is gone.
func (s *spare[B]) stop() {
	s.mu.Lock()
	s.stopped = true
	if s.kept != nil {
		s.kept.cancel()
	}
	s.mu.Unlock()
	s.keepers.Wait()
}

// keep starts a spare, again when it dies, until a session takes it or it is not wanted any more.
func (s *spare[B]) keep(k *keeping[B], ahead browser.LaunchOptions, pause time.Duration) {
	defer func() {
		k.expiry.Stop()
		k.cancel()
		s.mu.Lock()
		if s.kept == k {
			s.kept = nil
		}
		s.mu.Unlock()
	}()
	retry := spareDelay
	for wait(k.ctx, pause) {
		pause = spareDelay
		if !s.room() {
			continue
		}
		taken, failed := s.offer(k, ahead)
		if taken {
			return
		}
		if failed {
			retry = min(2*retry, maxSpareDelay)
			pause = retry
		}
	}
}

// offer starts one browser and keeps it until a session takes it, it fails, or it has to go.
func (s *spare[B]) offer(k *keeping[B], ahead browser.LaunchOptions) (taken, failed bool) {
	a := &attempt[B]{started: make(chan struct{}), taken: make(chan struct{}), over: make(chan struct{})}
	defer close(a.over)
	ctx, cancel := context.WithCancel(k.ctx)
	defer cancel()
	a.cancel = cancel
	s.mu.Lock()
	k.attempt = a
	s.mu.Unlock()
	began := time.Now()
	a.b, a.err = s.prepare(ctx, ahead)
	close(a.started)
	if a.err == nil {
		s.log.Debug("a browser is ready for the next session", "after", time.Since(began).Round(time.Millisecond))
		select {
		case <-a.taken:
		case <-ctx.Done():
		case <-a.b.Done():
			failed = true
		}
	}
	s.mu.Lock()
	k.attempt = nil
	taken, a.settled = a.settled, true
	s.mu.Unlock()
	switch {
	case taken:
		return true, false
	case a.err != nil:
		failed = ctx.Err() == nil
		if failed {
			s.log.Warn("a spare browser did not start", "err", a.err)
		}
		return false, failed
	case failed:
		s.log.Warn("a spare browser died")
	}
	closing, done := context.WithTimeout(context.Background(), spareCloseTimeout)
	defer done()
	if err := a.b.Close(closing); err != nil {
		s.log.Warn("a spare browser was closed by force", "err", err)
	}
	return false, failed
}

// wait reports whether the pause has passed before ctx ended.
func wait(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
