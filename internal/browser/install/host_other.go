//go:build !linux && !darwin && !windows

package install

import "path/filepath"

// playwrightExecutables is empty: Playwright has no builds for this platform.
var playwrightExecutables []string

func chromiumLocations(func(string) string) []string {
	return []string{"/usr/local/share/chromium/chrome", "/usr/local/chrome/chrome"}
}

func shellLocations() []string { return nil }

func channelLocations(string, func(string) string) []string { return nil }

// userCache is where programs keep what they can fetch again, or "".
func userCache(env func(string) string) string {
	if home := home(env); home != "" {
		return filepath.Join(home, ".cache")
	}
	return ""
}

// SandboxProblem says why Chromium's sandbox cannot be used on this host, or "" when it can.
func SandboxProblem() string {
	return "this platform has no sandbox of Chromium's that is known to work"
}
