//go:build !unix

package browsertest

import (
	"errors"
	"os"
	"time"
)

// lockPoll is small beside the seconds that an installation takes.
const lockPoll = 100 * time.Millisecond

// lock waits until it can create the file. A file that cannot be removed is still open in another
// process; one that can was left behind.
func lock(path string) (unlock func(), err error) {
	for {
		file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			return func() { file.Close(); os.Remove(path) }, nil
		}
		if !errors.Is(err, os.ErrExist) {
			return nil, err
		}
		if os.Remove(path) != nil {
			time.Sleep(lockPoll)
		}
	}
}
