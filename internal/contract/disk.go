package contract

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// diskFaults are the errors of a disk that cannot be written to: it is full, a quota is, it is read-only or
// broken, or a limit of the process is reached.
var diskFaults = []error{
	syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO, syscall.EFBIG, fs.ErrPermission,
}

// DiskFault reports whether err means that a disk cannot be written to, which the operator has to settle.
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
