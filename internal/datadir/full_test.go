package datadir_test

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/datadir"
	"github.com/browserhive/browserhive/internal/datadir/datadirtest"
)

// On a full disk every writer says so, keeps what was there, and leaves nothing behind; once there is room it
// works again.
func TestFullDisk(t *testing.T) {
	datadirtest.OnDisk(t, 1<<20, func(t *testing.T, disk *datadirtest.Disk) {
		d, err := datadir.Open(disk.Dir)
		if err != nil {
			t.Fatal(err)
		}
		const id, copied, restored = "shop-12345678", "copy-12345678", "back-12345678"
		for _, s := range []string{id, copied, restored} {
			if err := d.MakeSession(s); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(d.Profile(id), "Cookies"), []byte(strings.Repeat("c", 20_000)), 0o600); err != nil {
			t.Fatal(err)
		}
		// More than a page, so that a file that is begun cannot be completed.
		text := func(of string) string { return strings.Repeat(of, 9000) }
		login := func(kind types.SavedAuthKind, write func(io.Writer) error) error {
			_, _, err := d.SaveAuth("me", kind, "login", write)
			return err
		}
		writers := map[string]func(of string) error{
			"screenshot with save_path": func(of string) error { _, err := d.Save(id, "shots/a.png", []byte(text(of))); return err },
			"upload":                    func(of string) error { _, err := d.Save(id, d.Uploads()+"/a.txt", []byte(text(of))); return err },
			"saved login": func(of string) error {
				return login(types.SavedAuthKindStorage, func(w io.Writer) error { _, err := io.WriteString(w, text(of)); return err })
			},
			"saved profile": func(of string) error {
				return login(types.SavedAuthKindProfile, func(w io.Writer) error {
					return d.PackProfile(t.Context(), id, datadir.ProfileRecord{}, json.RawMessage(`"`+of+`"`), w)
				})
			},
			"record of a profile": func(of string) error { return d.KeepProfile(id, datadir.ProfileRecord{Owner: text(of)}) },
			"generated password":  func(of string) error { return d.SeedFile().Prepare(text(of)) },
		}
		for name, write := range writers {
			if err := write("a"); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		before := datadirtest.Files(t, disk.Dir)
		disk.Fill()
		for name, write := range writers {
			err := write("b")
			if contract.CodeOf(err) != errcode.CodeDataDirUnwritable || !strings.Contains(err.Error(), "no space left on device") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := d.KeepImage(id, "image.png", []byte(text("b"))); !contract.DiskFault(err) {
			t.Errorf("image: %v", err)
		}
		if after := datadirtest.Files(t, disk.Dir); !maps.Equal(before, after) {
			t.Errorf("the disk held %v, and now holds %v", described(before), described(after))
		}
		// A copy that has no room goes with the session that it was for.
		if err := d.CopyProfile(t.Context(), id, copied); contract.CodeOf(err) != errcode.CodeDataDirUnwritable {
			t.Errorf("copy of a profile: %v", err)
		}
		archive, err := d.OpenAuth("me", types.SavedAuthKindProfile, "login")
		if err != nil {
			t.Fatal(err)
		}
		defer archive.Close()
		if _, err := d.UnpackProfile(context.Background(), archive, restored); contract.CodeOf(err) != errcode.CodeDataDirUnwritable {
			t.Errorf("restored profile: %v", err)
		}
		for _, s := range []string{copied, restored} {
			if err := d.RemoveSession(s); err != nil {
				t.Error(err)
			}
		}
		// Downloads take no room of their own: they lie on the same disk already.
		source := filepath.Join(disk.Dir, ".filler")
		if _, _, err := d.KeepDownload(id, source, "large.bin"); err != nil {
			t.Errorf("download: %v", err)
		}
		if err := os.Rename(filepath.Join(d.Downloads(id), "large.bin"), source); err != nil {
			t.Fatal(err)
		}
		disk.Free()
		for name, write := range writers {
			if err := write("b"); err != nil {
				t.Errorf("%s, with room: %v", name, err)
			}
		}
	})
}

func described(files map[string]string) []string {
	var list []string
	for name, content := range files {
		list = append(list, name+" "+content[:min(3, len(content))])
	}
	return list
}

// A write that a crash cut short is gone after the next start, and the file is the old one.
func TestUnfinishedWritesGo(t *testing.T) {
	t.Parallel()
	d := open(t)
	const id = "shop-12345678"
	if err := d.MakeSession(id); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Save(id, "a.png", []byte("old")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{d.Session(id) + "/.saving-x", d.Uploads() + "/.saving-x"} {
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Clean(); err != nil {
		t.Fatal(err)
	}
	for name := range datadirtest.Files(t, d.Root) {
		if strings.Contains(name, ".saving-") {
			t.Errorf("%s is left", name)
		}
	}
	if b, err := os.ReadFile(d.Session(id) + "/a.png"); err != nil || string(b) != "old" {
		t.Errorf("%s, %v", b, err)
	}
}

// A directory that cannot be written, read-only or another user's, is DATA_DIR_UNWRITABLE for every writer.
func TestReadOnlyDirectories(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("the administrator may write anywhere; TestReadOnlyDisk has the same for a disk")
	}
	d := open(t)
	const id = "shop-12345678"
	if err := d.MakeSession(id); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(d.Session(id), 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(d.Session(id), 0o700) })
	if _, err := d.Save(id, "a.png", nil); contract.CodeOf(err) != errcode.CodeDataDirUnwritable {
		t.Errorf("%v", err)
	}
}

// A directory of somebody else is refused and stays as it was, also for the administrator, who could use it.
func TestDirectoryOfAnotherUser(t *testing.T) {
	t.Parallel()
	dir := "/"
	if os.Geteuid() == 0 {
		dir = t.TempDir()
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(dir, 65534, 65534); err != nil {
			t.Skip(err)
		}
	}
	before, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = datadir.Open(dir); contract.CodeOf(err) != errcode.CodeDataDirUnwritable || !strings.Contains(err.Error(), "another user") {
		t.Errorf("%v", err)
	}
	if after, err := os.Stat(dir); err != nil || after.Mode() != before.Mode() {
		t.Errorf("%v, %v", after, err)
	}
}

// A disk that is read-only refuses the start, and what was opened before it became so.
func TestReadOnlyDisk(t *testing.T) {
	datadirtest.OnDisk(t, 1<<20, func(t *testing.T, disk *datadirtest.Disk) {
		d, err := datadir.Open(disk.Dir)
		if err != nil {
			t.Fatal(err)
		}
		const id = "shop-12345678"
		if err := d.MakeSession(id); err != nil {
			t.Fatal(err)
		}
		disk.ReadOnly()
		for name, err := range map[string]error{
			"open":       func() error { _, err := datadir.Open(disk.Dir); return err }(),
			"lock":       func() error { _, err := d.Lock(); return err }(),
			"session":    d.MakeSession("other-12345678"),
			"save":       func() error { _, err := d.Save(id, "deep/a.png", nil); return err }(),
			"profile":    d.KeepProfile(id, datadir.ProfileRecord{}),
			"credential": d.SeedFile().Prepare("x"),
			"login": func() error {
				_, _, err := d.SaveAuth("me", types.SavedAuthKindStorage, "x", func(io.Writer) error { return nil })
				return err
			}(),
		} {
			if contract.CodeOf(err) != errcode.CodeDataDirUnwritable || !strings.Contains(err.Error(), "read-only file system") {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
