package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/install"
	"github.com/browserhive/browserhive/internal/logging"
	"github.com/browserhive/browserhive/internal/record"
	"github.com/browserhive/browserhive/internal/retention"
	"github.com/browserhive/browserhive/internal/secret"
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
		Images: s.dir.KeepImage, Traces: s.dir.KeepTrace, Log: s.module("record"),
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

// learnSettings makes the secrets of the configuration known, passwords in addresses among them.
func (s *Server) learnSettings() {
	for _, name := range install.ProxyVariables {
		s.secrets.Add(secret.InAddresses(s.env(name))...)
	}
	for _, k := range config.Keys {
		value := s.cfg.Get(k.Name)
		s.secrets.Add(secret.InAddresses(fmt.Sprint(value))...)
		if !k.Secret {
			continue
		}
		switch v := value.(type) {
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

// Database says what the open database is.
func (s *Server) Database(ctx context.Context) (store.Summary, error) { return s.store.Summary(ctx) }

func (s *Server) stopRecords(ctx context.Context) error {
	err := s.recorder.Stop(ctx)
	s.logs.Persist(0, nil) // What is logged from here on finds no database.
	return errors.Join(err, s.store.Close(ctx))
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
	traces   bool // Whether sessions are to be traced.
}

func (o observer) Launched(s *session.Session) {
	o.recorder.Session(record.Session{
		ID: s.ID, Slug: s.Slug, Owner: s.Owner, Channel: s.Channel, Engine: s.Browser().Engine(), Headless: s.Headless,
		Incognito: s.Incognito, Persistence: s.Persistence, DisableEvaluate: s.DisableEvaluate, VaultEnabled: s.VaultEnabled,
		Stealth: s.Stealth, ProxyLabel: s.ProxyLabel, Identity: s.Identity(), Client: s.Client,
		Warnings: s.Browser().Warnings(), Trace: o.trace(s.Browser().Traced()), CreatedAt: s.CreatedAt,
	})
}

// trace is how far the trace of a session is that has just been launched.
func (o observer) trace(traced bool) *record.Trace {
	switch {
	case traced:
		return &record.Trace{State: types.TraceStateRecording}
	case o.traces:
		return &record.Trace{State: types.TraceStateFailed}
	}
	return nil
}

func (o observer) Ended(s *session.Session, why session.Reason, lastURL *string) {
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

// maxTrace bounds the trace of one session while it is recorded, in bytes: an hour or two of busy pages. A
// quarter of what is kept in all is the bound where that is less.
const maxTrace = 256 << 20

func (s *Server) observed(o browser.LaunchOptions) browser.LaunchOptions {
	id := o.SessionID
	o.OnVisit = func(v browser.Visit) { s.recorder.Visit(id, v.TabID, v.URL, v.Title, v.At) }
	if s.cfg.Trace {
		o.Trace = &browser.TraceOptions{MaxBytes: min(maxTrace, s.cfg.RetentionBytes/4), Keep: func(ctx context.Context, t browser.Trace) {
			raw := record.RawTrace{CutUntil: t.CutUntil, Fault: t.Fault}
			for _, p := range t.Parts {
				raw.Parts = append(raw.Parts, record.TracePart{Dir: p.Dir, Name: p.Name})
			}
			s.recorder.Trace(ctx, id, raw)
		}}
	}
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
