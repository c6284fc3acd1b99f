package settings

import (
	"encoding/binary"
	"syscall"
)

func memory() uint64 {
	s, err := syscall.Sysctl("hw.memsize")
	if err != nil || len(s) > 8 {
		return 0
	}
	// Sysctl takes the number for text and drops a zero at its end.
	var b [8]byte
	copy(b[:], s)
	return binary.LittleEndian.Uint64(b[:])
}
