package datadir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// SeedFile is where a generated password of the operator stands until it is changed.
type SeedFile struct{ path string }

// SeedFile returns the file of this directory. It need not exist.
func (d *Dir) SeedFile() SeedFile { return SeedFile{filepath.Join(d.Root, "admin", "credentials.txt")} }

// Write stores the text for the owner alone, on the disk when it returns, and returns where.
func (f SeedFile) Write(text string) (path string, err error) {
	if err := private(filepath.Dir(f.path)); err != nil {
		return "", err
	}
	out, err := os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = out.WriteString(text)
	return f.path, errors.Join(err, out.Sync(), out.Close())
}

// Erase overwrites the file with zeros and removes it. Without a file it does nothing.
func (f SeedFile) Erase() error {
	out, err := os.OpenFile(f.path, os.O_WRONLY, 0)
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
	return errors.Join(err, out.Sync(), out.Close(), os.Remove(f.path))
}
