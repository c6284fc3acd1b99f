package install

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// playwrightExecutables are the executables inside a build of Playwright's.
var playwrightExecutables = []string{"chrome-linux*/chrome", "chrome-headless-shell-linux*/chrome-headless-shell", "chrome-linux/headless_shell"}

func chromiumLocations(func(string) string) []string {
	return []string{
		"/usr/lib/chromium/chromium",                   // Debian, Arch, Alpine
		"/usr/lib64/chromium-browser/chromium-browser", // Fedora
		"/usr/lib64/chromium/chromium",                 // openSUSE
		"/usr/lib/chromium-browser/chromium-browser",   // older Ubuntu, Raspberry Pi OS
		"/opt/chromium.org/chromium/chromium",
	}
}

func shellLocations() []string {
	return []string{"/usr/lib/chromium/chromium-headless-shell", "/usr/lib64/chromium-browser/headless_shell"}
}

func channelLocations(channel string, _ func(string) string) []string {
	switch channel {
	case "chrome":
		return []string{"/opt/google/chrome/chrome"}
	case "edge":
		return []string{"/opt/microsoft/msedge/msedge"}
	}
	return nil
}

// userCache is where programs keep what they can fetch again, or "".
func userCache(env func(string) string) string {
	if dir := env("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if home := home(env); home != "" {
		return filepath.Join(home, ".cache")
	}
	return ""
}

// SandboxProblem says why Chromium's sandbox cannot be used on this host, or "" when it can. It
// tries: the sandbox needs a new user namespace, and hosts forbid those in several ways.
func SandboxProblem() string {
	if os.Geteuid() == 0 {
		return "BrowserHive runs as root, which Chromium's sandbox does not support"
	}
	if value, err := os.ReadFile("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"); err == nil && strings.TrimSpace(string(value)) == "1" {
		// Creating a namespace still works there, but using it does not.
		return "AppArmor restricts user namespaces (kernel.apparmor_restrict_unprivileged_userns is 1)"
	}
	ctx, cancel := context.WithTimeout(context.Background(), versionTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/true")
	cmd.Env = []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET}
	if err := cmd.Run(); err != nil {
		return "this host does not allow user namespaces: " + err.Error()
	}
	return ""
}
