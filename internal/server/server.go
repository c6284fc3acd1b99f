// Package server boots BrowserHive: it wires the parts together, starts them in order, and stops them in
// reverse. It depends on everything, so nothing but commands, embedders and tests depends on it.
package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/blocklist"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/install"
	"github.com/browserhive/browserhive/internal/datadir"
	"github.com/browserhive/browserhive/internal/httpapi"
	"github.com/browserhive/browserhive/internal/lifecycle"
	"github.com/browserhive/browserhive/internal/logging"
	"github.com/browserhive/browserhive/internal/mcpapi"
	"github.com/browserhive/browserhive/internal/record"
	"github.com/browserhive/browserhive/internal/secret"
	"github.com/browserhive/browserhive/internal/session"
	"github.com/browserhive/browserhive/internal/settings"
	"github.com/browserhive/browserhive/internal/store"
	"github.com/browserhive/browserhive/internal/toolset"
)

// Version of BrowserHive; a release build sets it.
var Version = "0.1.0"

// Options are what a server is made of.
type Options struct {
	Settings *settings.Resolved
	// Name is serverInfo.name of MCP; browserhive when empty.
	Name           string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Terminal says that Stdout is one.
	Terminal bool
	Color    bool
	// Program is what an operator starts the command line with; browserhive when empty.
	Program string
	// Env is the environment that browsers and their driver may see parts of.
	Env map[string]string
	// OnBreach, when set, is told of answers that the contract does not allow.
	OnBreach func(tool, fault string)
}

// Server is one BrowserHive.
type Server struct {
	opts    Options
	cfg     config.Config
	log     *slog.Logger
	logs    *logging.Ring
	started time.Time
	group   lifecycle.Group

	dir      *datadir.Dir
	lock     *datadir.Lock
	store    *store.Store
	secrets  secret.Redactor // what no record and no log line may show
	recorder *record.Recorder
	levels   *logging.Levels
	identity *auth.Authority // nil under stdio
	first    auth.First
	// stopSweeping ends retention and waits for it.
	stopSweeping func()
	stale        browser.Stale
	stopWatching func() // ends the watch of stale processes and waits for it

	blocklist *blocklist.Source // nil without one
	installed *installed
	drivers   *browser.Drivers
	sessions  *session.Registry
	tools     *toolset.Toolset
	mcp       *mcpapi.Server
	rest      *httpapi.Server

	listener       net.Listener
	httpServer     *http.Server
	socketServer   *http.Server // nil where there can be no socket
	releaseStreams context.CancelFunc
	done           chan error // a door that ends by itself says so here
}

// New makes a server of settings that are resolved already. Nothing is touched before Start.
func New(o Options) (*Server, error) {
	if o.Name == "" {
		o.Name = "browserhive"
	}
	if o.Program == "" {
		o.Program = "browserhive"
	}
	s := &Server{opts: o, cfg: o.Settings.Config, done: make(chan error, 1)}
	s.learnSettings()
	var err error
	if s.log, err = s.logger(); err != nil {
		return nil, err
	}
	if s.cfg.StealthDriver == config.StealthDriverPatchright && !install.HasPatchright(s.cfg.DataDir) {
		return nil, browser.NoPatchright(s.installCommand())
	}
	for _, p := range s.parts() {
		s.group.Add(p.Part)
	}
	return s, nil
}

// part is something that the server starts and stops.
type part struct {
	lifecycle.Part
	does string // in docs/architecture.md
}

// parts are what the server starts, in order.
func (s *Server) parts() []part {
	parts := []part{
		{lifecycle.Part{Name: "data directory", Start: s.openDir, Stop: s.releaseDir}, "takes the lock, ends browsers that an earlier server left behind, and removes their profiles"},
		{lifecycle.Part{Name: "records", Start: s.startRecords, Stop: s.stopRecords}, "opens the database and migrates it"},
		{lifecycle.Part{Name: "stale browsers", Start: s.startStale, Stop: s.stopStale}, "watches browsers of an earlier server that could not be ended"},
		{lifecycle.Part{Name: "identity", Start: s.startIdentity}, "knows tokens and the operator's password"},
		{lifecycle.Part{Name: "retention", Start: s.startRetention, Stop: s.stopRetention}, "prunes old records"},
		{lifecycle.Part{Name: "blocklist", Start: s.loadBlocklist, Stop: s.releaseBlocklist}, "reads the file, and again when it changes"},
		{lifecycle.Part{Name: "browsers", Start: s.startBrowsers, Stop: func(ctx context.Context) error { return s.drivers.Stop(ctx) }}, "supervises the drivers"},
		{lifecycle.Part{Name: "sessions", Start: s.startSessions, Stop: func(ctx context.Context) error { return s.sessions.Stop(ctx) }}, "launches sessions, and runs tools in them"},
	}
	if s.cfg.Transport == config.TransportStdio {
		return append(parts, part{lifecycle.Part{Name: "stdio", Start: s.startStdio}, "serves the one client"})
	}
	return append(parts,
		part{lifecycle.Part{Name: "http", Start: s.startHTTP, Stop: s.stopListening}, "listens for MCP and REST"},
		part{lifecycle.Part{Name: "socket", Start: s.startSocket, Stop: s.stopSocket}, "listens for commands of its own user"})
}

