package browser

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// The system call that makes a file of a process, on every architecture, and its flag for files that
// do not block. The syscall package has neither.
const (
	pidfdOpen     = 434
	pidfdNonblock = syscall.O_NONBLOCK
)

// ended returns a channel that is closed when the process has ended, and a function that ends the watch.
// On kernels before 5.10 the channel stays open.
func (p process) ended() (<-chan struct{}, func()) {
	gone := make(chan struct{})
	fd, _, errno := syscall.Syscall(pidfdOpen, uintptr(p.PID), pidfdNonblock, 0)
	if errno != 0 {
		return gone, func() {}
	}
	file := os.NewFile(fd, "process")
	conn, err := file.SyscallConn()
	if err != nil {
		file.Close()
		return gone, func() {}
	}
	go func() {
		// The file becomes readable when the process ends; closing it ends the wait with an error.
		if conn.Read(func(uintptr) bool { return !p.alive() }) == nil {
			close(gone)
		}
	}()
	return gone, func() { file.Close() }
}

// processStart returns field 22 of /proc/<pid>/stat, the start time in clock ticks since boot. A
// zombie counts as ended: it holds nothing but its entry, and a container without an init keeps it.
func processStart(pid int) (started string, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", false
	}
	// The name in field 2 may hold spaces and parentheses; the fields after it do not.
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 {
		return "", false
	}
	fields := strings.Fields(string(stat[end+1:]))
	const state, start = 0, 19 // fields 3 and 22 of the manual page
	if len(fields) <= start || fields[state] == "Z" || fields[state] == "X" {
		return "", false
	}
	return fields[start], true
}

// runsOn reports whether the command line of the process names the profile.
func runsOn(pid int, profile string) bool {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return false
	}
	// Chromium may have rewritten its command line with spaces between the arguments.
	line = append(bytes.ReplaceAll(line, []byte{0}, []byte{' '}), ' ')
	return bytes.Contains(line, []byte(" --user-data-dir="+profile+" "))
}

// killTree ends the process and its group. Playwright starts each browser as the leader of a group,
// so the group is the browser and its children; the check keeps us from ever ending our own.
func (p process) killTree() {
	handle, err := os.FindProcess(p.PID) // A file of the process, which stays its own when the number is used again.
	if err != nil {
		return
	}
	defer func() { _ = handle.Release() }() // It only closes the file.
	if !p.alive() {
		return
	}
	if group, err := syscall.Getpgid(p.PID); err == nil && group == p.PID && handle.Signal(syscall.SIGSTOP) == nil {
		// Stopped, it cannot end and give its number away before the group has its signal.
		_ = syscall.Kill(-p.PID, syscall.SIGKILL)
	}
	_ = handle.Kill()
}
