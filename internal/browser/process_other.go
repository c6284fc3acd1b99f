//go:build !linux && !windows

package browser

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// processStart returns the start time as ps prints it. A zombie counts as ended.
func processStart(pid int) (started string, ok bool) {
	state, ok := ps(pid, "state=")
	if !ok || state == "" || state[0] == 'Z' {
		return "", false
	}
	started, ok = ps(pid, "lstart=")
	return started, ok && started != ""
}

// ended returns a channel that is closed when the process has ended, and a function that ends the watch.
// On this platform the channel stays open, and only the driver tells.
func (p process) ended() (<-chan struct{}, func()) { return nil, func() {} }

// runsOn reports whether the command line of the process names the profile.
func runsOn(pid int, profile string) bool {
	line, ok := ps(pid, "command=")
	return ok && strings.Contains(line+" ", "--user-data-dir="+profile+" ")
}

func ps(pid int, column string) (string, bool) {
	// LC_ALL keeps the date's form the same whatever the server's locale is.
	cmd := exec.Command("ps", "-ww", "-o", column, "-p", strconv.Itoa(pid))
	cmd.Env = []string{"LC_ALL=C", "PATH=/bin:/usr/bin"}
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err == nil
}

// killTree ends the process and its group. Playwright starts each browser as the leader of a group,
// so the group is the browser and its children; the check keeps us from ever ending our own.
func (p process) killTree() {
	pid := p.PID
	if group, err := syscall.Getpgid(pid); err == nil && group == pid {
		_ = syscall.Kill(-pid, syscall.SIGKILL)
		return
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
}
