package session

import (
	"context"
	"log/slog"
	"sort"
	"sync"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/browser"
)

// Dirs is where sessions keep their files.
type Dirs interface {
	MakeSession(id string) error
	RemoveSession(id string) error
	Profile(id string) string
}

// Options are the settings of a registry.
type Options struct {
	// Max is how many sessions may exist at once, launches under way included; 0 means any number.
	Max int
	// Lease is how long a session lives without being used.
	Lease time.Duration
	// CloseTimeout bounds the close of one session.
	CloseTimeout time.Duration
	// Persistence is the mode of sessions that do not choose one.
	Persistence types.PersistenceMode
	// Stealth is whether sessions that do not choose present an ordinary browser.
	Stealth bool
	// Display reports whether the host can show windows.
	Display bool
	// Spare keeps a browser ready for the next launch, where FreeMemory can tell how many bytes the host has for
	// it.
	Spare      bool
	FreeMemory func() (bytes uint64, ok bool)
	// Observer is told of the lives of sessions; nil is told nothing.
	Observer Observer
	Log      *slog.Logger
}

// Observer is told of the lives of sessions. Its methods return at once.
type Observer interface {
	// Launched comes before anybody can use the session.
	Launched(s *Session)
	// Ended comes when the browser is gone. lastURL is the address of the last active tab, nil when none
	// was open.
	Ended(s *Session, why Reason, lastURL *string)
	// LaunchFailed tells of a session that never became one.
	LaunchFailed(id string, owner auth.Principal, q Request, mode types.PersistenceMode)
}

// maxCrashed bounds how many crashed sessions are remembered, so that a caller is told SESSION_DEAD
// rather than that the session never was. The oldest are forgotten.
const maxCrashed = 128

// Registry holds the sessions of a server.
type Registry struct {
	opts     Options
	launcher Launcher
	dirs     Dirs
	saved    Saved
	spare    spare[*browser.Browser]

	mu        sync.Mutex
	sessions  map[string]*Session // live and draining
	crashed   []*Session          // oldest first
	launching int
	stopping  bool
	closing   sync.WaitGroup // sessions whose browser is not gone yet
}

// NewRegistry returns a registry that launches with l and keeps files in d, and in v what is to outlive
// sessions.
func NewRegistry(o Options, l Launcher, d Dirs, v Saved) *Registry {
	r := &Registry{opts: o, launcher: l, dirs: d, saved: v, sessions: map[string]*Session{}}
	r.spare.prepare, r.spare.room, r.spare.log = l.Prepare, r.roomForSpare, o.Log
	return r
}

// watch ends the session when its browser dies by itself.
func (r *Registry) watch(s *Session) {
	select {
	case <-s.ctx.Done():
		return
	case <-s.running.Done():
	}
	s.mu.Lock()
	if s.state != Live {
		s.mu.Unlock()
		return
	}
	s.state = Crashed
	s.timer.Stop()
	s.mu.Unlock()
	r.mu.Lock()
	delete(r.sessions, s.ID)
	r.crashed = append(r.crashed, s)
	if len(r.crashed) > maxCrashed {
		r.crashed = r.crashed[1:]
	}
	r.mu.Unlock()
	r.opts.Log.Error("session crashed", "session_id", s.ID, "err", s.browser.Err())
	r.end(s, Crash)
	r.closing.Done()
}

func (r *Registry) expire(s *Session) {
	if !s.Expires().After(time.Now()) {
		r.close(s, LeaseExpired)
	}
}

// Acquire finds a live session for a caller and renews its lease. A session of somebody else is not
// found, exactly as one that does not exist.
func (r *Registry) Acquire(id string, p auth.Principal) (*Session, error) {
	s, err := r.find(id, p)
	if err != nil {
		return nil, err
	}
	switch st := s.State(); st {
	case Live:
		s.Touch(time.Now())
		return s, nil
	case Crashed:
		return nil, errcode.SessionDead{SessionID: id}.Err()
	default:
		return nil, errcode.SessionNotAvailable{SessionID: id, State: string(st)}.Err()
	}
}

