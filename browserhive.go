// Package browserhive embeds a BrowserHive server in a Go program, a test harness for instance. It uses
// the settings, checks and start sequence of the command.
package browserhive

import (
	"context"
	"io"
	"os"
	"sync"

	gen "github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/internal/server"
	"github.com/browserhive/browserhive/internal/settings"
)

// Options are what New takes. The zero value is a server with the defaults and the process's environment.
type Options struct {
	// Settings holds configuration by key, in the types of the config file or of Go: "port": 9876,
	// "sessionLease": "2h" or a time.Duration. They take the place of flags. Port 0 picks a free port.
	Settings map[string]any
	// Env replaces the environment; an empty map ignores it.
	Env map[string]string
	// ConfigFile, when not nil, names the config file; a pointer to "" ignores config files.
	ConfigFile *string
	// Stdout and Stderr receive logs, and Stdout the frames of a stdio transport; nil discards them.
	Stdout, Stderr io.Writer
	// Stdin is read by the stdio transport.
	Stdin io.Reader
	// Name is serverInfo.name of MCP, browserhive when empty.
	Name string
}

// Provenance says where the value of a key came from.
type Provenance = settings.Provenance

// Config is the effective configuration.
type Config = gen.Config

// Server is an embedded BrowserHive.
type Server struct {
	settings *settings.Resolved
	server   *server.Server

	mu      sync.Mutex
	started bool
}

// New resolves and checks the configuration. It fails with the error that the command would print, and
// touches nothing.
func New(o Options) (*Server, error) {
	env := o.Env
	if env == nil {
		env = settings.Environ()
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	set, err := settings.Resolve(settings.Input{
		Options: o.Settings, ConfigFile: o.ConfigFile, Env: env, Dir: dir, Host: settings.DetectHost(env), AllowPortZero: true,
	})
	if err != nil {
		return nil, err
	}
	s, err := server.New(server.Options{
		Settings: set, Name: o.Name, Stdin: orEmpty(o.Stdin), Stdout: orDiscard(o.Stdout), Stderr: orDiscard(o.Stderr), Env: env,
	})
	if err != nil {
		return nil, err
	}
	return &Server{settings: set, server: s}, nil
}

func orDiscard(w io.Writer) io.Writer {
	if w == nil {
		return io.Discard
	}
	return w
}

func orEmpty(r io.Reader) io.Reader {
	if r == nil {
		return eof{}
	}
	return r
}

type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

// Listen starts the server and returns once it takes calls. When it fails, whatever was started is
// stopped again. Calling it again does nothing.
func (s *Server) Listen(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started {
		return nil
	}
	if err := s.server.Start(ctx); err != nil {
		return err
	}
	s.started = true
	return nil
}

// Stop ends the server within the deadline of ctx. It may be called more than once, and after a Listen
// that failed.
func (s *Server) Stop(ctx context.Context) error { return s.server.Stop(ctx) }

// URL is the base address of the listener, "" before Listen and under stdio.
func (s *Server) URL() string { return s.server.URL() }

// FirstStart returns what Listen made for a new data directory: the token of agent-1 when auth is token and
// there was none, and the operator's password when admin is on. Each is "" otherwise. Nothing shows the token
// again.
func (s *Server) FirstStart() (token, password string) {
	first := s.server.First()
	return first.Token, first.Password
}

// Config is the effective configuration, as a copy.
func (s *Server) Config() Config { return s.settings.Config }

// Provenance says where each value came from and what it replaced, in the order of the reference.
func (s *Server) Provenance() []Provenance { return append([]Provenance{}, s.settings.Provenance...) }
