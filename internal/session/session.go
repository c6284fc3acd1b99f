// Package session owns browser sessions: who they belong to, how long they live, and what became of
// them. A session is one browser process with a profile of its own.
package session

import (
	"context"
	"sync"
	"time"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/secret"
)

// State is where a session is in its life.
type State = types.SessionState

// A session goes from launching to live, and ends as closed or crashed; draining is on the way to closed.
const (
	Launching = types.SessionStateLaunching
	Live      = types.SessionStateLive
	Draining  = types.SessionStateDraining
	Closed    = types.SessionStateClosed
	Crashed   = types.SessionStateCrashed
)

// Reason says why a session ended.
type Reason = types.ClosedReason

// Why sessions end.
const (
	ByUser       = types.ClosedReasonUser
	LeaseExpired = types.ClosedReasonLeaseExpired
	Crash        = types.ClosedReasonCrash
	Shutdown     = types.ClosedReasonShutdown
	LaunchFailed = types.ClosedReasonLaunchFailed
)

// Session is one browser session. Its methods are safe for concurrent use.
type Session struct {
	// Fixed at launch.
	ID, Slug, Owner string
	Channel         types.Channel
	Headless        bool
	Incognito       bool
	Persistence     types.PersistenceMode
	DisableEvaluate bool
	VaultEnabled    bool
	Stealth         bool
	ProxyLabel      *string              // without credentials; nil without a proxy
	Client          *types.SessionClient // what launched it; nil when it gave no name
	CreatedAt       time.Time

	turns   turns
	secrets *secret.Keep
	forget  func() // lets go of secrets

	// ctx ends when the session starts to close, so that calls in flight end with it.
	ctx    context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	state   State
	browser *browser.Browser
	running running // The same browser, as what the session lives and ends with.
	wish    wish    // The spare for another such launch; it has no key where there can be none.
	lastUse time.Time
	expires time.Time
	lease   time.Duration
	timer   *time.Timer
	done    chan struct{} // closed when the browser is gone and the directory is removed

	loginSaved *bool // set before done is closed; nil for a session that saves none
}

// Browser is the running browser.
func (s *Session) Browser() *browser.Browser { return s.browser }

// Context ends when the session starts to close.
func (s *Session) Context() context.Context { return s.ctx }

// Secrets are what the session was handed and typed. They are known until it has ended, and nothing can be
// added afterwards, unless somebody holds them.
func (s *Session) Secrets() *secret.Keep { return s.secrets }

// State is where the session is in its life.
func (s *Session) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Touch renews the lease.
func (s *Session) Touch(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastUse = now
	s.expires = now.Add(s.lease)
	if s.timer != nil && s.state == Live {
		s.timer.Reset(s.lease)
	}
}

// LastUse is when a call last used the session, or its launch.
func (s *Session) LastUse() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lastUse
}

// Expires is when the session closes unless it is used.
func (s *Session) Expires() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.expires
}

// CurrentURL is the address of the active tab, or nil when none is open.
func (s *Session) CurrentURL() *string {
	p, err := s.browser.Page("")
	if err != nil {
		return nil
	}
	u := p.URL()
	return &u
}

// Summary is the session as tools show it.
func (s *Session) Summary() types.SessionSummary {
	return types.SessionSummary{
		SessionID: s.ID, Slug: s.Slug, Channel: s.Channel, Incognito: s.Incognito, Headless: s.Headless,
		PersistenceMode: s.Persistence, CurrentURL: s.CurrentURL(), CreatedAt: s.CreatedAt.UnixMilli(), Owner: s.Owner,
		LeaseExpiresAt: s.Expires().UnixMilli(), DisableEvaluate: s.DisableEvaluate, VaultEnabled: s.VaultEnabled,
		Stealth: s.Stealth, Engine: s.browser.Engine(), Identity: identity(s.browser.Identity()), ProxyLabel: s.ProxyLabel,
	}
}

// optional is nil for "".
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Identity is what the session's pages see, or nil when it could not be read.
func (s *Session) Identity() *types.Identity { return identity(s.browser.Identity()) }

func identity(id *browser.Identity) *types.Identity {
	if id == nil {
		return nil
	}
	out := &types.Identity{
		UserAgent: id.UserAgent, Platform: id.Platform, ChromeVersion: id.ChromeVersion, Locale: id.Locale,
		Languages: id.Languages, Timezone: id.Timezone, Webdriver: id.WebDriver, DeviceMemory: id.DeviceMemory,
		HardwareConcurrency: int64(id.HardwareConcurrency),
		Screen: types.Screen{
			Width: int64(id.Screen.Width), Height: int64(id.Screen.Height), AvailWidth: int64(id.Screen.AvailWidth),
			AvailHeight: int64(id.Screen.AvailHeight), DevicePixelRatio: id.Screen.DevicePixelRatio,
		},
	}
	if out.Languages == nil {
		out.Languages = []string{}
	}
	for _, b := range id.Brands {
		out.Brands = append(out.Brands, types.Brand{Brand: b.Brand, Version: b.Version})
	}
	if len(id.Brands) > 0 { // the client hints could be read
		out.PlatformVersion, out.Architecture, out.Bitness, out.Mobile = &id.PlatformVersion, &id.Architecture, &id.Bitness, &id.Mobile
	}
	if id.Viewport != nil {
		out.Viewport = &types.Viewport{Width: int64(id.Viewport.Width), Height: int64(id.Viewport.Height)}
	}
	return out
}
