package install

import "path/filepath"

// playwrightExecutables are the executables inside a build of Playwright's.
var playwrightExecutables = []string{"chrome-win*/chrome.exe", "chrome-headless-shell-win*/chrome-headless-shell.exe"}

func chromiumLocations(env func(string) string) []string {
	return programs(env, "Chromium", "Application", "chrome.exe")
}

func shellLocations() []string { return nil }

func channelLocations(channel string, env func(string) string) []string {
	switch channel {
	case "chrome":
		return programs(env, "Google", "Chrome", "Application", "chrome.exe")
	case "edge":
		return programs(env, "Microsoft", "Edge", "Application", "msedge.exe")
	}
	return nil
}

// programs is a path in each of the places where Windows installs programs.
func programs(env func(string) string, path ...string) []string {
	var paths []string
	for _, variable := range []string{"ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA"} {
		if dir := env(variable); dir != "" {
			paths = append(paths, filepath.Join(append([]string{dir}, path...)...))
		}
	}
	return paths
}

// userCache is where programs keep what they can fetch again, or "".
func userCache(env func(string) string) string { return env("LOCALAPPDATA") }

// SandboxProblem says why Chromium's sandbox cannot be used on this host, or "" when it can.
func SandboxProblem() string { return "" }
