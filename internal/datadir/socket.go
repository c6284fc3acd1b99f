package datadir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// The socket over which commands of the same user reach the server that holds the directory.
const (
	socketName = "browserhive.sock"
	// socketPathName is a file with the path of the socket, where the directory's own is too long for one.
	socketPathName = "browserhive.sock.path"
	// maxSocketPath is how long the path of a socket may be: 104 bytes with the zero at its end on macOS, 108
	// elsewhere.
	maxSocketPath = 103
	// socketPrefix names the directories of the system's for such sockets.
	socketPrefix = "bh-socket-"
)

// Listen opens the socket for the holder of the lock. Nobody but the directory's owner reaches it: it has mode
// 0600, lies in a directory of mode 0700, and a connection of another user is closed where the system tells whose
// it is. Closing the listener removes it. What a server that died left is replaced.
func (d *Dir) Listen(ctx context.Context) (net.Listener, error) {
	d.removeSocket()
	path, stray := filepath.Join(d.Root, socketName), ""
	if len(path) > maxSocketPath {
		var err error
		if stray, err = os.MkdirTemp("", socketPrefix); err != nil { // For its owner alone, under a name that nobody knows before.
			return nil, err
		}
		path = filepath.Join(stray, socketName)
	}
	l, err := d.listen(ctx, path, stray)
	if err != nil {
		if stray != "" {
			err = errors.Join(err, os.RemoveAll(stray))
		}
		return nil, err
	}
	return ownListener{l, d}, nil
}

func (d *Dir) listen(ctx context.Context, path, stray string) (net.Listener, error) {
	if len(path) > maxSocketPath {
		return nil, fmt.Errorf("the path of the socket has more than %d bytes: %s", maxSocketPath, path)
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	err = os.Chmod(path, 0o600)
	if err == nil && stray != "" {
		_, err = writeAtomicIn(d.Root, socketPathName, volatile, content([]byte(path)))
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// socket is where the socket lies.
func (d *Dir) socket() string {
	if path, err := os.ReadFile(filepath.Join(d.Root, socketPathName)); err == nil {
		return string(path)
	}
	return filepath.Join(d.Root, socketName)
}

// removeSocket removes a socket, and the directory of the system's that it lies in.
func (d *Dir) removeSocket() {
	path := d.socket()
	if dir := filepath.Dir(path); dir != filepath.Clean(d.Root) {
		info, err := os.Lstat(dir)
		if err == nil && info.IsDir() && !foreign(info) && strings.HasPrefix(filepath.Base(dir), socketPrefix) {
			_ = os.Remove(path)
			_ = os.Remove(dir)
		}
	}
	for _, name := range []string{socketName, socketPathName} {
		_ = os.Remove(filepath.Join(d.Root, name)) // What stays makes the next Listen fail, with the reason.
	}
}

// Dial reaches the server that holds the directory. It fails with fs.ErrNotExist when none has opened a socket.
func (d *Dir) Dial(ctx context.Context) (net.Conn, error) {
	path := d.socket()
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, err
	case foreign(info):
		return nil, &fs.PathError{Op: "dial", Path: path, Err: errForeign}
	}
	var dialer net.Dialer
	return dialer.DialContext(ctx, "unix", path)
}

// ownListener accepts connections of the process's own user.
type ownListener struct {
	net.Listener
	dir *Dir
}

// Accept implements net.Listener.
func (l ownListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil || ownPeer(c) {
			return c, err
		}
		_ = c.Close()
	}
}

// Close implements net.Listener.
func (l ownListener) Close() error {
	err := l.Listener.Close()
	l.dir.removeSocket()
	return err
}
