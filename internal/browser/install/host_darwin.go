package install

import "path/filepath"

// playwrightExecutables are the executables inside a build of Playwright's.
var playwrightExecutables = []string{
	"chrome-mac*/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
	"chrome-mac*/Chromium.app/Contents/MacOS/Chromium",
	"chrome-headless-shell-mac*/chrome-headless-shell",
}

func chromiumLocations(env func(string) string) []string {
	return application("Chromium", env)
}

func shellLocations() []string { return nil }

func channelLocations(channel string, env func(string) string) []string {
	switch channel {
	case "chrome":
		return application("Google Chrome", env)
	case "edge":
		return application("Microsoft Edge", env)
	}
	return nil
}

// application are the executables of an app bundle, for all users and for this one.
func application(name string, env func(string) string) []string {
	inside := filepath.Join("Applications", name+".app", "Contents", "MacOS", name)
	paths := []string{filepath.Join("/", inside)}
	if home := home(env); home != "" {
		paths = append(paths, filepath.Join(home, inside))
	}
	return paths
}

// userCache is where programs keep what they can fetch again, or "".
func userCache(env func(string) string) string {
	if home := home(env); home != "" {
		return filepath.Join(home, "Library", "Caches")
	}
	return ""
}

// SandboxProblem says why Chromium's sandbox cannot be used on this host, or "" when it can.
func SandboxProblem() string { return "" }
