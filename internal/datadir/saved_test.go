package datadir_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/contract"
)

func TestSavedAuths(t *testing.T) {
	t.Parallel()
	d := open(t)
	text := func(s string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
	}
	path, size, err := d.SaveAuth("a", types.SavedAuthKindStorage, "work", text("one"))
	if err != nil || size != 3 {
		t.Fatal(path, size, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	// A save that fails leaves the old one, and nothing else.
	if _, _, err := d.SaveAuth("a", types.SavedAuthKindStorage, "work", func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return errors.New("boom")
	}); err == nil {
		t.Error("the failure is lost")
	}
	if b, _ := os.ReadFile(path); string(b) != "one" {
		t.Errorf("%q", b)
	}
	if _, _, err := d.SaveAuth("a", types.SavedAuthKindStorage, "work", text("second")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.SaveAuth("a", types.SavedAuthKindProfile, "work", text("zip")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.SaveAuth("b", types.SavedAuthKindStorage, "other", text("b's")); err != nil {
		t.Fatal(err)
	}
	list, err := d.SavedAuths("a")
	if err != nil || len(list) != 2 {
		t.Errorf("%v %v", list, err)
	}
	if left, _ := filepath.Glob(filepath.Join(d.AuthStates(), "*", ".saving-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	f, err := d.OpenAuth("a", types.SavedAuthKindStorage, "work")
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(f)
	_ = f.Close()
	if string(b) != "second" {
		t.Errorf("%q", b)
	}
	for _, c := range []struct{ owner, name string }{{"b", "work"}, {"a", "nope"}, {"a", "../b/other"}} {
		if _, err := d.OpenAuth(c.owner, types.SavedAuthKindStorage, c.name); contract.CodeOf(err) != errcode.CodeAuthStateNotFound {
			t.Errorf("%v: %v", c, err)
		}
	}
	if list, err := d.SavedAuths("nobody"); err != nil || len(list) != 0 {
		t.Error(list, err)
	}
}

func TestSavedNames(t *testing.T) {
	t.Parallel()
	d := open(t)
	for _, bad := range []string{"", ".", "..", ".hidden", "a/b", `a\b`, "a\x00", "../x", "a.", "a ", "C:x", "x\n", string(make([]byte, 200))} {
		if p, err := d.SavedPath("a", types.SavedAuthKindStorage, bad); contract.CodeOf(err) != errcode.CodePathNotAllowed {
			t.Errorf("%q: %s %v", bad, p, err)
		}
	}
	for _, good := range []string{"a", "work.github", "me@example.com", "Shop 2", "x+y_z-1"} {
		if _, err := d.SavedPath("a", types.SavedAuthKindStorage, good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
}
