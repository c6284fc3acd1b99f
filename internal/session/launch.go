package session

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"math/big"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/secret"
)

// Launcher starts browsers. A browser that Prepare started is for no session yet; Adopt gives it to one.
type Launcher interface {
	// Engine is the driver for a session that starts now.
	Engine(stealth bool) types.Engine
	// Warm starts a driver of the engine in the background, unless one has room.
	Warm(engine types.Engine)
	Launch(ctx context.Context, o browser.LaunchOptions) (*browser.Browser, error)
	Prepare(ctx context.Context, ahead browser.LaunchOptions) (*browser.Browser, error)
	Adopt(ctx context.Context, prepared *browser.Browser, o browser.LaunchOptions) (*browser.Browser, error)
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
	// Client is what the caller's MCP client says of itself, nil when it gives no name.
	Client *types.SessionClient
	// Secrets has those of the request, and becomes the session's. Nil keeps none.
	Secrets *secret.Keep
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
	if err == nil {
		err = r.admit(s)
	} else {
		r.launched()
	}
	if err != nil {
		return nil, err
	}
	if s.wish.key != "" {
		r.spare.launched(s.wish)
	}
	r.opts.Log.Info("session launched", "session_id", s.ID, "owner", s.Owner, "channel", string(s.Channel), "pid", s.browser.PID())
	return s, nil
}

// launched is the end of a launch that reserve began.
func (r *Registry) launched() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.launching--
}

// admit makes a launched session live, or ends it when the server is stopping: Stop closes what it finds live, and
// what becomes live after that closes itself here.
func (r *Registry) admit(s *Session) error {
	r.mu.Lock()
	r.launching--
	r.sessions[s.ID] = s
	r.closing.Add(1)
	r.mu.Unlock()
	if r.opts.Observer != nil {
		r.opts.Observer.Launched(s)
	}
	s.mu.Lock()
	s.state = Live
	s.timer = time.AfterFunc(s.lease, func() { r.expire(s) })
	s.mu.Unlock()
	go r.watch(s)
	r.mu.Lock()
	stopping := r.stopping
	r.mu.Unlock()
	if stopping {
		r.close(s, Shutdown)
		return errcode.CallCancelled{}.Err()
	}
	return nil
}

// Expect makes ready what the next launch takes longest for: a driver, and a browser for a launch such as the last
// one, or such as q before any. It returns at once; called again it keeps both for longer.
func (r *Registry) Expect(q Request) {
	if r.opts.Spare {
		r.spare.aside(func() { r.expect(q) })
	}
}

// expect is Expect for somebody who can wait: which driver it takes is known after a look at the host.
func (r *Registry) expect(q Request) {
	o := r.options(q)
	r.launcher.Warm(o.Engine)
	if mode, err := r.mode(q); err != nil || mode == types.PersistenceModePersistent {
		return // Such a browser has a profile of its own, and cannot stand ready.
	}
	if ahead, key, ok := o.Ahead(); ok {
		r.spare.expect(wish{key, ahead})
	}
}

// Readiness says how far the browser of the next launch is: ready, starting, or neither, when a launch has to start
// it.
func (r *Registry) Readiness() (ready, starting bool) { return r.spare.state() }

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
	forget := q.Secrets.Hold()
	s, err := r.begin(ctx, id, owner, q, mode, state)
	if err != nil {
		defer forget()
		r.opts.Log.Warn("session closed", "session_id", id, "owner", owner.Name, "reason", string(LaunchFailed), "err", err)
		if r.opts.Observer != nil {
			r.opts.Observer.LaunchFailed(id, owner, q, mode)
		}
		if rm := r.dirs.RemoveSession(id); rm != nil {
			r.opts.Log.Warn("session directory not removed", "session_id", id, "err", rm)
		}
		return nil, err
	}
	s.forget = forget
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
	o := r.options(q)
	o.SessionID, o.StorageState, o.ProfileState = id, state, profileState
	o.OnSecret = func(text string) { q.Secrets.Add(text) }
	if mode == types.PersistenceModePersistent {
		o.ProfileDir = r.dirs.Profile(id) // The profiles of others are temporary.
	}
	b, next, err := r.browser(ctx, o)
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
		CreatedAt: now, state: Launching, browser: b, running: b, lastUse: now, expires: now.Add(r.opts.Lease),
		Client: q.Client, wish: next, secrets: q.Secrets, lease: r.opts.Lease, done: make(chan struct{}), ProxyLabel: optional(browser.ProxyLabel(q.LaunchOptions, q.ContextOptions)),
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

// options are those of a launch that it takes from the request alone.
func (r *Registry) options(q Request) browser.LaunchOptions {
	stealth := r.opts.Stealth
	if q.Stealth != nil {
		stealth = *q.Stealth
	}
	return browser.LaunchOptions{
		Channel: string(q.Channel), Headless: q.Headless, Stealth: stealth, Engine: r.launcher.Engine(stealth),
		Launch: q.LaunchOptions, Context: q.ContextOptions,
	}
}

// browser returns the browser of a session: the spare if it suits, else one that starts now. next is the spare for
// another such launch; it has no key where there can be none.
func (r *Registry) browser(ctx context.Context, o browser.LaunchOptions) (b *browser.Browser, next wish, err error) {
	if ahead, key, ok := o.Ahead(); ok && r.opts.Spare {
		next = wish{key, ahead}
		if prepared, found := r.spare.take(ctx, key); found {
			b, err := r.launcher.Adopt(ctx, prepared, o)
			if contract.CodeOf(err) != errcode.CodeBrowserCrashed { // Else it has just died, and a new one will do.
				return b, next, err
			}
		}
	}
	if r.full() {
		r.spare.yield(ctx)
	}
	b, err = r.launcher.Launch(ctx, o)
	return b, next, err
}

// full reports whether the sessions leave no place for a spare beside them.
func (r *Registry) full() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.opts.Max > 0 && len(r.sessions)+r.launching >= r.opts.Max
}

// roomForSpare reports whether a spare may be started: no launch is under way, maxSessions leaves a place,
// and the host has memory to spare.
func (r *Registry) roomForSpare() bool {
	r.mu.Lock()
	launching := r.launching
	r.mu.Unlock()
	free, ok := r.opts.FreeMemory()
	return launching == 0 && !r.full() && ok && free >= minSpareMemory
}

// alphabet of the random part of an id: 36^8 values.
const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz"

// SlugOf is the slug in a session's id.
func SlugOf(id string) string {
	if n := len(id) - nanoidLength - 1; n > 0 {
		return id[:n]
	}
	return id
}

// nanoidLength is how long the random part of an id is.
const nanoidLength = 8

func nanoid() string {
	b := make([]byte, nanoidLength)
	for i := range b {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(alphabet))))
		if err != nil {
			panic(err) // the kernel's random source does not fail; ids must not become guessable
		}
		b[i] = alphabet[n.Int64()]
	}
	return string(b)
}
