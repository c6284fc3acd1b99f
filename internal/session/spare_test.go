package session

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/browserhive/browserhive/internal/browser"
)

// fake is a browser that takes startTime to start.
type fake struct {
	channel string
	done    chan struct{}
	closed  atomic.Bool
}

const startTime = 300 * time.Millisecond

func (f *fake) Done() <-chan struct{} { return f.done }

func (f *fake) Close(context.Context) error {
	f.closed.Store(true)
	return nil
}

// shop makes fakes and remembers them.
type shop struct {
	spare[*fake]
	tries  atomic.Int64
	made   list
	broken atomic.Bool // no browser starts
	noRoom atomic.Bool
}

// list is what was made.
type list struct {
	mu    sync.Mutex
	fakes []*fake
}

func (l *list) add(f *fake) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fakes = append(l.fakes, f)
}

func (l *list) all() []*fake {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.fakes)
}

func newShop() *shop {
	s := &shop{}
	s.log = slog.New(slog.DiscardHandler)
	s.room = func() bool { return !s.noRoom.Load() }
	s.prepare = func(ctx context.Context, ahead browser.LaunchOptions) (*fake, error) {
		s.tries.Add(1)
		if s.broken.Load() {
			return nil, errors.New("broken")
		}
		if !wait(ctx, startTime) {
			return nil, ctx.Err()
		}
		f := &fake{channel: ahead.Channel, done: make(chan struct{})}
		s.made.add(f)
		return f, nil
	}
	return s
}

// of is a wish for a spare of a channel.
func of(channel string) wish { return wish{channel, browser.LaunchOptions{Channel: channel}} }

// ask is what a launch of a channel does.
func (s *shop) ask(channel string) { s.launched(of(channel)) }

// pass lets time pass and everything come to rest.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (s *shop) wantMade(t *testing.T, n int) {
	t.Helper()
	if len(s.made.all()) != n {
		t.Fatalf("%d browsers were made, not %d", len(s.made.all()), n)
	}
}

func TestSpareSuitsLaunchesOfItsKeyAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShop()
		defer s.stop()
		if _, ok := s.take(t.Context(), "chromium"); ok {
			t.Fatal("there is a spare before the first launch")
		}
		s.ask("chromium")
		pass(spareDelay - 1)
		if s.tries.Load() != 0 {
			t.Error("it does not leave the cores to the session that was just launched")
		}
		pass(startTime + 1)
		if _, ok := s.take(t.Context(), "chrome"); ok {
			t.Error("another key took it")
		}
		f, ok := s.take(t.Context(), "chromium")
		s.ask("chromium") // As every launch does.
		if !ok || f.channel != "chromium" {
			t.Fatal("its own key did not")
		}
		if _, ok := s.take(t.Context(), "chromium"); ok {
			t.Error("two took it")
		}
		pass(spareDelay + startTime)
		s.wantMade(t, 2)
		if f.closed.Load() {
			t.Error("the spare was closed though a session has it")
		}
		if f, ok := s.take(t.Context(), "chromium"); !ok || f != s.made.all()[1] {
			t.Error("the second spare was not handed out")
		}
	})
}

func TestSpareThatStartsIsWaitedForByOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShop()
		defer s.stop()
		s.ask("chromium")
		pass(spareDelay + startTime/3)
		hurried, cancel := context.WithTimeout(t.Context(), startTime/3)
		defer cancel()
		if _, ok := s.take(hurried, "chromium"); ok {
			t.Error("taken after the caller's time was up")
		}
		got := make(chan bool)
		go func() {
			_, ok := s.take(t.Context(), "chromium")
			got <- ok
		}()
		synctest.Wait()
		began := time.Now()
		if _, ok := s.take(t.Context(), "chromium"); ok || time.Since(began) > 0 {
			t.Error("a second launch waited too")
		}
		if !<-got {
			t.Error("the launch that waited got none")
		}
		if d := time.Since(began); d >= startTime {
			t.Errorf("it waited %v", d)
		}
		s.wantMade(t, 1)
	})
}

