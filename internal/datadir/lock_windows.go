package datadir

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

var errHeld = errors.New("held by another process")

// lockFile locks a byte far behind the text, so that others can still read the pid.
func lockFile(f *os.File) error {
	at := &windows.Overlapped{OffsetHigh: 1}
	flags := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY)
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errHeld
	}
	return err
}

// unlockFile does nothing: closing the file ends its lock.
func unlockFile(*os.File) error { return nil }
