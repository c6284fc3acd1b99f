package datadirtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// mountPoint tells the process that runs the test where its disk is to be.
const mountPoint = "BROWSERHIVE_TEST_DISK"

// OnDisk runs the test on a file system of so many bytes. It does so in a process of its own, whose mounts
// nobody else sees and which end with it. Where the host does not let the test mount, it is skipped.
func OnDisk(t *testing.T, bytes int, test func(*testing.T, *Disk)) {
	t.Helper()
	if dir := os.Getenv(mountPoint); dir != "" {
		if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0700", bytes)); err != nil {
			t.Fatal(err)
		}
		test(t, &Disk{Dir: dir, t: t})
		return
	}
	dir, err := os.MkdirTemp("", "bh") // Short: sockets of browsers have to fit below it.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(dir) })
	again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.timeout=10m") //nolint:gosec // it is this very program
	again.Env = append(os.Environ(), mountPoint+"="+dir)
	again.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() != 0 {
		again.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		again.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		again.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	out, err := again.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.ENOSPC) {
		t.Skipf("this host lets no test have a file system of its own: %v", err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// ReadOnly lets nothing be written any more.
func (d *Disk) ReadOnly() {
	d.t.Helper()
	if err := syscall.Mount("", d.Dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		d.t.Fatal(err)
	}
}
