package datadir_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/browserhive/browserhive/internal/datadir"
)

func fill(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		p := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func names(parts []datadir.Part) (list []string) {
	for _, p := range parts {
		list = append(list, p.Name)
	}
	return list
}

func TestPartsAreMeasuredAndRemoved(t *testing.T) {
	t.Parallel()
	root, outside := t.TempDir(), t.TempDir()
	fill(t, outside, map[string]string{"precious.txt": "precious", "deep/precious.txt": "precious"})
	fill(t, root, map[string]string{
		"browserhive.db": "12345", "browserhive.db-wal": "1", "sessions/a/downloads/x.txt": "123", "sessions/b/y.txt": "1234",
		"auth-states/o/login.json": "{}", "admin/credentials.txt": "secret", "browserhive.config.json": "{}", "notes.txt": "mine",
		"browserhive.corrupt-20260101T000000Z.db": "12",
	})
	d := &datadir.Dir{Root: root}
	links := runtime.GOOS != "windows" // Where links need a privilege.
	if links {
		for _, name := range []string{"sessions/link", "uploads"} {
			if err := os.Symlink(outside, filepath.Join(root, filepath.FromSlash(name))); err != nil {
				t.Fatal(err)
			}
		}
	}
	parts, err := d.Parts(datadir.Record)
	if err != nil {
		t.Fatal(err)
	}
	if got := names(parts); !slices.Equal(got, []string{"browserhive.db-wal", "browserhive.db", "sessions"}) {
		t.Fatal(got)
	}
	if s := parts[2]; s.Files < 2 || s.Bytes < 7 || s.Bytes > 200 { // A link is as long as the path in it.
		t.Errorf("%+v", s)
	}
	kept, err := d.Parts(datadir.Irreplaceable)
	if err != nil {
		t.Fatal(err)
	}
	removed := 0
	for _, p := range append(parts, kept...) {
		if err := d.Remove(p, func() { removed++ }); err != nil {
			t.Error(err)
		}
	}
	if removed < 8 {
		t.Errorf("%d steps", removed)
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if !slices.Equal(left, []string{"browserhive.config.json", "notes.txt"}) {
		t.Error(left)
	}
	for _, name := range []string{"precious.txt", "deep/precious.txt"} {
		if _, err := os.Stat(filepath.Join(outside, filepath.FromSlash(name))); err != nil {
			t.Error("a link was followed:", err)
		}
	}
}

func TestStrangers(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := &datadir.Dir{Root: root}
	if d.Ours() {
		t.Error("an empty directory is ours")
	}
	if _, err := datadir.Open(root); err != nil {
		t.Fatal(err)
	}
	lock, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Release() })
	if !d.Ours() {
		t.Error("a directory that was locked is not ours")
	}
	if list, err := d.Strangers(); err != nil || len(list) > 0 {
		t.Errorf("what we make ourselves is strange: %v %v", list, err)
	}
	fill(t, root, map[string]string{"old.sqlite": "", "blocklist.txt": "", ".DS_Store": "", "browserhive.db": ""})
	list, err := d.Strangers(filepath.Join(root, "blocklist.txt"))
	if err != nil || !slices.Equal(list, []string{"old.sqlite"}) {
		t.Errorf("%v %v", list, err)
	}
}
