package datadir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// admin is the directory of what the operator signs in with.
func (d *Dir) admin() string { return filepath.Join(d.Root, "admin") }

// SeedFile is where a generated password of the operator stands until it is changed. A new one is prepared
// beside it, so that the old one is not lost before the new one is valid.
type SeedFile struct {
	dir  *Dir
	path string
}

// SeedFile returns the file of this directory. It need not exist.
func (d *Dir) SeedFile() SeedFile { return SeedFile{d, filepath.Join(d.admin(), "credentials.txt")} }

// Path is where a generated password stands until it is changed.
func (f SeedFile) Path() string { return f.path }

func (f SeedFile) next() string { return f.path + ".new" }

// Prepare stores the text beside the file, for the owner alone, on the disk when it returns. It fails with
// DATA_DIR_UNWRITABLE.
func (f SeedFile) Prepare(text string) error {
	if err := private(f.dir.admin()); err != nil {
		return f.dir.unwritable(err)
	}
	if _, err := writeAtomicIn(f.dir.admin(), filepath.Base(f.next()), durable, content([]byte(text))); err != nil {
		return f.dir.unwritable(err)
	}
	return nil
}

// Place puts what was prepared in the place of the file, which is erased, and returns where the text stands
// now, whether that succeeds or not.
func (f SeedFile) Place() (path string, err error) {
	if err := errors.Join(erase(f.path), os.Rename(f.next(), f.path)); err != nil {
		return f.next(), err
	}
	return f.path, nil
}

// Discard erases what was prepared.
func (f SeedFile) Discard() error { return erase(f.next()) }

// Erase overwrites the file, and what was prepared, with zeros and removes them. Without a file it does
// nothing.
func (f SeedFile) Erase() error { return errors.Join(erase(f.path), erase(f.next())) }

func erase(path string) error {
	out, err := os.OpenFile(path, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	info, err := out.Stat()
	if err == nil {
		_, err = out.Write(make([]byte, info.Size()))
	}
	return errors.Join(err, out.Sync(), out.Close(), os.Remove(path))
}
