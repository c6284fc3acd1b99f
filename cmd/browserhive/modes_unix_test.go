//go:build unix

package main

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/browserhive/browserhive/internal/hosttest"
)

// asProcess runs the program as a process of its own, after a line of shell.
func asProcess(t *testing.T, before string, as *syscall.Credential, args ...string) (out string, code int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if as != nil { // Where other users can reach it.
		dir, err := os.MkdirTemp("", "browserhive-test-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		content, err := os.ReadFile(self)
		if err != nil {
			t.Fatal(err)
		}
		self = filepath.Join(dir, "browserhive")
		if err := os.WriteFile(self, content, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), hosttest.Limit(time.Minute))
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", before + `; exec "$0" "$@"`, self}, args...)...)
	cmd.Dir = "/"
	cmd.Env = []string{asProgram + "=1", "HOME=/nonexistent", "PATH=" + os.Getenv("PATH")}
	if as != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	}
	raw, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(raw), cmd.ProcessState.ExitCode()
}

// Nobody else can enter the data directory or read what is in it, whatever the umask.
func TestModes(t *testing.T) {
	t.Parallel()
	for _, umask := range []string{"000", "022", "077"} {
		dir := filepath.Join(t.TempDir(), "data")
		for _, args := range [][]string{{"db", "migrate"}, {"admin", "reset-password"}, {"db", "backup"}} {
			if out, code := asProcess(t, "umask "+umask, nil, append(args, "--dataDir", dir)...); code != 0 {
				t.Fatalf("umask %s, %v: %d %s", umask, args, code, out)
			}
		}
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			want := fs.FileMode(0o600)
			if e.IsDir() {
				want = 0o700
			}
			if got := info.Mode().Perm(); got != want {
				t.Errorf("umask %s: %s has mode %o", umask, strings.TrimPrefix(path, dir), got)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, "backups")); err != nil {
			t.Error("nothing was backed up:", err)
		}
	}
}

// A directory of somebody else, or one that nobody can write, is left as it is, with an error that names it.
func TestUnwritableDirectories(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can be somebody else")
	}
	nobody := &syscall.Credential{Uid: 65534, Gid: 65534}
	base, err := os.MkdirTemp("", "browserhive-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	if err := os.Chmod(base, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		mode  os.FileMode
		owner int
	}{{"another's", 0o755, 0}, {"another's and closed", 0o700, 0}, {"read-only", 0o500, 65534}} {
		dir := filepath.Join(base, c.name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		fill := filepath.Join(dir, "browserhive.db")
		if err := os.WriteFile(fill, []byte("content"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{fill, dir} {
			if err := os.Chown(path, c.owner, c.owner); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(dir, c.mode); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"--port", freePort(t)}, {"db", "migrate"}, {"init"}, {"purge", "--all", "--yes"}} {
			out, code := asProcess(t, ":", nobody, append(args, "--dataDir", dir)...)
			if code == 0 || !strings.Contains(out, dir) {
				t.Errorf("%s, %v: %d %s", c.name, args, code, out)
			}
			// In one that is closed, not even a config file can be looked for; and purge finds no database of ours.
			if c.mode != 0o700 && args[0] != "purge" && !strings.Contains(out, "[DATA_DIR_UNWRITABLE]") {
				t.Errorf("%s, %v: %s", c.name, args, out)
			}
		}
		if content, err := os.ReadFile(fill); err != nil || string(content) != "content" {
			t.Errorf("%s: the database is %q, %v", c.name, content, err)
		}
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != c.mode {
			t.Errorf("%s: mode %v, %v", c.name, info.Mode(), err)
		}
	}
}
