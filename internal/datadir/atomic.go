package datadir

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
)

// unfinished begins the names of files that are being written.
const unfinished = ".saving-"

// durability says whether a file outlives a loss of power.
type durability bool

const (
	// durable files are on the disk when the write returns, whatever happens to the power.
	durable durability = true
	// volatile files may be lost with the power, which saves a call the wait for the disk.
	volatile durability = false
)

// writeAtomic writes a file that has all of its content or does not exist: it takes its name, and the place of an
// older file, only once it is complete. When that fails, the older file is as it was and nothing else is
// left. It returns the size in bytes. name is a path below root, whose directory exists.
func writeAtomic(root *os.Root, name string, d durability, write func(io.Writer) error) (size int64, err error) {
	tmp := unfinished + rand.Text()
	f, err := root.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			_ = f.Close() // It may be closed already.
			_ = root.Remove(tmp)
		}
	}()
	if err = write(f); err != nil {
		return 0, err
	}
	if d == durable {
		if err = f.Sync(); err != nil {
			return 0, err
		}
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if err = f.Close(); err != nil {
		return 0, err
	}
	return info.Size(), root.Rename(tmp, name)
}

// writeAtomicIn is writeAtomic for a file that lies in dir itself.
func writeAtomicIn(dir, name string, d durability, write func(io.Writer) error) (size int64, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	return writeAtomic(root, name, d, write)
}

// content writes bytes.
func content(b []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}
}

// unwritable is DATA_DIR_UNWRITABLE for an error of the system that made or wrote a file.
func (d *Dir) unwritable(err error) error {
	return errcode.DataDirUnwritable{Path: d.Root, Reason: contract.Reason(err)}.Err().Because(err)
}

// written turns an error of a longer piece of work into DATA_DIR_UNWRITABLE when the disk is to blame for it, and
// leaves others as they are.
func (d *Dir) written(err error) error {
	if err == nil || contract.CodeOf(err) != "" || !contract.DiskFault(err) {
		return err
	}
	return d.unwritable(err)
}

// cleanUnfinished removes what a server that died while writing left. The caller holds the lock, so nobody
// is writing.
func (d *Dir) cleanUnfinished() {
	for _, where := range []string{
		filepath.Join(d.AuthStates(), "*"), filepath.Join(d.Sessions(), "*"), filepath.Join(d.Sessions(), "*", screenshots), d.Uploads(), d.admin(),
	} {
		found, _ := filepath.Glob(filepath.Join(where, unfinished+"*")) // The pattern is valid.
		for _, p := range found {
			_ = os.Remove(p)
		}
	}
}

// replaceable reports whether a file may take the name: nothing has it, or a file that lies below root.
func replaceable(root *os.Root, name string) error {
	info, err := root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errNotRegular
	}
	return nil
}
