// Package servertest boots a whole server inside the process of a test.
package servertest

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
	"github.com/browserhive/browserhive/internal/hosttest"
	"github.com/browserhive/browserhive/internal/server"
	"github.com/browserhive/browserhive/internal/settings"
)

// stopTimeout is enough to close some browsers on two busy cores.
var stopTimeout = hosttest.Limit(30 * time.Second)

// Server is a server that runs until its test ends.
type Server struct {
	*server.Server
	DataDir string
	output  *record
}

// Output is what the server has written so far.
func (s *Server) Output() string { return s.output.String() }

// Start boots a server on a free port of loopback, with a data directory of its own and the driver that
// all tests share. Settings are those of a config file and replace these defaults. An answer that the
// contract does not allow fails the test; the log is shown when the test fails.
func Start(t testing.TB, given map[string]any) *Server {
	t.Helper()
	found := browsertest.Installation(t)
	// Not t.TempDir, whose long path leaves no room for sockets of browsers.
	dir, err := os.MkdirTemp("", "bh")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &Server{DataDir: filepath.Join(dir, "data")}
	browsertest.TakeEngine(t, s.DataDir)
	all := map[string]any{config.KeyDataDir: s.DataDir, config.KeyPort: 0, config.KeyLogFormat: config.LogFormatJSON, config.KeySpareBrowser: false}
	maps.Copy(all, given)
	host := settings.Environ()
	env := map[string]string{"PLAYWRIGHT_DRIVER_PATH": found.DriverDir, "PLAYWRIGHT_NODEJS_PATH": found.Node}
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "SystemRoot", "LOCALAPPDATA"} {
		if v := host[name]; v != "" {
			env[name] = v
		}
	}
	noFile := ""
	set, err := settings.Resolve(settings.Input{
		Options: all, ConfigFile: &noFile, Env: env, Dir: dir, Host: settings.DetectHost(env), AllowPortZero: true,
	})
	if err != nil {
		t.Fatalf("settings: %v", err)
	}
	log := &record{}
	s.output = log
	s.Server, err = server.New(server.Options{
		Settings: set, Stdin: &bytes.Buffer{}, Stdout: log, Stderr: log, Env: env,
		OnBreach: func(tool, fault string) { t.Errorf("%s breaks the contract: %s", tool, fault) },
	})
	if err != nil {
		t.Fatalf("new server: %v", err)
	}
	if err := s.Start(t.Context()); err != nil {
		t.Fatalf("start: %v\n%s", err, log)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		if err := s.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
		if t.Failed() {
			t.Logf("log of the server:\n%s", log)
		}
	})
	return s
}

// record keeps what the server writes.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *record) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(b)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}
