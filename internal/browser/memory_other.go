//go:build !linux

package browser

// FreeMemory is not known here.
func FreeMemory() (bytesFree uint64, ok bool) { return 0, false }
