package datadir_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/browserhive/browserhive/internal/datadir"
)

func TestArtifacts(t *testing.T) {
	t.Parallel()
	d, err := datadir.Open(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	put := func(path string, n int) {
		t.Helper()
		path = filepath.Join(d.Sessions(), path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, n), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("a-1/downloads/x/y.bin", 100)
	put("a-1/screenshots/z.png", 10)
	put("a-1/trace.zip", 1)
	put("a-1/userdata/Default/History", 1000)
	put("b-2/downloads/y.bin", 5)
	outside := filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(outside, make([]byte, 7), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(d.Sessions(), "b-2", "link")); err != nil {
		t.Skip(err)
	}
	if n, err := d.ArtifactBytes(); err != nil || n != 116 {
		t.Errorf("%d, %v", n, err)
	}
	for path, want := range map[string]int64{"sessions/a-1/screenshots/z.png": 10, "sessions/a-1/screenshots/none.png": 0} {
		if n, err := d.RemoveArtifact(path); err != nil || n != want {
			t.Errorf("%s: %d, %v", path, n, err)
		}
	}
	for _, path := range []string{"browserhive.db", "../x", "sessions/../../x", "sessions", ""} {
		if _, err := d.RemoveArtifact(path); err == nil {
			t.Errorf("%q was taken", path)
		}
	}
	for id, want := range map[string]int64{"a-1": 101, "b-2": 5, "gone-3": 0} {
		if n, err := d.RemoveArtifacts(id); err != nil || n != want {
			t.Errorf("%s: %d, %v", id, n, err)
		}
	}
	for path, there := range map[string]bool{
		filepath.Join(d.Sessions(), "a-1", "userdata", "Default", "History"): true,
		filepath.Join(d.Sessions(), "a-1", "downloads"):                      false,
		filepath.Join(d.Sessions(), "b-2"):                                   false,
		outside:                                                              true,
	} {
		if _, err := os.Stat(path); (err == nil) != there {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, id := range []string{"", ".", "..", "../sessions", "a/b"} {
		if _, err := d.RemoveArtifacts(id); err == nil {
			t.Errorf("%q was taken", id)
		}
	}
}
