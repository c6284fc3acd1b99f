package datadir_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/datadir"
)

const profiled = "shop-12345678"

var record = datadir.ProfileRecord{Owner: "ann", Slug: "shop", Mode: types.PersistenceModePersistent}

// session makes a session whose profile holds files.
func session(t *testing.T, d *datadir.Dir, id string, files ...string) {
	t.Helper()
	if err := d.MakeSession(id); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		path := filepath.Join(d.Profile(id), f)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("content of "+f), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// files are the regular files of a profile, in order.
func files(t *testing.T, d *datadir.Dir, id string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(d.Profile(id), func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(d.Profile(id), path)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestKeptProfilesStay(t *testing.T) {
	t.Parallel()
	d := open(t)
	session(t, d, profiled, "Default/Cookies")
	session(t, d, "memory-12345678", "Default/Cookies")
	if _, kept := d.KeptProfile(profiled); kept {
		t.Error("kept without a record")
	}
	if err := d.KeepProfile(profiled, record); err != nil {
		t.Fatal(err)
	}
	if err := d.RemoveSession(profiled); err != nil {
		t.Fatal(err)
	}
	if err := d.Clean(); err != nil {
		t.Fatal(err)
	}
	if got, kept := d.KeptProfile(profiled); !kept || got.Owner != "ann" {
		t.Errorf("the record is %v", got)
	}
	if got := files(t, d, profiled); !slices.Equal(got, []string{"Default/Cookies"}) {
		t.Errorf("the profile holds %v", got)
	}
	if info, err := os.Stat(d.Profile(profiled) + ".json"); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if _, err := os.Stat(d.Session("memory-12345678")); !os.IsNotExist(err) {
		t.Error("a profile without a record stays")
	}
}

func TestProfileTravels(t *testing.T) {
	t.Parallel()
	d := open(t)
	session(t, d, profiled, "Local State", "Default/Cookies", "Default/Service Worker/Database/LOG", "Default/Local Storage/leveldb/LOCK",
		"Default/Cache/Cache_Data/x", "Default/Code Cache/js/x", "GrShaderCache/x", "lockfile", "DevToolsActivePort", "Default/x-shm")
	if err := os.Symlink("host-1", filepath.Join(d.Profile(profiled), "SingletonLock")); err != nil {
		t.Fatal(err)
	}
	want := []string{"Default/Cookies", "Default/Service Worker/Database/LOG", "Local State"}
	session(t, d, "copy-12345678")
	if err := d.CopyProfile(t.Context(), profiled, "copy-12345678"); err != nil {
		t.Fatal(err)
	}
	if got := files(t, d, "copy-12345678"); !slices.Equal(got, want) {
		t.Errorf("the copy holds %v", got)
	}

	var packed bytes.Buffer
	if err := d.PackProfile(t.Context(), profiled, record, []byte(`{"cookies":[]}`), &packed); err != nil {
		t.Fatal(err)
	}
	session(t, d, "unpacked-12345678")
	state, err := d.UnpackProfile(t.Context(), archive(t, packed.Bytes()), "unpacked-12345678")
	if err != nil || string(state) != `{"cookies":[]}` {
		t.Fatal(string(state), err)
	}
	if got := files(t, d, "unpacked-12345678"); !slices.Equal(got, want) {
		t.Errorf("the archive holds %v", got)
	}
	content, err := os.ReadFile(filepath.Join(d.Profile("unpacked-12345678"), "Default/Cookies"))
	if err != nil || string(content) != "content of Default/Cookies" {
		t.Errorf("%q %v", content, err)
	}
	if left, _ := os.ReadDir(d.Temp()); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A profile that is written meanwhile is copied as it was at one moment, or not at all.
func TestProfileThatIsWritten(t *testing.T) {
	t.Parallel()
	d := open(t)
	session(t, d, profiled)
	session(t, d, "copy-12345678")
	pair := func(id string) (a, b string) {
		return filepath.Join(d.Profile(id), "a"), filepath.Join(d.Profile(id), "b")
	}
	read := func(path string) int {
		content, _ := os.ReadFile(path)
		n, err := strconv.Atoi(string(content))
		if err != nil {
			t.Errorf("%s holds %q", path, content)
		}
		return n
	}
	first, second := pair(profiled)
	complete := filepath.Join(t.TempDir(), "new")
	stop, stopped, written := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for n := 10_000; ; n++ {
			for _, path := range []string{first, second} {
				_ = os.WriteFile(complete, []byte(strconv.Itoa(n)), 0o600)
				_ = os.Rename(complete, path)
			}
			if n == 10_000 {
				close(written)
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	<-written
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	err := d.CopyProfile(ctx, profiled, "copy-12345678")
	a, b := pair("copy-12345678")
	if err == nil {
		if step := read(a) - read(b); step != 0 && step != 1 {
			t.Errorf("the copy is of two moments, %d apart", step)
		}
	} else if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	close(stop)
	<-stopped
	if err := d.CopyProfile(t.Context(), profiled, "copy-12345678"); err != nil {
		t.Fatal(err)
	}
	if read(a) != read(first) || read(b) != read(second) {
		t.Error("the copy differs from a profile at rest")
	}
}

func TestArchivesThatLeadOut(t *testing.T) {
	t.Parallel()
	d := open(t)
	for i, name := range []string{
		"userdata/../../escaped", "userdata//escaped", "userdata/a/../../escaped", `userdata/..\escaped`, "userdata/", "userdata/dir/", "userdata/link",
	} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		h := &zip.FileHeader{Name: name, Method: zip.Deflate}
		if strings.HasSuffix(name, "link") {
			h.SetMode(os.ModeSymlink | 0o777)
		}
		part, err := z.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "/") {
			_, _ = part.Write([]byte("/etc/passwd"))
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		id := "bad-1234567" + string(rune('0'+i))
		session(t, d, id)
		if _, err := d.UnpackProfile(t.Context(), archive(t, b.Bytes()), id); err == nil {
			t.Errorf("%q was unpacked: %v", name, files(t, d, id))
		}
	}
	if found, _ := filepath.Glob(filepath.Join(d.Root, "sessions", "*", "escaped")); len(found) > 0 {
		t.Errorf("escaped: %v", found)
	}
}

func archive(t *testing.T, content []byte) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "profile.zip")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func TestArchivesAreBounded(t *testing.T) {
	t.Parallel()
	if _, err := io.ReadAll(datadir.Bounded(strings.NewReader("four"), 3)); err == nil {
		t.Error("more bytes than the bound were read")
	}
	if got, err := io.ReadAll(datadir.Bounded(strings.NewReader("four"), 4)); err != nil || string(got) != "four" {
		t.Errorf("%q %v", got, err)
	}
	d := open(t)
	session(t, d, profiled)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := range 100_001 {
		if _, err := z.CreateHeader(&zip.FileHeader{Name: "userdata/" + strconv.Itoa(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.UnpackProfile(t.Context(), archive(t, b.Bytes()), profiled); err == nil || len(files(t, d, profiled)) > 0 {
		t.Errorf("unpacked: %v", err)
	}
}
