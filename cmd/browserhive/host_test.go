package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/cli"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
	"github.com/browserhive/browserhive/internal/hosttest"
)

// onHost runs the program on a host with the variables, in a directory whose path leaves room for sockets.
func onHost(t *testing.T, env map[string]string, signals chan os.Signal, args ...string) (code int, text, dataDir string) {
	t.Helper()
	work, err := os.MkdirTemp("", "bh")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(work) })
	dataDir = filepath.Join(work, "data")
	vars := map[string]string{"HOME": work, "PATH": os.Getenv("PATH"), "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1", "npm_config_registry": "http://127.0.0.1:1"}
	for name, value := range env {
		vars[name] = value
	}
	var out bytes.Buffer
	p := &program{stdin: strings.NewReader(""), stdout: &out, stderr: &out, dir: work, executable: "browserhive", env: vars, signals: signals}
	code = p.run(context.Background(), append(args, "--dataDir", dataDir))
	return code, out.String(), dataDir
}

// doctor starts the driver and says what one that does not start printed. It makes no data directory.
func TestDoctorStartsTheDriver(t *testing.T) {
	t.Parallel()
	found := browsertest.Installation(t)
	code, out, dir := onHost(t, map[string]string{"PLAYWRIGHT_DRIVER_PATH": found.DriverDir, "PLAYWRIGHT_NODEJS_PATH": found.Node}, nil, "doctor", "--port", freePort(t))
	if !strings.Contains(out, "✓ driver           Playwright ") || !strings.Contains(out, " starts in ") || code == cli.ExitFailure {
		t.Errorf("%d %s", code, out)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("looking made a data directory: %v", err)
	}
	broken := copied(t, found.DriverDir)
	if err := os.WriteFile(filepath.Join(broken, "package", "cli.js"), []byte("require('./lib/gone.js')\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, dir = onHost(t, map[string]string{"PLAYWRIGHT_DRIVER_PATH": broken, "PLAYWRIGHT_NODEJS_PATH": found.Node}, nil, "doctor", "--port", freePort(t))
	if code != cli.ExitFailure || !strings.Contains(out, "✗ driver ") || !strings.Contains(out, "Cannot find module './lib/gone.js'") || !strings.Contains(out, "run: browserhive init --dataDir "+dir) {
		t.Errorf("%d %s", code, out)
	}
}

// copied copies a driver, whose package is some 10 MB.
func copied(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "driver")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// What keeps the driver or the browser from starting is said in their own words, and the exit code tells.
func TestInitSaysWhyATrialFails(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the stand-in makes the layout of Linux")
	}
	found := browsertest.Installation(t)
	broken := copied(t, found.DriverDir)
	if err := os.WriteFile(filepath.Join(broken, "package", "cli.js"), []byte("throw new Error('worn out')\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"PLAYWRIGHT_DRIVER_PATH": broken, "PLAYWRIGHT_NODEJS_PATH": found.Node}
	code, out, _ := onHost(t, env, nil, "init", "--stealthDriver", "playwright")
	if code != cli.ExitFailure || !strings.Contains(out, "PLAYWRIGHT_DRIVER_PATH names, does not start") || !strings.Contains(out, "Error: worn out") || strings.Contains(out, "Ready") {
		t.Errorf("a driver: %d %s", code, out)
	}
	// A program that runs and is no browser.
	build := filepath.Join(t.TempDir(), "chromium-1248")
	if err := os.MkdirAll(filepath.Join(build, "chrome-linux64"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/bin/ls", filepath.Join(build, "chrome-linux64", "chrome")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(build, "INSTALLATION_COMPLETE"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	env = map[string]string{"PLAYWRIGHT_DRIVER_PATH": found.DriverDir, "PLAYWRIGHT_NODEJS_PATH": found.Node, "PLAYWRIGHT_BROWSERS_PATH": filepath.Dir(build)}
	code, out, _ = onHost(t, env, nil, "init", "--stealthDriver", "playwright")
	if code != cli.ExitFailure || !strings.Contains(out, "✗ trial: ") || !strings.Contains(out, "unrecognized option") || len(out) > 8<<10 {
		t.Errorf("a browser: %d %s", code, out)
	}
}

// An interrupt in the middle of a download ends init at once.
func TestInitIsInterrupted(t *testing.T) {
	t.Parallel()
	signals := make(chan os.Signal, 2)
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("the beginning"))
		w.(http.Flusher).Flush()
		select {
		case signals <- os.Interrupt:
		default:
		}
		<-r.Context().Done()
	}))
	t.Cleanup(registry.Close)
	began := time.Now()
	code, out, dir := onHost(t, map[string]string{"npm_config_registry": registry.URL}, signals, "init")
	if code != cli.ExitInterrupted || !strings.HasSuffix(out, "\nInterrupted\n") || strings.Contains(out, "✗") || time.Since(began) > hosttest.Limit(20*time.Second) {
		t.Errorf("%d after %v: %s", code, time.Since(began), out)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "driver")); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// doctor knows the server of the data directory, and does not take its port for a fault.
func TestDoctorBesideItsServer(t *testing.T) {
	t.Parallel()
	s := serving(t)
	_, found := examined(t, "--dataDir", s.dir, "--port", s.port)
	if f := found["server"]; f.Status != checkOK || !strings.Contains(f.Detail, " is ready at http://127.0.0.1:"+s.port) {
		t.Error(f)
	}
	if f := found["port"]; f.Status != checkOK || !strings.Contains(f.Detail, "that server's") {
		t.Error(f)
	}
	// With another port than the server has, that port is looked at.
	_, found = examined(t, "--dataDir", s.dir, "--port", freePort(t))
	if f := found["server"]; f.Status != checkOK || !strings.Contains(f.Detail, "nothing listens there") {
		t.Error(f)
	}
	// What answers there without being a server of ours is a fault of the port.
	other := httptest.NewServer(nil)
	t.Cleanup(other.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(other.URL, "http://"), ":")
	_, found = examined(t, "--dataDir", s.dir, "--port", port)
	if found["port"].Status != checkFail {
		t.Error(found["server"], found["port"])
	}
	s.stop()
	if _, found = examined(t, "--dataDir", s.dir, "--port", s.port); found["server"].Detail != "none is running on this data directory" || found["port"].Status != checkOK {
		t.Error(found["server"], found["port"])
	}
}

// A database that was set aside is told of until somebody has dealt with it.
func TestDamagedDatabaseStaysTold(t *testing.T) {
	t.Parallel()
	dir := made(t)
	aside := filepath.Join(dir, "browserhive.corrupt-20260101T000000Z.db")
	if err := os.WriteFile(aside, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, found := examined(t, "--dataDir", dir)
	if f := found["damaged database"]; f.Status != checkWarn || !strings.Contains(f.Detail, aside) || !strings.Contains(f.Detail, "db restore <backup> --dataDir "+dir) {
		t.Error(f)
	}
	if err := os.Remove(aside); err != nil {
		t.Fatal(err)
	}
	if _, found := examined(t, "--dataDir", dir); found["damaged database"] != (finding{}) {
		t.Error(found["damaged database"])
	}
}
