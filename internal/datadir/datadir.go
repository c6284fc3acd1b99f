// Package datadir is the layout of the data directory: where things lie, with which modes, and who
// holds the directory.
package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
)

// Dir is an opened data directory.
type Dir struct{ Root string }

// Open creates the directory and its parts, for the owner alone. It fails with DATA_DIR_UNWRITABLE.
func Open(root string) (*Dir, error) {
	d := &Dir{Root: root}
	for _, p := range []string{root, d.Sessions(), d.Temp(), d.Uploads()} {
		if err := private(p); err != nil {
			return nil, d.unwritable(err)
		}
	}
	probe, err := os.CreateTemp(root, ".write-*")
	if err != nil {
		return nil, d.unwritable(err)
	}
	_ = probe.Close()
	_ = os.Remove(probe.Name())
	return d, nil
}

var errForeign = errors.New("it belongs to another user")

// private makes a directory that only its owner can enter, whatever the umask. What is there already is only
// closed to others: a directory that its owner made read-only stays so.
func private(p string) error {
	info, err := os.Stat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(p, 0o700); err != nil {
			return err
		}
		return os.Chmod(p, 0o700)
	case err != nil:
		return err
	case !info.IsDir():
		return &fs.PathError{Op: "mkdir", Path: p, Err: syscall.ENOTDIR}
	case foreign(info): // Who may replace what lies in it, or read it, even where this process may write.
		return errForeign
	case info.Mode().Perm()&0o077 != 0:
		return os.Chmod(p, info.Mode().Perm()&0o700)
	}
	return nil
}

// Sessions holds a directory per session.
func (d *Dir) Sessions() string { return filepath.Join(d.Root, "sessions") }

// Session is the directory of one session.
func (d *Dir) Session(id string) string { return filepath.Join(d.Sessions(), id) }

// profileName begins the name of everything in a session's directory that is the browser's.
const profileName = "userdata"

// Profile is the browser profile of a session.
func (d *Dir) Profile(id string) string { return filepath.Join(d.Session(id), profileName) }

// Downloads is where a session's downloads go.
func (d *Dir) Downloads(id string) string { return filepath.Join(d.Session(id), "downloads") }

// Temp is the TMPDIR of the browsers and their driver.
func (d *Dir) Temp() string { return filepath.Join(d.Root, "tmp") }

// MakeSession creates the directories of a session.
func (d *Dir) MakeSession(id string) error {
	for _, p := range []string{d.Session(id), d.Profile(id), d.Downloads(id)} {
		if err := private(p); err != nil {
			return d.unwritable(err)
		}
	}
	return nil
}

// RemoveSession deletes the profile of a session, unless KeepProfile made it stay. Files that the agent
// saved or downloaded stay too; a directory that holds nothing goes.
func (d *Dir) RemoveSession(id string) error {
	if _, kept := d.KeptProfile(id); kept {
		_ = os.Remove(d.Downloads(id)) // fails, as it should, when it holds files
		return nil
	}
	if err := removeProfile(d.Profile(id)); err != nil {
		return err
	}
	entries, err := os.ReadDir(d.Session(id))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			_ = os.Remove(filepath.Join(d.Session(id), e.Name())) // fails, as it should, when it holds files
		} else if ownedByBrowser(e.Name()) {
			_ = os.Remove(filepath.Join(d.Session(id), e.Name()))
		}
	}
	_ = os.Remove(d.Session(id))
	return nil
}

// How often removing a profile is tried, and the pause in between: a second in all, far more than the helpers of a
// browser that was killed take to end.
const (
	maxRemoveTries = 20
	removeInterval = 50 * time.Millisecond
)

// removeProfile removes a profile whose browser has ended. Its helpers may still write while they end, so
// removing is tried again for a moment.
func removeProfile(dir string) (err error) {
	for range maxRemoveTries {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		time.Sleep(removeInterval) //nolint:forbidigo // a file system tells nobody when a process lets go of a file
	}
	return err
}

// Clean removes what a dead server left: profiles of sessions that keep none, and temporary files. The
// caller holds the lock, and has ended the browsers that used them.
func (d *Dir) Clean() error {
	d.cleanUnfinished()
	var errs []error
	entries, err := os.ReadDir(d.Sessions())
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			errs = append(errs, d.RemoveSession(e.Name()))
		}
	}
	if err := private(d.Temp()); err != nil {
		return err
	}
	if entries, err = os.ReadDir(d.Temp()); err != nil {
		return err
	}
	for _, e := range entries {
		errs = append(errs, os.RemoveAll(filepath.Join(d.Temp(), e.Name())))
	}
	return errors.Join(errs...)
}

// Lock is the hold on a data directory.
type Lock struct{ f *os.File }

const lockName = "browserhive.lock"

// Lock takes the directory for this process. It fails with DATA_DIR_LOCKED while another process holds
// it. The hold is the kernel's, so it ends with the process however that ends, and the file that a dead
// one left is simply taken over.
func (d *Dir) Lock() (*Lock, error) {
	p := filepath.Join(d.Root, lockName)
	f, err := os.OpenFile(p, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, d.unwritable(err)
	}
	if err := lockFile(f); err != nil {
		pid := readPID(f)
		_ = f.Close()
		if errors.Is(err, errHeld) {
			return nil, errcode.DataDirLocked{Path: d.Root, Pid: pid}.Err()
		}
		return nil, d.unwritable(err)
	}
	if err := f.Truncate(0); err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
		if err != nil {
			_ = f.Close()
			return nil, d.unwritable(err)
		}
	}
	return &Lock{f}, nil
}

// Release gives the directory up. The file stays: removing it would let two processes hold two files.
func (l *Lock) Release() error {
	var emptied error
	if err := l.f.Truncate(0); err != nil {
		emptied = fmt.Errorf("empty the lock file: %w", err)
	}
	return errors.Join(emptied, unlockFile(l.f), l.f.Close())
}

// Holder returns the pid that the lock file of a directory names, or 0.
func (d *Dir) Holder() int64 {
	f, err := os.Open(filepath.Join(d.Root, lockName))
	if err != nil {
		return 0
	}
	defer f.Close()
	return readPID(f)
}

// Held returns the process that holds a directory, another than this one, and whether there is one. It changes
// nothing.
func (d *Dir) Held() (pid int64, held bool) {
	f, err := os.Open(filepath.Join(d.Root, lockName))
	if err != nil {
		return 0, false
	}
	defer f.Close()
	// Only where somebody has put his number, or has died: who is about to lock must not find it locked by a look.
	if pid = readPID(f); pid == 0 {
		return 0, false
	}
	err = shareFile(f)
	if err == nil {
		_ = unlockFile(f) // The descriptor is closed at once.
	}
	return pid, errors.Is(err, errHeld)
}

func readPID(f *os.File) int64 {
	b := make([]byte, 32)
	n, _ := f.ReadAt(b, 0)
	pid, err := strconv.ParseInt(strings.TrimSpace(string(b[:n])), 10, 64)
	if err != nil {
		return 0
	}
	return pid
}
