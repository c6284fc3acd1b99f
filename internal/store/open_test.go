package store_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/ent/migrations"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/store"
)

func TestNewDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, store.Options{Dir: dir})
	for pragma, want := range map[string]int64{
		"PRAGMA application_id": 0x42484956, "PRAGMA auto_vacuum": 2, "PRAGMA foreign_keys": 1,
		"PRAGMA user_version": int64(len(migrations.All())), "PRAGMA synchronous": 1,
		"SELECT count(*) FROM schema_history": int64(len(migrations.All())),
	} {
		if got := number(t, s.WriterConn(), pragma); got != want {
			t.Errorf("%s is %d, not %d", pragma, got, want)
		}
	}
	if _, err := s.Reads().Exec("DELETE FROM sessions"); err == nil {
		t.Error("a reader can write")
	}
	if runtime.GOOS != "windows" {
		for _, suffix := range []string{"", "-wal", "-shm"} {
			if info, err := os.Stat(path(dir) + suffix); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", suffix, info.Mode(), err)
			}
		}
	}
	closed(t, s)
	if _, err := os.Stat(path(dir) + "-wal"); err == nil {
		t.Error("a closed database left its log")
	}
	closed(t, open(t, store.Options{Dir: dir}))
}

// A start may end before anything stands in the file.
func TestEmptyFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(path(dir), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s := open(t, store.Options{Dir: dir})
	if n := number(t, s.WriterConn(), "PRAGMA auto_vacuum"); n != 2 {
		t.Errorf("auto_vacuum is %d", n)
	}
	if info, err := os.Stat(path(dir)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// What is another's stays as it is.
func TestForeignFiles(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(t *testing.T, file string){
		"of a program with an id":    func(t *testing.T, file string) { execute(t, raw(t, file), "PRAGMA application_id = 7") },
		"of a program without an id": func(t *testing.T, file string) { execute(t, raw(t, file), "CREATE TABLE theirs (id)") },
		"a directory":                func(t *testing.T, file string) { mkdir(t, file) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			make(t, path(dir))
			_, err := store.Open(t.Context(), store.Options{Dir: dir})
			wantCode(t, err, errcode.CodeDBOpenFailed)
			if _, err := os.Stat(path(dir)); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("in a directory that is not there", func(t *testing.T) {
		t.Parallel()
		_, err := store.Open(t.Context(), store.Options{Dir: filepath.Join(t.TempDir(), "gone")})
		wantCode(t, err, errcode.CodeDBOpenFailed)
	})
}

func mkdir(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
}

// A damaged database is moved aside as it is, the next start makes a new one, and each start names what was
// moved until it is gone.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	source := t.TempDir()
	filled(t, source, nil, 2000)
	intact := content(t, path(source))
	scribbled := bytes.Clone(intact)
	for i := 2 * 4096; i < 40*4096; i++ {
		scribbled[i] = 0xa5
	}
	for name, c := range map[string]struct {
		content []byte
		unclean bool
	}{
		"cut in the middle":   {intact[:len(intact)/2], false},
		"cut in the header":   {intact[:50], false},
		"no database at all":  {bytes.Repeat([]byte("text\n"), 1000), false},
		"scribbled, unclean":  {scribbled, true},
		"scribbled, at start": {append(bytes.Clone(intact[:100]), bytes.Repeat([]byte{0xff}, len(intact)-100)...), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(path(dir), c.content, 0o600); err != nil {
				t.Fatal(err)
			}
			if c.unclean {
				if err := os.WriteFile(path(dir)+"-wal", nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err := store.Open(t.Context(), store.Options{Dir: dir})
			wantCode(t, err, errcode.CodeDBCorrupt)
			aside, globErr := filepath.Glob(filepath.Join(dir, "browserhive.corrupt-*.db"))
			if globErr != nil || len(aside) != 1 || !bytes.Equal(content(t, aside[0]), c.content) {
				t.Errorf("moved aside: %q, %v", aside, globErr)
			}
			for range 2 {
				if told := warned(t, dir); !strings.Contains(told, aside[0]) || !strings.Contains(told, "there is no backup") {
					t.Errorf("a start says %q", told)
				}
			}
			backup, err := store.CopyTo(t.Context(), dir, "")
			if err != nil {
				t.Fatal(err)
			}
			if told := warned(t, dir); !strings.Contains(told, backup) || !strings.Contains(told, "db restore") {
				t.Errorf("a start beside a backup says %q", told)
			}
			if err := os.Remove(aside[0]); err != nil {
				t.Fatal(err)
			}
			if told := warned(t, dir); told != "" {
				t.Errorf("a start without a damaged database says %q", told)
			}
		})
	}
}

// warned is what a start warns of.
func warned(t *testing.T, dir string) string {
	t.Helper()
	var log bytes.Buffer
	closed(t, open(t, store.Options{Dir: dir, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))}))
	return log.String()
}
