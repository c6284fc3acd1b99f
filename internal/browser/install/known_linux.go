package install

import (
	"bytes"
	"fmt"

	"golang.org/x/sys/unix"
)

// hostStamp names what the answers of programs depend on beside the program: the kernel and the memory, which
// pages are told of. "" means that nobody knows, so that nothing is kept beyond this process.
func hostStamp() string {
	var name unix.Utsname
	var info unix.Sysinfo_t
	if unix.Uname(&name) != nil || unix.Sysinfo(&info) != nil {
		return ""
	}
	release, _, _ := bytes.Cut(name.Release[:], []byte{0})
	return fmt.Sprintf("%s, %d units of %d bytes", release, info.Totalram, info.Unit)
}
