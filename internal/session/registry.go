package session

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"math/big"
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

// Launcher starts browsers.
type Launcher interface {
	Launch(ctx context.Context, o browser.LaunchOptions) (*browser.Browser, error)
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
	Log     *slog.Logger
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
	return &Registry{opts: o, launcher: l, dirs: d, saved: v, sessions: map[string]*Session{}}
}

// Request is what a caller asks of a launch.
type Request struct {
	Slug                  string
	Channel               types.Channel
	Headless              bool
	Incognito             bool
	Persistence           *types.PersistenceMode
	RestoreProfile        *string
	LaunchOptions         *types.LaunchOptions
	ContextOptions        *types.ContextOptions
	DisableEvaluate       bool
	VaultEnabled          bool
	Stealth               *bool
	Fingerprint, Humanize *bool
}

// Launch starts a session for owner. It fails with SESSION_LIMIT_REACHED, INVALID_PERSISTENCE_CONFIG,
// AUTH_STATE_NOT_FOUND, UNSAFE_LAUNCH_ARG, INVALID_ARGUMENTS, or with what the browser says.
func (r *Registry) Launch(ctx context.Context, owner auth.Principal, q Request) (*Session, error) {
	mode, err := r.mode(q)
	if err != nil {
		return nil, err
	}
	if err := browser.CheckOptions(q.LaunchOptions, q.ContextOptions, owner.All); err != nil {
		return nil, err
	}
	state, err := r.storageState(owner, q)
	if err != nil {
		return nil, err
	}
	if !q.Headless && !r.opts.Display {
		return nil, errcode.InvalidArguments{Issues: []errcode.InvalidArgumentsIssuesItem{
			{Path: "headless", Message: "must be true: the server's host has no display"},
		}}.Err()
	}
	if err := r.reserve(); err != nil {
		return nil, err
	}
	s, err := r.launch(ctx, owner, q, mode, state)
	r.mu.Lock()
	r.launching--
	if err == nil && r.stopping {
		err = errcode.CallCancelled{}.Err() // the server is stopping
	} else if err == nil {
		r.sessions[s.ID] = s
		r.closing.Add(1)
	}
	r.mu.Unlock()
	if err != nil {
		if s != nil {
			r.end(s, Shutdown)
		}
		return nil, err
	}
	s.mu.Lock()
	s.state = Live
	s.timer = time.AfterFunc(s.lease, func() { r.expire(s) })
	s.mu.Unlock()
	go r.watch(s)
	r.opts.Log.Info("session launched", "session_id", s.ID, "owner", s.Owner, "channel", string(s.Channel))
	return s, nil
}

func (r *Registry) reserve() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopping {
		return errcode.CallCancelled{}.Err() // the server is stopping
	}
	if live := len(r.sessions) + r.launching; r.opts.Max > 0 && live >= r.opts.Max {
		return errcode.SessionLimitReached{Limit: int64(r.opts.Max), Live: int64(live)}.Err()
	}
	r.launching++
	return nil
}

func (r *Registry) launch(ctx context.Context, owner auth.Principal, q Request, mode types.PersistenceMode, state json.RawMessage) (*Session, error) {
	id := q.Slug + "-" + nanoid()
	r.mu.Lock()
	_, taken := r.sessions[id]
	r.mu.Unlock()
	if _, kept := r.saved.KeptProfile(id); taken || kept {
		return nil, errcode.SessionAlreadyExists{SessionID: id}.Err()
	}
	s, err := r.begin(ctx, id, owner, q, mode, state)
	if err != nil {
		r.opts.Log.Warn("session closed", "session_id", id, "owner", owner.Name, "reason", string(LaunchFailed), "err", err)
		if rm := r.dirs.RemoveSession(id); rm != nil {
			r.opts.Log.Warn("session directory not removed", "session_id", id, "err", rm)
		}
		return nil, err
	}
	return s, nil
}

// begin makes the session's directory and starts its browser. What it leaves behind when it fails is its
// caller's to remove.
func (r *Registry) begin(ctx context.Context, id string, owner auth.Principal, q Request, mode types.PersistenceMode, state json.RawMessage) (*Session, error) {
	if err := r.dirs.MakeSession(id); err != nil {
		return nil, err
	}
	profileState, err := r.restoreProfile(ctx, owner, q, id)
	if err != nil {
		return nil, err
	}
	stealth := r.opts.Stealth
	if q.Stealth != nil {
		stealth = *q.Stealth
	}
	b, err := r.launcher.Launch(ctx, browser.LaunchOptions{
		SessionID: id, Channel: string(q.Channel), Headless: q.Headless, Stealth: stealth,
		ProfileDir: r.dirs.Profile(id), Launch: q.LaunchOptions, Context: q.ContextOptions,
		StorageState: state, ProfileState: profileState,
	})
	if err != nil {
		return nil, err
	}
	for _, w := range b.Warnings() {
		r.opts.Log.Warn(w, "session_id", id)
	}
	now := time.Now()
	s := &Session{
		ID: id, Slug: q.Slug, Owner: owner.Name, Channel: q.Channel, Headless: q.Headless, Incognito: q.Incognito,
		Persistence: mode, DisableEvaluate: q.DisableEvaluate, VaultEnabled: q.VaultEnabled, Stealth: b.Stealth(), // what is presented, not what was asked for
		CreatedAt: now, state: Launching, browser: b, lastUse: now, expires: now.Add(r.opts.Lease),
		lease: r.opts.Lease, done: make(chan struct{}), ProxyLabel: optional(browser.ProxyLabel(q.LaunchOptions, q.ContextOptions)),
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if mode == types.PersistenceModePersistent {
		if err := r.saved.KeepProfile(id, s.record()); err != nil {
			closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.opts.CloseTimeout)
			defer cancel()
			return nil, errors.Join(err, b.Close(closing))
		}
	}
	return s, nil
}

// alphabet of the random part of an id: 36^8 values.
const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz"

func nanoid() string {
	b := make([]byte, 8)
	for i := range b {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(alphabet))))
		if err != nil {
			panic(err) // the kernel's random source does not fail; ids must not become guessable
		}
		b[i] = alphabet[n.Int64()]
	}
	return string(b)
}

// watch ends the session when its browser dies by itself.
func (r *Registry) watch(s *Session) {
	select {
	case <-s.ctx.Done():
		return
	case <-s.browser.Done():
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
// session for the caller, or when another call is closing it.
func (r *Registry) Close(id string, p auth.Principal, why Reason) (closed bool) {
	s, err := r.find(id, p)
	if err != nil {
		return false // an unknown session is closed already, which is what was asked for
	}
	if s.State() == Crashed {
		return r.forget(s)
	}
	return r.close(s, why)
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
	s.cancel()
	ctx, cancel := context.WithTimeout(context.Background(), r.opts.CloseTimeout)
	defer cancel()
	if s.State() == Draining { // It was live, and its browser did not die.
		saving, done := context.WithTimeout(ctx, r.opts.CloseTimeout/2) // The rest is for the browser's own end.
		r.saveAtClose(saving, s)
		done()
	}
	if err := s.browser.Close(ctx); err != nil {
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
