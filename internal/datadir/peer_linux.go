package datadir

import (
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// ownPeer reports whether the process at the other end of a socket belongs to this one's user.
func ownPeer(c net.Conn) bool {
	socket, ok := c.(*net.UnixConn)
	if !ok {
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	own := false
	err = raw.Control(func(fd uintptr) {
		cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
		own = err == nil && int(cred.Uid) == os.Geteuid()
	})
	return err == nil && own
}
