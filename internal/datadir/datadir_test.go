package datadir_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/datadir"
)

func open(t *testing.T) *datadir.Dir {
	t.Helper()
	d, err := datadir.Open(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDirectoriesArePrivate(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	d, err := datadir.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.MakeSession("shop-12345678"); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{root, d.Sessions(), d.Temp(), d.Uploads(), d.Session("shop-12345678"), d.Profile("shop-12345678"), d.Downloads("shop-12345678")} {
		info, err := os.Stat(p)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v %v", p, info.Mode(), err)
		}
	}
}

func TestOpenNamesTheDirectoryItCannotUse(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := datadir.Open(filepath.Join(file, "below"))
	if contract.CodeOf(err) != errcode.CodeDataDirUnwritable {
		t.Fatal(err)
	}
}

func TestLock(t *testing.T) {
	t.Parallel()
	d := open(t)
	l, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if d.Holder() != int64(os.Getpid()) {
		t.Errorf("the lock names %d", d.Holder())
	}
	if _, err := d.Lock(); contract.CodeOf(err) != errcode.CodeDataDirLocked {
		t.Errorf("a second lock: %v", err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	again, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	_ = again.Release()
}

func TestStaleLockIsTakenOver(t *testing.T) {
	t.Parallel()
	d := open(t)
	// What a killed server leaves: the file, its pid in it, and no hold on it.
	if err := os.WriteFile(filepath.Join(d.Root, "browserhive.lock"), []byte("999999\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	if d.Holder() != int64(os.Getpid()) {
		t.Errorf("the lock names %d", d.Holder())
	}
}

func TestSave(t *testing.T) {
	t.Parallel()
	d := open(t)
	const id = "shop-12345678"
	if err := d.MakeSession(id); err != nil {
		t.Fatal(err)
	}
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(d.Session(id), "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "target"), filepath.Join(d.Session(id), "filelink")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"a.png":                               filepath.Join(d.Session(id), "a.png"),
		"shots/deep/a.png":                    filepath.Join(d.Session(id), "shots/deep/a.png"),
		"./b.png":                             filepath.Join(d.Session(id), "b.png"),
		filepath.Join(d.Uploads(), "c.png"):   filepath.Join(d.Uploads(), "c.png"),
		filepath.Join(d.Session(id), "d.png"): filepath.Join(d.Session(id), "d.png"),
	} {
		got, err := d.Save(id, path, []byte("data"))
		if err != nil || got != want {
			t.Errorf("%s: %s %v", path, got, err)
			continue
		}
		info, err := os.Stat(got)
		if err != nil || info.Mode().Perm() != 0o600 || info.Size() != 4 {
			t.Errorf("%s: %v %v", path, info, err)
		}
	}
	for _, path := range []string{
		"", ".", "..", "../x.png", "a/../../x.png", "/etc/x.png", outside + "/x.png", "link/x.png", "filelink",
		"userdata/Default/Cookies", "USERDATA/x", "userdata.pid", "Userdata.json", "x\x00.png", d.Root + "/browserhive.lock",
		d.Session("other-12345678") + "/x.png", d.Uploads() + "/../x.png",
	} {
		if got, err := d.Save(id, path, []byte("data")); contract.CodeOf(err) != errcode.CodePathNotAllowed {
			t.Errorf("%q was written to %q: %v", path, got, err)
		}
	}
	entries, err := os.ReadDir(outside)
	if err != nil || len(entries) != 0 {
		t.Errorf("something was written outside: %v %v", entries, err)
	}
}

func TestRemoveSessionKeepsWhatTheAgentSaved(t *testing.T) {
	t.Parallel()
	d := open(t)
	for _, id := range []string{"empty-12345678", "kept-12345678"} {
		if err := d.MakeSession(id); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(d.Profile(id), "Cookies"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	saved, err := d.Save("kept-12345678", "a.png", []byte("png"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(d.Temp()); err != nil {
		t.Fatal(err)
	}
	if err := d.Clean(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(d.Temp()); err != nil {
		t.Error("browsers need their TMPDIR")
	}
	if _, err := os.Stat(d.Session("empty-12345678")); !os.IsNotExist(err) {
		t.Error("an empty session directory stays")
	}
	if _, err := os.Stat(d.Profile("kept-12345678")); !os.IsNotExist(err) {
		t.Error("a profile stays")
	}
	if b, err := os.ReadFile(saved); err != nil || !strings.Contains(string(b), "png") {
		t.Error("a saved file is gone")
	}
}

// A process that starts while the lock is held has a copy of it for a moment, which must not outlast it.
func TestReleaseBesideProcessesThatStart(t *testing.T) {
	t.Parallel()
	d, err := datadir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var starting sync.WaitGroup
	for range 4 {
		starting.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_ = exec.Command(os.Args[0], "-test.run", "^$").Run()
				}
			}
		})
	}
	for range 300 {
		lock, err := d.Lock()
		if err != nil {
			t.Error(err)
			break
		}
		if err := lock.Release(); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	starting.Wait()
}
