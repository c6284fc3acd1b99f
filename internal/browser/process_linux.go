package browser

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
)

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
	const state, start = 3 - 3, 22 - 3
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
func killTree(pid int) {
	if group, err := syscall.Getpgid(pid); err == nil && group == pid {
		_ = syscall.Kill(-pid, syscall.SIGKILL)
		return
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
}
