package datadir

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

var errHeld = errors.New("held by another process")

// lockFile locks a byte far behind the text, so that others can still read the pid.
func lockFile(f *os.File) error { return lockWith(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// shareFile locks beside others that do, but not beside one who holds the lock for himself.
func shareFile(f *os.File) error { return lockWith(f, 0) }

func lockWith(f *os.File, flags uint32) error {
	at := &windows.Overlapped{OffsetHigh: 1}
	flags |= windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errHeld
	}
	return err
}

// unlockFile does nothing: closing the file ends its lock.
func unlockFile(*os.File) error { return nil }
