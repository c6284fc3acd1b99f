package e2e

import (
	"os/exec"
	"syscall"
)

// endWithTests has the program stop when the tests end without stopping it, as after a timeout.
func endWithTests(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }
