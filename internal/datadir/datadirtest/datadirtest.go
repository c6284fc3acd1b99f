// Package datadirtest gives tests a disk that they can fill.
package datadirtest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/browserhive/browserhive/internal/contract"
)

// Disk is a file system of its own.
type Disk struct {
	// Dir is where it is mounted.
	Dir string
	t   testing.TB
}

// filler is the name of the file that takes all the room.
const filler = ".filler"

// Fill takes all the room that is left.
func (d *Disk) Fill() {
	d.t.Helper()
	f, err := os.OpenFile(filepath.Join(d.Dir, filler), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		d.t.Fatal(err)
	}
	// Large pieces first, and then what is left in single pages.
	for _, size := range []int{1 << 20, 4 << 10, 1} {
		piece := make([]byte, size)
		for err = nil; err == nil; {
			_, err = f.Write(piece)
		}
		if !contract.DiskFault(err) {
			d.t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		d.t.Fatal(err)
	}
}

// Free gives the room back.
func (d *Disk) Free() {
	d.t.Helper()
	if err := os.Remove(filepath.Join(d.Dir, filler)); err != nil && !errors.Is(err, os.ErrNotExist) {
		d.t.Fatal(err)
	}
}

// Files lists every file below dir with its content, apart from what Fill made.
func Files(t testing.TB, dir string) map[string]string {
	t.Helper()
	list := map[string]string{}
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // A browser that runs there has removed it meanwhile.
		}
		if err != nil || !e.Type().IsRegular() || e.Name() == filler {
			return err
		}
		b, err := fs.ReadFile(root, path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		list[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