// Start boots the server. When it returns without an error the server takes calls; otherwise everything
// that was started is stopped again.
func (s *Server) Start(ctx context.Context) error {
	s.started = time.Now()
	if err := s.group.Start(ctx); err != nil {
		return err
	}
	if s.rest != nil {
		s.rest.SetPhase(httpapi.Ready)
	}
	s.log.Info("ready", "version", Version, "transport", s.cfg.Transport, "url", s.URL(), "browser", s.browserState())
	if missing := s.Missing(); len(missing) > 0 { // After the port is open: looking takes a while.
		s.log.Warn("no session can start: something is missing on this host", "missing", strings.Join(missing, ", "), "run", s.installCommand())
	}
	return nil
}

// Missing names what sessions need and this host lacks, in words; nil when they can run. The server has to be
// started.
func (s *Server) Missing() []string { return s.installed.find().Missing() }

// installCommand is what an operator runs to get what is missing.
func (s *Server) installCommand() string { return s.opts.Settings.Command(s.opts.Program, "init") }

// Done receives once when the server ends by itself: nil when a stdio client is gone.
func (s *Server) Done() <-chan error { return s.done }

// Stop ends calls and browsers within the deadline of ctx. It may be called more than once.
func (s *Server) Stop(ctx context.Context) error {
	if s.rest != nil {
		s.rest.SetPhase(httpapi.Draining)
	}
	err := s.group.Stop(ctx)
	s.log.Info("stopped")
	return err
}

