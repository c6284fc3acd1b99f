package main

import (
	"context"
	"encoding/json"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/cli"
)

// examined runs doctor and returns the status and detail of each check; of several with one name, the last.
func examined(t *testing.T, args ...string) (code int, found map[string]finding) {
	t.Helper()
	code, out, stderr := run(t, append([]string{"doctor", "--json"}, args...)...)
	var list []finding
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatalf("%v: %s%s", err, out, stderr)
	}
	found = map[string]finding{}
	for _, f := range list {
		found[f.Check] = f
	}
	return code, found
}

// ofTheHost are the checks whose outcome differs from host to host.
var ofTheHost = []string{"disk space", "driver", "node", "chromium", "sandbox", "port", "maxSessions"}

func TestDoctorPrintsATable(t *testing.T) {
	t.Parallel()
	dir := used(t)
	_, out, _ := run(t, "doctor", "--dataDir", dir)
	var b strings.Builder
	for line := range strings.Lines(steady(out, dir)) {
		for _, name := range ofTheHost {
			if rest, ok := strings.CutPrefix(strings.TrimLeft(line, "✓!✗ "), name+" "); ok && strings.HasPrefix(rest, strings.Repeat(" ", 15-len(name))) {
				line = "? " + name + "\n"
				break
			}
		}
		b.WriteString(line)
	}
	golden(t, "doctor/table", b.String())
}

func TestDoctorLooksAtTheDataDirectory(t *testing.T) {
	t.Parallel()
	dir := made(t)
	if _, found := examined(t, "--dataDir", dir); found["data files"].Status != checkOK || found["data directory"].Status != checkOK || found["database"].Status != checkOK {
		t.Errorf("%v", found)
	}
	blocklist := filepath.Join(dir, "list.txt")
	for _, name := range []string{blocklist, filepath.Join(dir, "old.sqlite")} {
		if err := os.WriteFile(name, []byte("a.example\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, found := examined(t, "--dataDir", dir, "--blocklist", blocklist)
	if f := found["data files"]; f.Status != checkWarn || !strings.HasPrefix(f.Detail, "old.sqlite in ") || code == cli.ExitOk {
		t.Errorf("%d %v", code, f)
	}
	if runtime.GOOS != "windows" {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if _, found := examined(t, "--dataDir", dir); found["data directory"].Status != checkFail {
			t.Error("others can enter, and doctor does not mind")
		}
	}
}

func TestDoctorOfSecretsInAFile(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there are no modes")
	}
	file := filepath.Join(t.TempDir(), "c.json")
	content := `{"auth": "token", "authTokens": ["ci:` + strings.Repeat("x", 40) + `"]}`
	for mode, want := range map[os.FileMode]string{0o600: checkOK, 0o644: checkWarn} {
		if err := os.WriteFile(file, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		if _, found := examined(t, "--config", file); found["secrets"].Status != want {
			t.Errorf("%o: %v", mode, found["secrets"])
		}
	}
}

func TestDoctorOfTheHost(t *testing.T) {
	t.Parallel()
	var lc net.ListenConfig
	taken, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	collector := httptest.NewServer(nil)
	_, found := examined(t, "--port", port, "--otel", "--otelEndpoint", collector.URL, "--vault", "bitwarden", "--stealthDriver", "patchright", "--maxSessions", "unbounded")
	for check, want := range map[string]string{
		"port": checkFail, "otlp endpoint": checkOK, "stealth driver": checkFail, "maxSessions": checkWarn,
	} {
		if found[check].Status != want {
			t.Errorf("%s: %v, want %s", check, found[check], want)
		}
	}
	collector.Close()
	if f := collectorCheck(t.Context(), collector.URL); f.Status != checkWarn {
		t.Error(f)
	}
	_, found = examined(t)
	for _, check := range []string{"otlp endpoint", "bw"} {
		if f, there := found[check]; there {
			t.Errorf("nobody asked for %v", f)
		}
	}
}

func TestDoctorFindsBitwarden(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	p := &program{env: map[string]string{"PATH": bin}}
	if f := p.vaultCheck(); f.Status != checkFail {
		t.Error(f)
	}
	name := "bw"
	if runtime.GOOS == "windows" {
		name = "bw.exe"
	}
	if err := os.WriteFile(filepath.Join(bin, name), nil, 0o700); err != nil {
		t.Fatal(err)
	}
	if f := p.vaultCheck(); f.Status != checkOK {
		t.Error(f)
	}
}

func TestSpace(t *testing.T) {
	t.Parallel()
	if f := spaceCheck(filepath.Join(t.TempDir(), "not", "yet")); !strings.Contains(f.Detail, " free for ") {
		t.Error(f)
	}
	if f := spaceCheck("/proc"); runtime.GOOS == "linux" && f.Status != checkFail {
		t.Error(f)
	}
}

func TestColor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		setting  string
		env      map[string]string
		terminal bool
		want     bool
	}{
		{"auto", nil, true, true},
		{"auto", nil, false, false},
		{"auto", map[string]string{"NO_COLOR": "1"}, true, false},
		{"auto", map[string]string{"NO_COLOR": ""}, true, true},
		{"auto", map[string]string{"NO_COLOR": "1", "FORCE_COLOR": "1"}, true, false},
		{"auto", map[string]string{"FORCE_COLOR": "1"}, false, true},
		{"auto", map[string]string{"FORCE_COLOR": "1", "TERM": "dumb"}, false, true},
		{"auto", map[string]string{"FORCE_COLOR": "0"}, true, false},
		{"auto", map[string]string{"TERM": "dumb"}, true, false},
		{"always", map[string]string{"NO_COLOR": "1"}, false, true},
		{"never", map[string]string{"FORCE_COLOR": "1"}, true, false},
	} {
		p := &program{env: c.env, terminal: c.terminal}
		if got := p.color(c.setting); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
	_, plain, _ := run(t, "doctor")
	_, coloured, _ := run(t, "doctor", "--color", "always")
	if strings.Contains(plain, "\x1b") || !strings.Contains(coloured, "\x1b[32m✓\x1b[0m ") {
		t.Errorf("%q\n%q", plain, coloured)
	}
	if _, out, _ := run(t, "doctor", "--json", "--color", "always"); strings.Contains(out, "\x1b") {
		t.Error("JSON with colours")
	}
}

func TestServeRefusesWithoutPatchright(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "none")
	code, _, stderr := run(t, "--stealthDriver", "patchright", "--dataDir", dir)
	if code != cli.ExitFailure || !strings.Contains(stderr, "[BROWSER_NOT_INSTALLED]") {
		t.Errorf("%d %s", code, stderr)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a start that was refused left a data directory")
	}
}

// An interrupt ends a question, and with it the command.
func TestInterruptIsANo(t *testing.T) {
	t.Parallel()
	dir := used(t)
	silence, open := net.Pipe()
	t.Cleanup(func() { _ = silence.Close(); _ = open.Close() })
	var out strings.Builder
	p := &program{
		stdin: silence, stdout: &out, stderr: &out, dir: dir, executable: "browserhive", interactive: true,
		env: map[string]string{"HOME": dir}, signals: make(chan os.Signal, 2),
	}
	p.signals <- os.Interrupt
	if code := p.run(context.Background(), []string{"purge", "--dataDir", dir}); code != cli.ExitInterrupted || !strings.HasSuffix(out.String(), "Nothing was changed.\nInterrupted\n") {
		t.Errorf("%d %s", code, out.String())
	}
	if !strings.Contains(left(t, dir), "browserhive.db") {
		t.Error("the database is gone")
	}
}
