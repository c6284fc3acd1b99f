package datadir_test

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/browserhive/browserhive/internal/datadir"
)

// heard answers one connection with a word.
func heard(t *testing.T, d *datadir.Dir) net.Listener {
	t.Helper()
	l, err := d.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, "here")
			_ = c.Close()
		}
	}()
	return l
}

func asked(t *testing.T, d *datadir.Dir) string {
	t.Helper()
	c, err := d.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	answer, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

// The socket is for the owner alone wherever it lies, and is gone once the listener is closed.
func TestSocket(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no modes")
	}
	short, err := os.MkdirTemp("", "bh")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	temp := filepath.Join(short, "t")
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temp)
	for name, root := range map[string]string{"short": filepath.Join(short, "d"), "long": filepath.Join(short, strings.Repeat("long/", 30))} {
		d, err := datadir.Open(root)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Dial(t.Context()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: nobody listens: %v", name, err)
		}
		old := syscall.Umask(0)
		l := heard(t, d)
		syscall.Umask(old)
		path := l.Addr().String()
		if len(path) > 103 || strings.HasPrefix(path, root) != (name == "short") {
			t.Errorf("%s: it lies in %s", name, path)
		}
		for p, want := range map[string]os.FileMode{path: os.ModeSocket | 0o600, filepath.Dir(path): os.ModeDir | 0o700} {
			if info, err := os.Lstat(p); err != nil || info.Mode() != want {
				t.Errorf("%s: %s has mode %v, %v", name, p, info.Mode(), err)
			}
		}
		if got := asked(t, d); got != "here" {
			t.Errorf("%s: %q", name, got)
		}
		// What a server that was killed left is in nobody's way.
		second := heard(t, d)
		if got := asked(t, d); got != "here" {
			t.Errorf("%s: after a crash: %q", name, got)
		}
		if strangers, err := d.Strangers(); err != nil || len(strangers) > 0 {
			t.Errorf("%s: %v %v", name, strangers, err)
		}
		if err := second.Close(); err != nil {
			t.Error(err)
		}
		_ = l.Close() // Its socket is gone.
		if left, err := filepath.Glob(filepath.Join(root, "browserhive.sock*")); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v", name, left)
		}
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v, %v", name, left, err)
		}
	}
}
