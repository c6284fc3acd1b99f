package main

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/cli"
	"github.com/browserhive/browserhive/internal/datadir"
	"github.com/browserhive/browserhive/internal/store"
)

// used makes a data directory with a bit of everything.
func used(t *testing.T) string {
	t.Helper()
	dir := made(t)
	for name, content := range map[string]string{
		"sessions/one/downloads/a.txt": "twelve bytes", "sessions/two/trace.zip": "zip", "auth-states/o/login.json": "{}",
		"uploads/cv.pdf": "pdf", "backups/browserhive-manual.db": "copy", "admin/credentials.txt": "secret",
		"browserhive.config.json": "{}", "notes.txt": "mine", "driver/1/package.json": "{}",
	} {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var gaps = regexp.MustCompile(` {2,}`)

// columns is steady, with gaps that do not depend on the length of a path.
func columns(text, dir string) string { return gaps.ReplaceAllString(steady(text, dir), "  ") }

// asked runs a command with somebody at the terminal.
func asked(t *testing.T, answers string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	p := &program{
		stdin: strings.NewReader(answers), stdout: &out, stderr: &errs, dir: t.TempDir(), executable: "browserhive",
		env: map[string]string{"HOME": t.TempDir()}, signals: make(chan os.Signal, 2), interactive: true,
	}
	code = p.run(context.Background(), args)
	return code, out.String(), errs.String()
}

func left(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestPurgeAsks(t *testing.T) {
	t.Parallel()
	dir := used(t)
	before := left(t, dir)
	for _, answers := range []string{"", "\n", "yes\n", "NO\nYES\n", strings.Repeat("x", 5000)} {
		code, out, stderr := asked(t, answers, "purge", "--dataDir", dir)
		if code != cli.ExitFailure || !strings.Contains(out, "Nothing was changed") {
			t.Errorf("%q: %d %s%s", answers, code, out, stderr)
		}
	}
	if code, out, _ := asked(t, "YES\nno\n", "purge", "--all", "--dataDir", dir); code != cli.ExitFailure || !strings.Contains(out, "again") {
		t.Errorf("the second no was not heard: %d %s", code, out)
	}
	code, out, stderr := run(t, "purge", "--dataDir", dir)
	if code != cli.ExitUsage || !strings.Contains(stderr, "--yes") || out != "" {
		t.Errorf("without a terminal: %d %s%s", code, out, stderr)
	}
	code, out, _ = run(t, "purge", "--all", "--dryRun", "--dataDir", dir)
	if code != cli.ExitOk {
		t.Error(code)
	}
	golden(t, "purge/all_dry_run", columns(out, dir))
	if after := left(t, dir); strings.ReplaceAll(after, "browserhive.lock ", "") != before {
		t.Errorf("something went: %s", after)
	}
}

func TestPurge(t *testing.T) {
	t.Parallel()
	dir := used(t)
	code, out, stderr := asked(t, "YES\n", "purge", "--dataDir", dir)
	if code != cli.ExitOk {
		t.Fatal(stderr)
	}
	golden(t, "purge/asked", columns(out, dir))
	if got := left(t, dir); got != "admin auth-states backups browserhive.config.json browserhive.lock driver notes.txt tmp uploads" {
		t.Error(got)
	}
	if _, out, _ := run(t, "purge", "--yes", "--dataDir", dir); out != "Nothing to delete.\n" {
		t.Error(out)
	}
	if code, out, stderr := run(t, "purge", "--all", "--yes", "--dataDir", dir); code != cli.ExitOk {
		t.Fatal(out, stderr)
	}
	if got := left(t, dir); got != "browserhive.config.json browserhive.lock driver notes.txt tmp" {
		t.Error(got)
	}
}

func TestPurgeWarnsOfOpenSessions(t *testing.T) {
	t.Parallel()
	dir := used(t)
	db, err := sql.Open("sqlite", filepath.Join(dir, store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(`INSERT INTO sessions (id, slug, owner, channel, engine, headless, incognito, persistence_mode, state, created_at,
		last_activity_at, disable_evaluate, vault_enabled, stealth, fingerprint, humanize)
		VALUES ('s', 's', 'o', 'chromium', 'playwright', 1, 1, 'memory', 'live', 1, 1, 0, 0, 1, 0, 0)`)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	_, out, _ := run(t, "purge", "--dryRun", "--dataDir", dir)
	golden(t, "purge/open_sessions", columns(out, dir))
}

func TestPurgeLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	if code, out, _ := run(t, "purge", "--yes", "--dataDir", filepath.Join(t.TempDir(), "none")); code != cli.ExitOk || !strings.HasPrefix(out, "Nothing to delete") {
		t.Errorf("no directory: %d %s", code, out)
	}
	other := t.TempDir()
	if err := os.Mkdir(filepath.Join(other, "sessions"), 0o700); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := run(t, "purge", "--yes", "--dataDir", other); code != cli.ExitFailure || left(t, other) != "sessions" {
		t.Errorf("somebody else's sessions: %d %s", code, stderr)
	}
	dir := used(t)
	before := left(t, dir)
	lock, err := (&datadir.Dir{Root: dir}).Lock()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Release() })
	if code, _, stderr := run(t, "purge", "--yes", "--dataDir", dir); code != cli.ExitRefused || !strings.Contains(stderr, "[DATA_DIR_LOCKED]") {
		t.Errorf("a server runs: %d %s", code, stderr)
	}
	if code, _, _ := run(t, "purge", "--dryRun", "--dataDir", dir); code != cli.ExitOk {
		t.Error("looking needs no lock")
	}
	if got := left(t, dir); strings.ReplaceAll(got, "browserhive.lock ", "") != before {
		t.Error(got)
	}
}

// A database that cannot be read can still go.
func TestPurgeOfADamagedDatabase(t *testing.T) {
	t.Parallel()
	dir := used(t)
	if err := os.WriteFile(filepath.Join(dir, store.FileName), bytes.Repeat([]byte("x"), 9000), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, stderr := run(t, "purge", "--yes", "--dataDir", dir)
	if code != cli.ExitOk || !strings.Contains(out, "cannot be counted") || strings.Contains(left(t, dir), store.FileName) {
		t.Errorf("%d %s%s", code, out, stderr)
	}
}
