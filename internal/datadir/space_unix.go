//go:build unix

package datadir

import "golang.org/x/sys/unix"

// free is how many bytes a user may still write to the file system of a path.
func free(path string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, err
	}
	return uint64(s.Bavail) * uint64(s.Bsize), nil //nolint:unconvert // The types differ from system to system, and no count is negative.
}
