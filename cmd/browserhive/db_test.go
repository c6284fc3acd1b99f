package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/cli"
	"github.com/browserhive/browserhive/internal/datadir"
	"github.com/browserhive/browserhive/internal/hosttest"
	"github.com/browserhive/browserhive/internal/store"
)

// made makes a data directory with a database.
func made(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "data")
	if _, err := datadir.Open(dir); err != nil {
		t.Fatal(err)
	}
	if err := store.Migrate(t.Context(), store.Options{Dir: dir, AppVersion: "0.1.0"}); err != nil {
		t.Fatal(err)
	}
	return dir
}

var varying = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC|\d{8}T\d{6}Z(?:-\d+)?|\d+(?:\.\d+)? (?:KiB|MiB)`)

// steady replaces what differs from run to run.
func steady(text, dir string) string {
	return varying.ReplaceAllString(strings.ReplaceAll(text, dir, "<dir>"), "<varies>")
}

func TestDatabaseCommands(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	if runtime.GOOS != "windows" {
		if err := os.Chmod(empty, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	code, out, stderr := run(t, "db", "status", "--dataDir", empty)
	if code != cli.ExitOk {
		t.Fatal(stderr)
	}
	golden(t, "db/status_none", steady(out, empty))
	if entries, err := os.ReadDir(empty); err != nil || len(entries) != 0 {
		t.Errorf("looking made %v, %v", entries, err)
	}
	if code, _, stderr := run(t, "db", "backup", "--dataDir", empty); code != cli.ExitFailure || !strings.Contains(stderr, "[DB_NOT_FOUND]") {
		t.Errorf("backup of nothing: %d %s", code, stderr)
	}

	dir := made(t)
	copied := filepath.Join(t.TempDir(), "copy.db")
	for _, c := range []struct {
		golden string
		args   []string
	}{
		{"status", []string{"db", "status"}},
		{"migrate", []string{"db", "migrate"}},
		{"backup", []string{"db", "backup"}},
		{"backup_out", []string{"db", "backup", "--out", copied}},
		{"restore", []string{"db", "restore", copied, "--yes"}},
	} {
		code, out, stderr := run(t, append(c.args, "--dataDir", dir)...)
		if code != cli.ExitOk {
			t.Fatalf("%v: %s", c.args, stderr)
		}
		golden(t, "db/"+c.golden, steady(strings.ReplaceAll(out, copied, "<copy>"), dir))
	}
	if code, out, _ := asked(t, "no\n", "db", "restore", copied, "--dataDir", dir); code != cli.ExitFailure || !strings.Contains(out, "Nothing was changed") {
		t.Errorf("restored without an answer: %d %s", code, out)
	}
	if code, _, stderr := run(t, "db", "backup", "--out", copied, "--dataDir", dir); code != cli.ExitFailure || !strings.Contains(stderr, "[DB_BACKUP_EXISTS]") {
		t.Errorf("a file was overwritten: %d %s", code, stderr)
	}
}

func TestRestoreTakesNoOtherFile(t *testing.T) {
	t.Parallel()
	dir := made(t)
	before, err := os.ReadFile(filepath.Join(dir, store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(t.TempDir(), "text.db")
	cut := filepath.Join(t.TempDir(), "cut.db")
	for name, content := range map[string][]byte{text: []byte(strings.Repeat("text\n", 1000)), cut: before[:len(before)/2]} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{text, cut, filepath.Join(dir, store.FileName), filepath.Join(dir, "missing.db"), dir} {
		code, _, stderr := run(t, "db", "restore", file, "--yes", "--dataDir", dir)
		if code != cli.ExitFailure || !strings.Contains(stderr, "[DB_BACKUP_UNUSABLE]") || !strings.Contains(stderr, file) {
			t.Errorf("%s: %d %s", file, code, stderr)
		}
	}
	if after, err := os.ReadFile(filepath.Join(dir, store.FileName)); err != nil || string(after) != string(before) {
		t.Error("the database has changed", err)
	}
}

// A damaged database can be replaced, and is kept.
func TestRestoreOverADamagedDatabase(t *testing.T) {
	t.Parallel()
	dir := made(t)
	backup := filepath.Join(t.TempDir(), "b.db")
	if code, _, stderr := run(t, "db", "backup", "--out", backup, "--dataDir", dir); code != cli.ExitOk {
		t.Fatal(stderr)
	}
	if err := os.Truncate(filepath.Join(dir, store.FileName), 10000); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := run(t, "db", "status", "--dataDir", dir); code != cli.ExitFailure || !strings.Contains(out, "damaged") {
		t.Errorf("%d %s", code, out)
	}
	if code, _, stderr := run(t, "db", "restore", backup, "--yes", "--dataDir", dir); code != cli.ExitOk {
		t.Fatal(stderr)
	}
	kept, err := filepath.Glob(filepath.Join(dir, "backups", "browserhive-damaged-*.db"))
	if err != nil || len(kept) != 1 {
		t.Errorf("kept %v, %v", kept, err)
	}
	if code, _, stderr := run(t, "db", "status", "--dataDir", dir); code != cli.ExitOk {
		t.Error(stderr)
	}
}

// What changes the database needs the data directory for itself; what reads it does not.
func TestDatabaseCommandsBesideAServer(t *testing.T) {
	t.Parallel()
	dir := made(t)
	backup := filepath.Join(t.TempDir(), "b.db")
	held := &datadir.Dir{Root: dir}
	lock, err := held.Lock()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Release() })
	s, err := store.Open(t.Context(), store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), hosttest.Limit(time.Minute))
		defer cancel()
		_ = s.Close(ctx)
	})
	for _, args := range [][]string{{"db", "status"}, {"db", "backup", "--out", backup}} {
		if code, _, stderr := run(t, append(args, "--dataDir", dir)...); code != cli.ExitOk {
			t.Errorf("%v: %s", args, stderr)
		}
	}
	for _, args := range [][]string{{"db", "migrate"}, {"db", "restore", backup, "--yes"}} {
		if code, _, stderr := run(t, append(args, "--dataDir", dir)...); code == cli.ExitOk || !strings.Contains(stderr, "[DATA_DIR_LOCKED]") {
			t.Errorf("%v: %d %s", args, code, stderr)
		}
	}
}
