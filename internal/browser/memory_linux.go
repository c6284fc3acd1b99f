package browser

import (
	"bytes"
	"os"
	"strconv"
)

// FreeMemory returns how many bytes the host can give to new processes without swapping, by the kernel's
// own estimate, and whether that is known.
func FreeMemory() (bytesFree uint64, ok bool) {
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	for line := range bytes.Lines(info) {
		if f := bytes.Fields(line); len(f) == 3 && string(f[0]) == "MemAvailable:" {
			kib, err := strconv.ParseUint(string(f[1]), 10, 53)
			return kib << 10, err == nil
		}
	}
	return 0, false
}
