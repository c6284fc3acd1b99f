package server

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/logging"
	"github.com/browserhive/browserhive/internal/record"
	"github.com/browserhive/browserhive/internal/retention"
	"github.com/browserhive/browserhive/internal/session"
	"github.com/browserhive/browserhive/internal/store"
)

// startRecords opens the database and marks what a dead server left in it.
func (s *Server) startRecords(ctx context.Context) (err error) {
	s.store, err = store.Open(ctx, store.Options{
		Dir: s.dir.Root, BackupsKeep: s.cfg.BackupsKeep, AppVersion: Version, Log: s.module("store"),
	})
	if err != nil {
		return err
	}
	s.recorder = record.New(record.Options{
		Results: s.cfg.RecordToolResults, QueryAllowlist: s.cfg.URLQueryAllowlist, Secrets: &s.secrets,
		Images: s.dir.KeepImage, Log: s.module("record"),
	}, s.store)
	if s.cfg.LogPersist != config.LogPersistOff {
		s.logs.Persist(logging.LevelOf(s.cfg.LogPersist), s.store)
	}
	n, err := s.store.Interrupt(ctx, time.Now())
	if err != nil {
		return err
	}
	if n > 0 {
		s.log.Warn("sessions of an earlier server were interrupted", "count", n)
	}
	return nil
}

// learnSettings makes the secrets of the configuration known.
func (s *Server) learnSettings() {
	for _, k := range config.Keys {
		if !k.Secret {
			continue
		}
		switch v := s.cfg.Get(k.Name).(type) {
		case string:
			s.secrets.Add(v)
		case []string:
			for _, one := range v {
				_, token, named := strings.Cut(one, ":") // As in authTokens.
				if !named {
					token = one
				}
				s.secrets.Add(token)
			}
		case map[string]string:
			s.secrets.Add(slices.Collect(maps.Values(v))...)
		}
	}
}

func (s *Server) stopRecords(ctx context.Context) error {
	s.logs.Persist(0, nil) // What is logged from here on finds no database.
	return s.store.Close(ctx)
}

// startRetention sweeps until the server stops.
func (s *Server) startRetention(context.Context) error {
	sweeper := retention.New(retention.Options{
		MaxAge: time.Duration(s.cfg.RetentionDays) * 24 * time.Hour, MaxBytes: s.cfg.RetentionBytes, Log: s.module("retention"),
	}, s.store, s.dir, time.Now)
	ctx, cancel := context.WithCancel(context.Background())
	var sweeping sync.WaitGroup
	sweeping.Go(func() { sweeper.Run(ctx) })
	s.stopSweeping = func() {
		cancel()
		sweeping.Wait()
	}
	return nil
}

func (s *Server) stopRetention(context.Context) error {
	s.stopSweeping()
	return nil
}

// observer records the lives of sessions.
type observer struct {
	recorder *record.Recorder
	typed    *typed
}

func (o observer) Launched(s *session.Session) {
	o.recorder.Session(record.Session{
		ID: s.ID, Slug: s.Slug, Owner: s.Owner, Channel: s.Channel, Engine: types.EnginePlaywright, Headless: s.Headless,
		Incognito: s.Incognito, Persistence: s.Persistence, DisableEvaluate: s.DisableEvaluate, VaultEnabled: s.VaultEnabled,
		Stealth: s.Stealth, ProxyLabel: s.ProxyLabel, Identity: s.Identity(), Client: s.Client,
		Warnings: s.Browser().Warnings(), CreatedAt: s.CreatedAt,
	})
}

func (o observer) Ended(s *session.Session, why session.Reason, lastURL *string) {
	o.typed.end(s.ID)
	o.recorder.End(record.End{SessionID: s.ID, At: time.Now(), Reason: why, LastURL: lastURL})
}

func (o observer) LaunchFailed(id string, owner auth.Principal, q session.Request, mode types.PersistenceMode) {
	now := time.Now()
	o.recorder.Session(record.Session{
		ID: id, Slug: q.Slug, Owner: owner.Name, Channel: q.Channel, Headless: q.Headless, Incognito: q.Incognito,
		Persistence: mode, DisableEvaluate: q.DisableEvaluate, VaultEnabled: q.VaultEnabled, Client: q.Client, CreatedAt: now,
	})
	o.recorder.End(record.End{SessionID: id, At: now, Reason: session.LaunchFailed})
}

// launcher is what sessions launch with: the drivers, told where documents go, and held to the blocklist.
func (s *Server) launcher() session.Launcher { return observedLauncher{s.drivers, s} }

// observedLauncher makes browsers tell of what they visit and of what was blocked.
type observedLauncher struct {
	session.Launcher
	server *Server
}

func (l observedLauncher) Launch(ctx context.Context, o browser.LaunchOptions) (*browser.Browser, error) {
	return l.Launcher.Launch(ctx, l.server.observed(o))
}

func (l observedLauncher) Adopt(ctx context.Context, prepared *browser.Browser, o browser.LaunchOptions) (*browser.Browser, error) {
	return l.Launcher.Adopt(ctx, prepared, l.server.observed(o))
}

func (s *Server) observed(o browser.LaunchOptions) browser.LaunchOptions {
	id := o.SessionID
	o.OnSecret = func(text string) { s.typed.add(id, s.secrets.Add(text)) }
	o.OnVisit = func(v browser.Visit) { s.recorder.Visit(id, v.TabID, v.URL, v.Title, v.At) }
	if s.blocklist == nil {
		return o
	}
	match := func(address string, source types.BlockSource, cause record.Cause) (pattern string, hit bool) {
		if pattern, hit = s.blocklist.Match(address, source); hit {
			s.recorder.Blocked(id, session.SlugOf(id), cause.CallID, cause.Tool, address, pattern, source, time.Now())
		}
		return pattern, hit
	}
	o.BlocksURL = func(ctx context.Context, url string) (string, bool) {
		return match(url, types.BlockSourceTool, record.CauseOf(ctx))
	}
	o.BlocksDocument = func(url string) (string, bool) { return match(url, types.BlockSourceNetwork, record.Cause{}) }
	return o
}

// typed is what was typed into password fields, by session, to be forgotten with it.
type typed struct {
	mu     sync.Mutex
	forget map[string][]func()
}

// mostTyped bounds how many texts of a session are known at once; the oldest is forgotten.
const mostTyped = 100

func (t *typed) add(session string, forget func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.forget == nil {
		t.forget = map[string][]func(){}
	}
	t.forget[session] = append(t.forget[session], forget)
	if list := t.forget[session]; len(list) > mostTyped {
		list[0]()
		t.forget[session] = list[1:]
	}
}

func (t *typed) end(session string) {
	t.mu.Lock()
	list := t.forget[session]
	delete(t.forget, session)
	t.mu.Unlock()
	for _, forget := range list {
		forget()
	}
}