func TestSpareStandsBeforeTheFirstLaunch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShop()
		defer s.stop()
		s.expect(of("chromium"))
		pass(startTime / 2)
		if ready, starting := s.state(); ready || !starting {
			t.Error("it does not say that it starts")
		}
		pass(startTime / 2)
		if ready, starting := s.state(); !ready || starting {
			t.Error("it does not say that it is ready")
		}
		pass(spareLifetime - startTime - time.Second)
		s.expect(of("chromium")) // As a client that connects does.
		pass(spareLifetime - time.Second)
		s.wantMade(t, 1)
		if _, ok := s.take(t.Context(), "chromium"); !ok {
			t.Error("it was given up though a launch is expected")
		}
		if ready, starting := s.state(); ready || starting {
			t.Error("it is told though a session has it")
		}
		s.ask("chrome")
		s.expect(of("chromium")) // What was launched last is the better guess.
		pass(spareDelay + startTime)
		if f, ok := s.take(t.Context(), "chrome"); !ok || f != s.made.all()[1] {
			t.Error("another client that connects has taken the place of the last key")
		}
		s.wantMade(t, 2)
	})
}

// In a row, a launch waits for the start of a browser and for nothing else.
func TestLaunchesInARowBeginTheNextAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShop()
		defer s.stop()
		s.ask("chromium")
		pass(spareDelay + startTime)
		for i := range 3 {
			began := time.Now()
			if _, ok := s.take(t.Context(), "chromium"); !ok {
				t.Fatalf("launch %d got none", i)
			}
			if d := time.Since(began); d > startTime {
				t.Errorf("launch %d waited %v", i, d)
			}
			s.ask("chromium")
			pass(startTime / 10)
		}
		pass(rowInterval + startTime)
		if _, ok := s.take(t.Context(), "chromium"); !ok {
			t.Fatal("the row left no spare")
		}
		made := len(s.made.all())
		s.ask("chromium") // Alone again: the cores are for its first page.
		pass(spareDelay - 1)
		s.wantMade(t, made)
		pass(startTime + 1)
		s.wantMade(t, made+1)
	})
}

func TestSpareOfAnotherKeyTakesItsPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShop()
		defer s.stop()
		s.ask("chromium")
		pass(spareDelay + startTime)
		s.ask("chrome")
		pass(spareDelay + startTime)
		s.wantMade(t, 2)
		if !s.made.all()[0].closed.Load() || s.made.all()[1].closed.Load() {
			t.Error("there are two spares, or none")
		}
		s.ask("edge") // And at once, while the next is on its way.
		pass(startTime / 2)
		s.ask("chrome")
		pass(spareDelay + startTime)
		s.wantMade(t, 3)
		if f, ok := s.take(t.Context(), "chrome"); !ok || f != s.made.all()[2] {
			t.Error("the last key has no spare")
		}
	})
}

func TestUnusedSpareIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShop()
		defer s.stop()
		s.ask("chromium")
		pass(spareLifetime - time.Second)
		s.ask("chromium") // Another launch, whose persistence kept it from the spare.
		pass(spareLifetime - time.Second)
		s.wantMade(t, 1)
		if s.made.all()[0].closed.Load() {
			t.Fatal("it was given up though launches go on")
		}
		pass(time.Second)
		if !s.made.all()[0].closed.Load() {
			t.Fatal("it stays forever")
		}
		pass(time.Hour)
		s.wantMade(t, 1)
		s.ask("chromium")
		pass(spareDelay + startTime)
		s.wantMade(t, 2)
	})
}

