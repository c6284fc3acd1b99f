// Package browsertest gives tests a real Chromium, a driver that is installed once for all of them, and
// a small site on loopback.
package browsertest

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/install"
	"github.com/browserhive/browserhive/internal/hosttest"
)

// installTimeout is enough to fetch the driver and Node.js over a slow network.
const installTimeout = 5 * time.Minute

// stopTimeout is enough to close some ten browsers on two busy cores.
var stopTimeout = hosttest.Limit(30 * time.Second)

// Installation returns what tests run on, and installs it first where something is missing. The driver
// goes to a directory of the user's that all test programs share. A host without a Chromium fails the
// test.
func Installation(t testing.TB) install.Installation {
	t.Helper()
	installed.Do(func() { installation, installErr = prepare() })
	if installErr != nil {
		t.Fatalf("tests need a browser: %v", installErr)
	}
	return installation
}

var (
	installed    sync.Once
	installation install.Installation
	installErr   error
	// known is what the browser has told of itself, for all test programs.
	known *install.Known
)

func prepare() (install.Installation, error) {
	ctx, cancel := context.WithTimeout(context.Background(), installTimeout)
	defer cancel()
	cache, err := os.UserCacheDir()
	if err != nil {
		return install.Installation{}, err
	}
	root := filepath.Join(cache, "browserhive-test")
	defer func() { known = install.OpenKnown(root) }()
	if err := os.MkdirAll(root, 0o700); err != nil {
		return install.Installation{}, err
	}
	unlock, err := lock(filepath.Join(root, "lock"))
	if err != nil {
		return install.Installation{}, err
	}
	defer unlock()
	env := os.Getenv
	found := install.Find(ctx, root, env)
	if found.Missing() == nil && found.Patched && found.PatchrightDir != "" {
		return found, nil
	}
	if found.Chromium != "" {
		env = func(name string) string {
			if name == "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD" {
				return "1" // The host's will do.
			}
			return os.Getenv(name)
		}
	}
	return install.Run(ctx, root, env, install.Options{Patchright: install.PatchrightRequired}, func(install.Step) {})
}

// Drivers returns Drivers that the tests of one program share, with a data directory of their own. They
// stop, and the directory goes, when the last test that asked for them ends.
func Drivers(t testing.TB) *browser.Drivers {
	t.Helper()
	found := Installation(t)
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.users == 0 {
		// Not t.TempDir, whose long path leaves no room for the browser's socket.
		root, err := os.MkdirTemp("", "bh")
		if err != nil {
			t.Fatal(err)
		}
		shared.root = root
		shared.drivers = New(root, found, os.Getenv)
	}
	shared.users++
	t.Cleanup(func() { leave(t) })
	return shared.drivers
}

var shared struct {
	mu      sync.Mutex
	users   int
	root    string
	drivers *browser.Drivers
}

func leave(t testing.TB) {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.users--; shared.users > 0 {
		return
	}
	Stop(t, shared.drivers)
	if err := os.RemoveAll(shared.root); err != nil {
		t.Errorf("the data directory of the tests: %v", err)
	}
}

// New returns Drivers for one test alone, which must Stop them.
func New(root string, found install.Installation, env func(string) string) *browser.Drivers {
	return browser.NewDrivers(browser.DriverOptions{
		Root:         root,
		Known:        known,
		Installation: func() install.Installation { return found },
		Log:          slog.New(slog.NewTextHandler(io.Discard, nil)),
		Env:          env,
	})
}

// Stop ends Drivers and fails the test when that takes too long.
func Stop(t testing.TB, drivers *browser.Drivers) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := drivers.Stop(ctx); err != nil {
		t.Errorf("stopping the drivers: %v", err)
	}
	if ctx.Err() != nil {
		t.Errorf("the drivers did not stop within %v", stopTimeout)
	}
}

// engineVariable names the driver that Launch takes unless a test says which; Playwright when it is not set.
// What holds on one has to hold on the other, where every session is a stealth session:
// BROWSERHIVE_TEST_ENGINE=patchright go test ./internal/browser.
const engineVariable = "BROWSERHIVE_TEST_ENGINE"

// TakeEngine makes a server with that data directory run stealth sessions on the driver that the variable names, and
// know what the browser calls itself, which each of them would otherwise start one to find out.
func TakeEngine(t testing.TB, dataDir string) {
	t.Helper()
	seed(t, dataDir)
	if types.Engine(os.Getenv(engineVariable)) == types.EnginePatchright {
		PlacePatchright(t, dataDir)
	}
}

// seed puts into the data directory what the browser has told of itself.
func seed(t testing.TB, dataDir string) {
	t.Helper()
	learned.Do(func() {
		drivers := New(t.TempDir(), Installation(t), os.Getenv)
		defer Stop(t, drivers)
		o := browser.LaunchOptions{SessionID: "test-00000001", Channel: "chromium", Headless: true, Stealth: true, Engine: types.Engine(os.Getenv(engineVariable))}
		b, err := drivers.Launch(context.Background(), o)
		if err != nil {
			t.Fatalf("learning what the browser calls itself: %v: %v", err, cause(err))
		}
		_ = b.Close(context.Background()) // Stop sees to it that nothing is left.
	})
	if err := known.CopyTo(dataDir); err != nil {
		t.Fatal(err)
	}
}

var learned sync.Once

// PlacePatchright puts the Patchright that all tests share where a server with that data directory finds it.
func PlacePatchright(t testing.TB, dataDir string) {
	t.Helper()
	shared := Installation(t).PatchrightDir
	place := filepath.Join(dataDir, "driver", filepath.Base(shared))
	if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(shared, place); err != nil && !errors.Is(err, os.ErrExist) {
		t.Fatal(err)
	}
}

// Launch starts a headless Chromium, by default without stealth, that closes with the test.
func Launch(t testing.TB, drivers *browser.Drivers, o browser.LaunchOptions) *browser.Browser {
	t.Helper()
	if o.Engine == "" {
		o.Engine = types.Engine(os.Getenv(engineVariable))
		o.Stealth = o.Stealth || o.Engine == types.EnginePatchright
	}
	if o.Channel == "" {
		o.Channel = "chromium"
	}
	if o.SessionID == "" {
		o.SessionID = "test-00000001"
	}
	o.Headless = true
	b, err := drivers.Launch(t.Context(), o)
	if err != nil {
		t.Fatalf("launch: %v: %v", err, cause(err))
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		if err := b.Close(ctx); err != nil {
			t.Errorf("closing the browser: %v", err)
		}
	})
	return b
}

func cause(err error) error {
	if wrapper, ok := err.(interface{ Unwrap() error }); ok {
		return wrapper.Unwrap()
	}
	return nil
}
