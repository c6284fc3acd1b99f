package datadir

import (
	"fmt"
	"os"
	"time"
)

// fileTime is the form of times in file names: sortable, and free of characters that file systems refuse.
const fileTime = "20060102T150405Z"

// FileTime returns a time as it stands in file names, to the second and in UTC.
func FileTime(at time.Time) string { return at.UTC().Format(fileTime) }

// ParseFileTime is the counterpart of FileTime.
func ParseFileTime(text string) (time.Time, error) { return time.Parse(fileTime, text) }

// Unused returns a path that nothing has, with a number before the extension where that is needed: two files
// of one second have different names.
func Unused(path, extension string) string {
	free := path + extension
	for n := 2; ; n++ {
		if _, err := os.Lstat(free); err != nil {
			return free
		}
		free = fmt.Sprintf("%s-%d%s", path, n, extension)
	}
}