func (r *Registry) find(id string, p auth.Principal) (*Session, error) {
	r.mu.Lock()
	s := r.sessions[id]
	if s == nil {
		for _, c := range r.crashed {
			if c.ID == id {
				s = c
			}
		}
	}
	r.mu.Unlock()
	if s == nil {
		return nil, errcode.SessionNotFound{SessionID: id}.Err()
	}
	if !p.Owns(s.Owner) {
		// The caller is told that there is no such session; the operator reads the truth in the cause.
		return nil, errcode.SessionNotFound{SessionID: id}.Err().Because(errcode.SessionAccessDenied{SessionID: id}.Err())
	}
	return s, nil
}

// List returns the live sessions that a caller may use, oldest first.
func (r *Registry) List(p auth.Principal) []*Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []*Session
	for _, s := range r.sessions {
		if p.Owns(s.Owner) && s.State() == Live {
			out = append(out, s)
		}
	}
	sort.Slice(out, func(i, j int) bool {
		if !out[i].CreatedAt.Equal(out[j].CreatedAt) {
			return out[i].CreatedAt.Before(out[j].CreatedAt)
		}
		return out[i].ID < out[j].ID
	})
	return out
}

// Counts returns how many sessions are live and how many are being launched.
func (r *Registry) Counts() (live, launching int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.sessions), r.launching
}

// Max is the number of sessions allowed at once; 0 means any number.
func (r *Registry) Max() int { return r.opts.Max }

// Persistence is the mode of sessions that do not choose one.
func (r *Registry) Persistence() types.PersistenceMode { return r.opts.Persistence }

// Close ends a session and waits until its browser is gone. closed is false when there is no such
// session for the caller, or when another call is closing it. loginSaved is nil unless the session saves its
// login when it closes.
func (r *Registry) Close(id string, p auth.Principal, why Reason) (closed bool, loginSaved *bool) {
	s, err := r.find(id, p)
	if err != nil {
		return false, nil // an unknown session is closed already, which is what was asked for
	}
	if s.State() == Crashed {
		return r.forget(s), nil
	}
	if !r.close(s, why) {
		return false, nil
	}
	return true, s.loginSaved
}

// forget drops a crashed session.
func (r *Registry) forget(s *Session) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, c := range r.crashed {
		if c == s {
			r.crashed = append(r.crashed[:i], r.crashed[i+1:]...)
			return true
		}
	}
	return false
}

func (r *Registry) close(s *Session, why Reason) bool {
	s.mu.Lock()
	if s.state != Live {
		s.mu.Unlock()
		<-s.done
		return false
	}
	s.state = Draining
	s.timer.Stop()
	s.mu.Unlock()
	r.end(s, why)
	r.mu.Lock()
	delete(r.sessions, s.ID)
	r.mu.Unlock()
	r.closing.Done()
	return true
}

// end saves what the session is to leave behind, stops the browser, by force when it does not stop by
// itself, and removes what the session does not keep on disk.
func (r *Registry) end(s *Session, why Reason) {
	defer s.forget() // What is said and kept of the end may still hold its secrets.
	s.cancel()
	lastURL := s.CurrentURL()
	ctx, cancel := context.WithTimeout(context.Background(), r.opts.CloseTimeout)
	defer cancel()
	if s.State() == Draining { // It was live, and its browser did not die.
		saving, done := context.WithTimeout(ctx, r.opts.CloseTimeout/2) // The rest is for the browser's own end.
		r.saveAtClose(saving, s)
		done()
	}
	if err := s.running.Close(ctx); err != nil {
		r.opts.Log.Warn("session closed by force", "session_id", s.ID, "err", err)
	}
	if rm := r.dirs.RemoveSession(s.ID); rm != nil {
		r.opts.Log.Warn("session directory not removed", "session_id", s.ID, "err", rm)
	}
	s.mu.Lock()
	if s.state != Crashed {
		s.state = Closed
	}
	s.mu.Unlock()
	close(s.done)
	r.opts.Log.Info("session closed", "session_id", s.ID, "reason", string(why))
	if r.opts.Observer != nil {
		r.opts.Observer.Ended(s, why, lastURL)
	}
}

// Stop refuses new sessions and closes those that exist, at once and together.
func (r *Registry) Stop(ctx context.Context) error {
	r.mu.Lock()
	r.stopping = true
	var all []*Session
	for _, s := range r.sessions {
		all = append(all, s)
	}
	r.mu.Unlock()
	for _, s := range all {
		go r.close(s, Shutdown)
	}
	gone := make(chan struct{})
	go func() {
		r.spare.stop()
		r.closing.Wait()
		close(gone)
	}()
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
