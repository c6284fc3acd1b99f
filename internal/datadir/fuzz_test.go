package datadir_test

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/datadir"
)

// below lists all files below a directory, links as links.
func below(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// sandbox is a data directory beside files that nobody may touch, with links out of it.
func sandbox(t *testing.T) (d *datadir.Dir, above string) {
	t.Helper()
	above = t.TempDir()
	d, err := datadir.Open(filepath.Join(above, "data"))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.MakeSession("s"); err != nil {
		t.Fatal(err)
	}
	fill(t, above, map[string]string{"outside/secret.txt": "secret", "data/browserhive.db": "database"})
	for _, dir := range []string{d.Session("s"), d.Uploads(), d.Profile("s")} {
		_ = os.Symlink(filepath.Join(above, "outside"), filepath.Join(dir, "out")) // Without links there is less to test.
		_ = os.Symlink("../..", filepath.Join(dir, "up"))
	}
	return d, above
}

// untouched makes sure that files are only in the directories of agents.
func untouched(t *testing.T, d *datadir.Dir, above, what string, before []string, allowed ...string) {
	t.Helper()
	known := map[string]bool{}
	for _, path := range before {
		known[path] = true
	}
	for _, path := range below(t, above) {
		inside := known[path]
		for _, dir := range allowed {
			inside = inside || strings.HasPrefix(path, dir+string(filepath.Separator))
		}
		if !inside {
			t.Errorf("%q wrote %s", what, path)
		}
	}
	for path, want := range map[string]string{filepath.Join(above, "outside", "secret.txt"): "secret", filepath.Join(d.Root, "browserhive.db"): "database"} {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%q changed %s: %v", what, path, err)
		}
	}
}

// Whatever the path, a file lands in the session's directory or among the uploads, or nowhere.
func FuzzSave(f *testing.F) {
	for _, s := range []string{"a/b.png", "../x", "out/secret.txt", "up/browserhive.db", "userdata/x", "/etc/passwd", "a/../../x", "\x00", "C:x", `..\x`, ".", "UserData.json"} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, path string, absolute bool) {
		if len(path) > 500 {
			return
		}
		d, above := sandbox(t)
		if absolute {
			path = d.Uploads() + string(filepath.Separator) + path
		}
		before := below(t, above)
		got, err := d.Save("s", path, []byte("new"))
		untouched(t, d, above, path, before, d.Session("s"), d.Uploads())
		for _, name := range below(t, d.Profile("s")) {
			if content, err := os.ReadFile(name); err == nil && string(content) == "new" {
				t.Errorf("%q wrote into the profile: %s", path, name)
			}
		}
		if err != nil {
			return
		}
		if content, err := os.ReadFile(got); err != nil || string(content) != "new" {
			t.Errorf("%q was saved as %q, where it is not: %v", path, got, err)
		}
	})
}

// Whatever an archive holds, unpacking it writes into the profile alone.
func FuzzUnpackProfile(f *testing.F) {
	for _, names := range [][]string{
		{"userdata.json", "state.json", "userdata/Default/Cookies"}, {"userdata/../../x"}, {"userdata/out/secret.txt"},
		{"userdata/up/browserhive.db"}, {"userdata//etc/x"}, {`userdata/..\x`}, {"userdata/a", "userdata/a/b"},
	} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, name := range names {
			w, err := z.Create(name)
			if err != nil {
				f.Fatal(err)
			}
			if _, err := w.Write([]byte("{}")); err != nil {
				f.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		d, above := sandbox(t)
		archive, err := os.Create(filepath.Join(d.Temp(), "archive.zip"))
		if err != nil {
			t.Fatal(err)
		}
		defer archive.Close()
		if _, err := archive.Write(content); err != nil {
			t.Fatal(err)
		}
		before := below(t, above)
		_, _ = d.UnpackProfile(t.Context(), archive, "s")
		untouched(t, d, above, "the archive", before, d.Profile("s"))
	})
}

// Names under which logins are saved lead nowhere else.
func FuzzSavedPath(f *testing.F) {
	d := &datadir.Dir{Root: filepath.Join(string(filepath.Separator), "data")}
	for _, s := range []string{"work", "../x", "a/b", ".", "a\x00", strings.Repeat("x", 300), "a.", "Ä", `a\b`} {
		f.Add("owner", s)
	}
	f.Add("../../x", "work")
	f.Fuzz(func(t *testing.T, owner, name string) {
		path, err := d.SavedPath(owner, types.SavedAuthKindStorage, name)
		if err != nil {
			if contract.CodeOf(err) != errcode.CodePathNotAllowed {
				t.Errorf("%q: %v", name, err)
			}
			return
		}
		if filepath.Dir(filepath.Dir(path)) != d.AuthStates() || filepath.Base(path) != name+".json" {
			t.Errorf("%q of %q is %q", name, owner, path)
		}
	})
}
