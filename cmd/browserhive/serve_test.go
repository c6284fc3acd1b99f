package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/browserhive/browserhive/ent/migrations"
	"github.com/browserhive/browserhive/gen/cli"
	gen "github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/datadir"
	"github.com/browserhive/browserhive/internal/hosttest"
	"github.com/browserhive/browserhive/internal/settings"
	"github.com/browserhive/browserhive/internal/store"
)

// awaited is a writer that tells when a text has come.
type awaited struct {
	mu   sync.Mutex
	b    bytes.Buffer
	text string
	came chan struct{}
	once sync.Once
}

func (a *awaited) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.b.Write(p)
	if strings.Contains(a.b.String(), a.text) {
		a.once.Do(func() { close(a.came) })
	}
	return len(p), nil
}

func (a *awaited) String() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.b.String()
}

// ports counts those that freePort has looked at, so that tests beside each other get different ones.
var ports atomic.Int64

// freePort is a port below those that systems hand out by themselves.
func freePort(t *testing.T) string {
	t.Helper()
	var lc net.ListenConfig
	for range 100 {
		port := strconv.Itoa(14000 + (os.Getpid()*61+int(ports.Add(1)))%5000)
		if l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:"+port); err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatal("no free port")
	return ""
}

var versions = regexp.MustCompile(`go1[.\w-]+|cap \d+|[\d.]+ [KM]iB`)

// served is the program, serving inside the test.
type served struct {
	dir, port string
	out, errs *awaited
	// stop interrupts it and waits. The end of the test does that, too.
	stop func()
}

// serving starts the program with the flags, on a host without driver and Node.js.
func serving(t *testing.T, flags ...string) served {
	t.Helper()
	out, errs := &awaited{text: "Ctrl-C", came: make(chan struct{})}, &awaited{text: "\x00"}
	s := served{dir: filepath.Join(t.TempDir(), "data"), port: freePort(t), out: out, errs: errs}
	p := &program{
		stdin: strings.NewReader(""), stdout: out, stderr: errs, dir: t.TempDir(), executable: "browserhive",
		env: map[string]string{"HOME": t.TempDir()}, signals: make(chan os.Signal, 2),
	}
	ended := make(chan int, 1)
	go func() {
		ended <- p.run(context.Background(), append([]string{"--dataDir", s.dir, "--port", s.port}, flags...))
	}()
	s.stop = sync.OnceFunc(func() {
		p.signals <- os.Interrupt
		select {
		case code := <-ended:
			if code != cli.ExitOk {
				t.Errorf("exit %d: %s", code, errs)
			}
		case <-time.After(hosttest.Limit(time.Minute)):
			t.Error("it does not end")
		}
	})
	select {
	case <-out.came:
	case code := <-ended:
		t.Fatalf("exit %d: %s", code, errs)
	case <-time.After(hosttest.Limit(time.Minute)):
		t.Fatal("no banner")
	}
	t.Cleanup(s.stop)
	return s
}

func TestServe(t *testing.T) {
	t.Parallel()
	s := serving(t, "--logPersist", "info", "--logLevel", "info,http=warn")
	dir, port, errs := s.dir, s.port, s.errs
	golden(t, "serve/banner", versions.ReplaceAllString(strings.NewReplacer(dir, "<dir>", port, "<port>", ", a Chromium browser", "").Replace(s.out.String()), "<varies>"))
	if text := errs.String(); !strings.Contains(text, "no session can start") || !strings.Contains(text, "browserhive init --dataDir "+dir) {
		t.Errorf("a host without a driver is not told of: %s", text)
	}

	// What is taken is not for a second server.
	if code, _, stderr := run(t, "--dataDir", dir, "--port", port); code != cli.ExitRefused || !strings.Contains(stderr, "[DATA_DIR_LOCKED]") {
		t.Errorf("%d %s", code, stderr)
	}
	if code, _, stderr := run(t, "--port", port); code != cli.ExitRefused || !strings.Contains(stderr, "[PORT_IN_USE]") {
		t.Errorf("%d %s", code, stderr)
	}

	s.stop()
	for line := range strings.Lines(errs.String()) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil || record["level"] == nil {
			t.Errorf("no JSON: %s", line)
		}
	}
	census, err := store.Count(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]int64{}
	for _, table := range census.Tables {
		kept[table.Name] = table.Rows
	}
	if kept["log_records"] == 0 {
		t.Errorf("no log is kept: %v", kept)
	}
}

func TestServeRefusesADatabaseOfTheFuture(t *testing.T) {
	t.Parallel()
	dir := made(t)
	all := migrations.All()
	next := len(all) + 1
	future := append(all, migrations.Migration{Version: next, Name: "future", Reader: next, Statements: []string{"ALTER TABLE auth_audit ADD COLUMN future text"}})
	if err := store.Migrate(t.Context(), store.Options{Dir: dir, Migrations: future}); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := run(t, "--dataDir", dir); code != cli.ExitRefused || !strings.Contains(stderr, "[DB_NEWER_THAN_BINARY]") {
		t.Errorf("%d %s", code, stderr)
	}
	if _, found := examined(t, "--dataDir", dir); found["database"].Status != checkFail {
		t.Error(found["database"])
	}
}

// A banner claims nothing that is not so: what is set and not built yet says that.
func TestBanner(t *testing.T) {
	t.Parallel()
	set, err := settings.Resolve(settings.Input{
		Flags: map[string]string{
			"dataDir": "/data", "admin": "true", "auth": "token", "otel": "true", "vault": "bitwarden", "maxSessions": "3",
			"host": "0.0.0.0", "allowInsecureBind": "true", "stealth": "off",
		},
		Env: map[string]string{"BROWSERHIVE_MAX_SESSIONS": "4"}, Dir: "/",
	})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	banner(&b, set, running{
		url: "http://127.0.0.1:9876", engine: types.EnginePlaywright, database: "db v1, 12.0 MiB, 3 backups", color: true, program: "bin/browserhive",
		missing: []string{"Node.js 20 or newer", "a Chromium browser"}, damaged: []datadir.DamagedDatabase{{Path: "/data/browserhive.corrupt-20260101T000000Z.db"}},
	})
	golden(t, "serve/features", versions.ReplaceAllString(b.String(), "<varies>"))
	for _, key := range []string{gen.KeyAdmin, gen.KeyOTel, gen.KeyVault} {
		for _, k := range gen.Keys {
			if on := feature(key, true, "on"); k.Name == key && (on == "on") == k.Planned {
				t.Errorf("%s is said to be %q", key, on)
			}
		}
	}
}