func TestSpareThatDiesIsReplacedLessAndLessOften(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShop()
		defer s.stop()
		s.ask("chromium")
		pass(spareDelay + startTime)
		close(s.made.all()[0].done)
		synctest.Wait()
		if !s.made.all()[0].closed.Load() {
			t.Error("what is left of it was not cleared away")
		}
		if _, ok := s.take(t.Context(), "chromium"); ok {
			t.Error("a dead one was handed out")
		}
		pass(2*spareDelay + startTime)
		s.wantMade(t, 2)
		close(s.made.all()[1].done)
		pass(4*spareDelay + startTime)
		s.wantMade(t, 3)

		s.tries.Store(0)
		s.broken.Store(true)
		close(s.made.all()[2].done)
		pass(time.Hour)
		if n := s.tries.Load(); n == 0 || n > 12 {
			t.Errorf("%d attempts", n)
		}
		s.broken.Store(false)
		s.ask("chromium")
		pass(spareDelay + startTime)
		s.wantMade(t, 4)
	})
}

func TestSpareWaitsForRoomAndYields(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShop()
		defer s.stop()
		s.noRoom.Store(true)
		s.ask("chromium")
		pass(time.Minute)
		if s.tries.Load() != 0 {
			t.Fatal("it was started without room for it")
		}
		s.noRoom.Store(false)
		pass(spareDelay + startTime)
		s.wantMade(t, 1)
		s.noRoom.Store(true) // As a launch does that takes the last place.
		s.yield(t.Context())
		if !s.made.all()[0].closed.Load() {
			t.Error("it did not give way")
		}
		s.yield(t.Context()) // Nothing to do.
		pass(time.Minute)
		s.wantMade(t, 1)
		s.noRoom.Store(false)
		pass(spareDelay + startTime/2)
		s.noRoom.Store(true)
		s.yield(t.Context()) // While one starts.
		pass(time.Minute)
		s.wantMade(t, 1)
		s.noRoom.Store(false)
		pass(spareDelay + startTime)
		s.wantMade(t, 2)
	})
}

func TestStopEndsTheSpareForGood(t *testing.T) {
	t.Parallel()
	for name, when := range map[string]time.Duration{"pausing": 0, "starting": spareDelay + startTime/2, "ready": spareDelay + startTime} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { // Which fails when a goroutine is left.
				s := newShop()
				s.ask("chromium")
				pass(when)
				s.stop()
				for _, f := range s.made.all() {
					if !f.closed.Load() {
						t.Error("it outlives the server")
					}
				}
				made := len(s.made.all())
				s.ask("chromium")
				pass(time.Minute)
				s.wantMade(t, made)
			})
		})
	}
}

// launcher of a registry that never gets to launch.
type nobody struct{ Launcher }

func (nobody) Prepare(context.Context, browser.LaunchOptions) (*browser.Browser, error) {
	return nil, errors.New("not asked for")
}

func TestRoomForASpare(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		max, live, launching int
		free                 uint64
		unknown              bool
		want                 bool
	}{
		"a place and memory":           {max: 2, live: 1, free: minSpareMemory, want: true},
		"no session yet":               {max: 1, free: minSpareMemory, want: true},
		"any number":                   {live: 50, free: minSpareMemory, want: true},
		"the last place is taken":      {max: 2, live: 2, free: minSpareMemory},
		"a launch is under way":        {max: 9, live: 1, launching: 1, free: minSpareMemory},
		"memory is short":              {max: 2, live: 1, free: minSpareMemory - 1},
		"the host does not tell":       {max: 2, live: 1, unknown: true},
		"the last place is on its way": {max: 1, launching: 1, free: minSpareMemory},
	} {
		r := NewRegistry(Options{
			Max: c.max, Spare: true, Log: slog.New(slog.DiscardHandler),
			FreeMemory: func() (uint64, bool) { return c.free, !c.unknown },
		}, nobody{}, nil, nil)
		r.launching = c.launching
		for i := range c.live {
			r.sessions[string(rune('a'+i))] = &Session{}
		}
		if got := r.roomForSpare(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if live, launching := r.Counts(); live != c.live || launching != c.launching {
			t.Errorf("%s: the spare is counted", name)
		}
	}
}