// URL is the base address of the listener, "" under stdio.
func (s *Server) URL() string {
	if s.listener == nil {
		return ""
	}
	_, port, err := net.SplitHostPort(s.listener.Addr().String())
	if err != nil {
		return ""
	}
	host := s.cfg.Host
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// Log is the server's logger.
func (s *Server) Log() *slog.Logger { return s.log }

func (s *Server) logger() (*slog.Logger, error) {
	levels, err := logging.ParseLevels(s.cfg.LogLevel)
	if err != nil {
		return nil, errcode.ConfigInvalid{Key: config.KeyLogLevel, Source: config.KeyLogLevel, Reason: err.Error()}.Err()
	}
	s.levels = levels
	s.logs = logging.NewRing(s.cfg.LogRingSize)
	http := s.cfg.Transport == config.TransportHTTP
	pretty := s.cfg.LogFormat == config.LogFormatPretty || (s.cfg.LogFormat == config.LogFormatAuto && http && s.opts.Terminal)
	w := s.opts.Stderr
	if pretty && http {
		w = s.opts.Stdout
	}
	return logging.New(w, logging.Options{Levels: levels, JSON: !pretty, Color: s.opts.Color, Secrets: &s.secrets, Ring: s.logs}), nil
}

func (s *Server) module(name string) *slog.Logger { return s.log.With(logging.ModuleKey, name) }

func (s *Server) openDir(context.Context) error {
	dir, err := datadir.Open(s.cfg.DataDir)
	if err != nil {
		return err
	}
	lock, err := dir.Lock()
	if err != nil {
		return err
	}
	s.dir, s.lock = dir, lock
	s.stale = browser.Sweep(dir.Root, s.module("browser"))
	if n := s.stale.Ended; n > 0 {
		s.log.Warn("ended browsers that an earlier server left behind", "count", n)
	}
	if err := dir.Clean(); err != nil {
		s.log.Warn("left-over profiles not removed", "err", err)
	}
	return nil
}

func (s *Server) releaseDir(context.Context) error { return s.lock.Release() }

func (s *Server) env(name string) string { return s.opts.Env[name] }

func (s *Server) startBrowsers(context.Context) error {
	root := s.dir.Root
	s.installed = &installed{root: root, env: s.env}
	s.drivers = browser.NewDrivers(browser.DriverOptions{
		Root: root, Log: s.module("browser"), Env: s.env, Installation: s.installed.find,
		Patchright: PatchrightUse(s.cfg.StealthDriver), InstallCommand: s.installCommand(),
	})
	if why := install.SandboxProblem(); why != "" {
		s.log.Warn("Chromium runs without its sandbox", "reason", why)
	}
	return nil
}

func (s *Server) startSessions(context.Context) error {
	s.sessions = session.NewRegistry(session.Options{
		Max: s.cfg.MaxSessions, Lease: s.cfg.SessionLease, CloseTimeout: s.cfg.SessionCloseTimeout,
		Persistence: types.PersistenceMode(s.cfg.Persistence), Stealth: s.cfg.Stealth != config.StealthOff,
		Display: s.display(), Log: s.module("sessions"),
		Spare: s.cfg.SpareBrowser, FreeMemory: browser.FreeMemory, Observer: observer{s.recorder, s.cfg.Trace},
	}, s.launcher(), s.dir, s.dir)
	values := map[string]any{}
	for _, p := range s.opts.Settings.Provenance {
		values[p.Key] = s.cfg.Get(p.Key)
		if _, ok := values[p.Key].(time.Duration); ok {
			values[p.Key] = p.Value // as the operator wrote it
		}
	}
	var err error
	s.tools, err = toolset.New(toolset.Options{
		Sessions: s.sessions, Dir: s.dir, AllowEvaluate: s.cfg.AllowEvaluate, Transport: types.Transport(s.cfg.Transport),
		Version: Version, Started: s.started, Settings: values, Recorder: s.recorder, Frames: s.cfg.ScreenshotTrace, Secrets: &s.secrets, Log: s.module("tools"),
		OnBreach: s.opts.OnBreach,
	})
	if err != nil {
		return err
	}
	s.mcp = mcpapi.New(mcpapi.Options{
		Tools: s.tools, Name: s.opts.Name, Version: Version, Tokens: s.cfg.Auth == config.AuthToken, Log: s.module("mcp"),
		Connected: s.expectLaunch,
	})
	if s.cfg.Transport == config.TransportHTTP {
		s.expectLaunch() // Over stdio the client that is to come says so itself.
	}
	return nil
}

// PatchrightUse is what the setting stealthDriver makes of Patchright.
func PatchrightUse(stealthDriver string) install.Use {
	switch stealthDriver {
	case config.StealthDriverPatchright:
		return install.PatchrightRequired
	case config.StealthDriverPlaywright:
		return install.PatchrightNever
	}
	return install.PatchrightIfInstalled
}

// Engine is the driver of the sessions that say nothing about stealth. The server has to be started.
func (s *Server) Engine() types.Engine { return s.drivers.Engine(s.cfg.Stealth != config.StealthOff) }

// display reports whether the host can show a browser window.
func (s *Server) display() bool {
	if runtime.GOOS != "linux" {
		return true
	}
	return s.env("DISPLAY") != "" || s.env("WAYLAND_DISPLAY") != ""
}

func (s *Server) startStdio(ctx context.Context) error {
	// The door outlives its start; it ends with its input.
	serving := context.WithoutCancel(ctx)
	go func() { s.done <- s.mcp.ServeStdio(serving, s.opts.Stdin, s.opts.Stdout) }()
	return nil
}

func (s *Server) startHTTP(ctx context.Context) error {
	proxies, err := prefixes(s.cfg.TrustedProxies)
	if err != nil {
		return err
	}
	s.rest = httpapi.New(httpapi.Options{
		Host: s.cfg.Host, TrustedProxies: proxies, Identity: s.identity, Resources: s.store,
		Tokens: s.cfg.Auth == config.AuthToken, Admin: s.cfg.Admin, Version: Version, Started: s.started, Secrets: &s.secrets,
		Levels: s.levels, Browser: s.browserState, Log: s.module("http"),
	})
	s.rest.Mount(httpapi.MCPPath, s.rest.RequireAgent(s.mcp.Handler()))
	return s.listen(ctx)
}

func prefixes(list []string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, p := range list {
		if a, err := netip.ParseAddr(p); err == nil {
			out = append(out, netip.PrefixFrom(a, a.BitLen()))
			continue
		}
		pre, err := netip.ParsePrefix(p)
		if err != nil {
			return nil, errcode.ConfigInvalid{Key: config.KeyTrustedProxies, Source: config.KeyTrustedProxies, Reason: p + " is neither an address nor a range"}.Err()
		}
		out = append(out, pre.Masked())
	}
	return out, nil
}

// bindError says why the port cannot be had.
func (s *Server) bindError(err error) error {
	name := err.Error()
	var no syscall.Errno
	if errors.As(err, &no) {
		name = no.Error()
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return errcode.PortInUse{Host: s.cfg.Host, Port: int64(s.cfg.Port), Errno: "EADDRINUSE"}.Err().Because(err)
	}
	return errcode.BindFailed{Host: s.cfg.Host, Port: int64(s.cfg.Port), Errno: name}.Err().Because(err)
}

func address(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }
