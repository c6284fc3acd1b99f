//go:build unix

package datadir

import (
	"errors"
	"os"
	"syscall"
)

var errHeld = errors.New("held by another process")

func lockFile(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errHeld
	}
	return err
}

// shareFile locks beside others that do, but not beside one who holds the lock for himself.
func shareFile(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errHeld
	}
	return err
}

// unlockFile gives the lock up for every copy of the descriptor: a process that is just being started holds
// one until it runs its own program.
func unlockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
