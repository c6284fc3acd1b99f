//go:build unix

package datadir

import (
	"io/fs"
	"os"
	"syscall"
)

// foreign reports whether a file belongs to another user than the one that this process acts for.
func foreign(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) != os.Geteuid()
}
