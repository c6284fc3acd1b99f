package datadir

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// Free is how many bytes can still be written where the data directory is, or will be.
func (d *Dir) Free() (uint64, error) {
	for path := d.Root; ; path = filepath.Dir(path) {
		n, err := free(path)
		if !errors.Is(err, fs.ErrNotExist) || path == filepath.Dir(path) {
			return n, err
		}
	}
}
