package contract

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// diskFaults are what a system answers when a disk takes nothing: it is full, the user's share of it is, it is
// read-only, it broke, or a limit of the process is reached.
var diskFaults = []error{
	syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO, syscall.EFBIG, fs.ErrPermission,
}

// DiskFault reports whether err says that a disk does not take a file, which is for the operator to settle.
func DiskFault(err error) bool {
	var path *fs.PathError
	if errors.As(err, &path) && path.Op == "fork/exec" { // A program that may not be run is no matter of the disk.
		return false
	}
	for _, fault := range append(diskFaults, platformFaults...) {
		if errors.Is(err, fault) {
			return true
		}
	}
	return false
}

// Reason says in the words of the system why a file could not be used, without its path.
func Reason(err error) string {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &path):
		return path.Err.Error()
	case errors.As(err, &link):
		return link.Err.Error()
	}
	return err.Error()
}
