package install

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/types"
)

// A driver that does not start is fetched anew, and what it says stands in the error when that does not help.
func TestDriverThatDoesNotStartIsMended(t *testing.T) {
	t.Parallel()
	in, reg := fixture(t, nil)
	install(t, in)
	faults := 1
	in.starts = func(context.Context, Installation, types.Engine, func(string) string) error {
		if faults--; faults >= 0 {
			return errors.New("Cannot find module")
		}
		return nil
	}
	before := reg.requests
	var steps []string
	_, err := in.run(t.Context(), func(s Step) { steps = append(steps, s.Name) })
	if err != nil || reg.requests != before+1 || !strings.Contains(strings.Join(steps, ", "), "driver, mended") {
		t.Errorf("%v, %d requests, %v", err, reg.requests-before, steps)
	}
	faults = 2
	if _, failed := install(t, in); len(failed) != 1 || !strings.Contains(failed[0].Err.Error(), "Cannot find module") {
		t.Errorf("%+v", failed)
	}
	noLeftovers(t, in)
}

// An interrupt ends the run where it is: no step after it, nothing half made, and no step that is said to have failed.
func TestInterruptEndsTheRun(t *testing.T) {
	t.Parallel()
	in, _ := fixture(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	in.opts.Progress = func(int64, int64) { cancel() } // In the middle of the first download.
	var steps []string
	_, err := in.run(ctx, func(s Step) { steps = append(steps, s.Name) })
	if !errors.Is(err, context.Canceled) || len(steps) != 1 || steps[0] != "data directory" {
		t.Errorf("%v, %v", err, steps)
	}
	noLeftovers(t, in)
	in.opts.Progress = func(int64, int64) {}
	if found, failed := install(t, in); failed != nil || found.Missing() != nil {
		t.Errorf("the run after it: %+v, failed %+v", found, failed)
	}
}

// A build that does not run is not taken while another one does, and not taken as installed.
func TestBrokenChromiumIsPassedOver(t *testing.T) {
	t.Parallel()
	builds := fakeBuilds(t, 900, chromiumRevision)
	broken := filepath.Join(builds, "chromium-1248", strings.ReplaceAll(playwrightExecutables[0], "*", "64"))
	if err := os.Remove(broken); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(broken, []byte("\x7fELF and no more"), 0o755); err != nil {
		t.Fatal(err)
	}
	in, _ := fixture(t, map[string]string{"PLAYWRIGHT_BROWSERS_PATH": builds})
	if found, failed := install(t, in); failed != nil || !strings.Contains(found.Chromium, "chromium-900") {
		t.Errorf("found %q, failed %+v", found.Chromium, failed)
	}
}

// A Node.js of an earlier run that is damaged is fetched anew.
func TestDamagedNodeIsMended(t *testing.T) {
	t.Parallel()
	in, reg := fixture(t, nil)
	install(t, in)
	if err := os.WriteFile(in.paths.node(), []byte("\x7fELF and no more"), 0o755); err != nil {
		t.Fatal(err)
	}
	before := reg.requests
	if found, failed := install(t, in); failed != nil || found.NodeVersion != nodeVersion || reg.requests != before+1 {
		t.Errorf("found %+v, failed %+v, %d requests", found, failed, reg.requests-before)
	}
}

// shellDriver is a driver that a shell runs instead of Node.js.
func shellDriver(t *testing.T, script string) Installation {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "package"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "package", "cli.js"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	return Installation{Node: "/bin/sh", DriverDir: dir}
}

func TestHandshake(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for Node.js is a shell")
	}
	scripts := map[string]struct {
		script string
		says   string
	}{
		"answers":      {`printf '\036\000\000\000{"id":"handshake","result":{}}'; cat >/dev/null`, ""},
		"ends":         {"echo 'Error: Cannot find module x' >&2; echo '    at Module._load (node:internal)' >&2; exit 1", "it ended at once:\nError: Cannot find module x"},
		"other words":  {"echo 'listening on port 80'; cat >/dev/null", "another protocol"},
		"prints a lot": {"i=0; while [ $i -lt 2000 ]; do echo line $i >&2; i=$((i+1)); done; exit 1", "line 1999"},
	}
	for name, c := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := Handshake(t.Context(), shellDriver(t, c.script), types.EnginePlaywright, os.Getenv)
			if c.says == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "at Module") || len(err.Error()) > 2*maxWords {
				t.Errorf("%v, want %q", err, c.says)
			}
		})
	}
	t.Run("is silent", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		began := time.Now()
		if err := Handshake(ctx, shellDriver(t, "exec sleep 60"), types.EnginePlaywright, os.Getenv); err == nil || time.Since(began) > handshakeTimeout/2 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}
