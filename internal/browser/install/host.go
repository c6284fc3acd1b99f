package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/browserhive/browserhive/gen/types"
)

// Installation is what a session needs and what this host has of it. An empty field is missing.
type Installation struct {
	// DriverDir holds the Playwright driver, in the layout that playwright-go expects.
	DriverDir, DriverVersion string
	// PatchrightDir holds Patchright in the same layout, patched. Only sessions that ask for it need it.
	PatchrightDir string
	// Node is the Node.js executable that runs the driver.
	Node, NodeVersion string
	// Chromium is the full browser. It may be Google Chrome.
	Chromium, ChromiumVersion string
	// Shell is the stripped headless browser, which serves only sessions without stealth.
	Shell string
	// Patched says that the driver carries the edits that sessions rely on.
	Patched bool
}

// minimumNode is the oldest Node.js that the pinned driver runs on.
const minimumNode = 20

// Find looks for what Install installs, in the same order, and downloads nothing. env reads one
// variable of the environment.
func Find(ctx context.Context, root string, env func(string) string) Installation {
	if abs, err := filepath.Abs(root); err == nil {
		root = abs
	}
	known := OpenKnown(root)
	var found Installation
	for _, dir := range driverDirs(root, env) {
		if playwrightRelease.in(dir) {
			found.DriverDir, found.DriverVersion = dir, driverPin.version
			found.Patched = playwrightRelease.patched(dir)
			break
		}
	}
	if HasPatchright(root) {
		found.PatchrightDir = Paths{root}.driver(patchrightRelease)
	}
	var asking sync.WaitGroup // Each may have to be started to be asked.
	asking.Go(func() { found.Node, found.NodeVersion = findNode(ctx, known, root, found.DriverDir, env) })
	found.Chromium, found.ChromiumVersion, _ = firstRunning(ctx, known, chromiumPaths(env), env)
	asking.Wait()
	for _, path := range shellPaths(env) {
		if isExecutable(path) {
			found.Shell = path
			break
		}
	}
	return found
}

// Missing names what is absent, in words for a person; nil when sessions can run.
func (i Installation) Missing() []string {
	var missing []string
	if i.DriverDir == "" {
		missing = append(missing, "the Playwright driver "+driverPin.version)
	} else if !i.Patched {
		missing = append(missing, "BrowserHive's patch of the Playwright driver")
	}
	if i.Node == "" {
		missing = append(missing, fmt.Sprintf("Node.js %d or newer", minimumNode))
	}
	if i.Chromium == "" {
		missing = append(missing, "a Chromium browser")
	}
	return missing
}

// HasPatchright reports whether Install has put Patchright below the data directory.
func HasPatchright(root string) bool {
	place := Paths{root}.driver(patchrightRelease)
	return patchrightRelease.in(place) && patchrightRelease.patched(place)
}

// Runs reports whether a driver of the engine can be started.
func (i Installation) Runs(engine types.Engine) bool {
	return i.DriverDir != "" && i.Node != "" && i.Patched && i.Package(engine) != ""
}

// Package is where an engine's driver lies, or "".
func (i Installation) Package(engine types.Engine) string {
	if engine == types.EnginePatchright {
		return i.PatchrightDir
	}
	return i.DriverDir
}

// driverDirs are the places of the Playwright driver, best first: the one that the environment names, ours, and
// the one that playwright-go itself uses.
func driverDirs(root string, env func(string) string) []string {
	dirs := []string{Paths{root}.driver(playwrightRelease)}
	if dir := env("PLAYWRIGHT_DRIVER_PATH"); filepath.IsAbs(dir) {
		dirs = slices.Insert(dirs, 0, dir)
	}
	if cache := userCache(env); cache != "" {
		dirs = append(dirs, filepath.Join(cache, "ms-playwright-go", driverPin.version))
	}
	return dirs
}

func findNode(ctx context.Context, known *Known, root, driverDir string, env func(string) string) (path, version string) {
	candidates := []string{env("PLAYWRIGHT_NODEJS_PATH")}
	if driverDir != "" {
		candidates = append(candidates, filepath.Join(driverDir, executableName("node")))
	}
	candidates = append(candidates, lookPath("node", env), Paths{root}.node())
	for _, path := range candidates {
		if path == "" || !isFile(path) {
			continue
		}
		version := strings.TrimPrefix(versionOutput(ctx, known, path, env), "v")
		if major, err := strconv.Atoi(strings.Split(version, ".")[0]); err == nil && major >= minimumNode {
			return path, version
		}
	}
	return "", ""
}

// chromiumPaths are the places of a full Chromium, best first.
func chromiumPaths(env func(string) string) []string {
	return append(playwrightBuilds("chromium-", env), hostChromiumPaths(env)...)
}

// hostChromiumPaths are the places where the browsers of distributions and vendors lie, and what the
// search path has. Wrapper scripts among them do not pass isExecutable.
func hostChromiumPaths(env func(string) string) []string {
	paths := slices.Concat(chromiumLocations(env), channelLocations("chrome", env))
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		// A snap's name leads to the snap launcher itself, which is no browser.
		if path := lookPath(name, env); strings.Contains(filepath.Base(path), "chrom") {
			paths = append(paths, path)
		}
	}
	return paths
}

// shellPaths are the places of the stripped headless browser, best first.
func shellPaths(env func(string) string) []string {
	return append(playwrightBuilds("chromium_headless_shell-", env), shellLocations()...)
}

// playwrightBuilds are the executables of Playwright's own builds, best first. PLAYWRIGHT_BROWSERS_PATH
// replaces the directory that all Playwright programs of a user share.
func playwrightBuilds(prefix string, env func(string) string) []string {
	dir := env("PLAYWRIGHT_BROWSERS_PATH")
	if dir == "" {
		cache := userCache(env)
		if cache == "" {
			return nil
		}
		dir = filepath.Join(cache, "ms-playwright")
	}
	builds, _ := filepath.Glob(filepath.Join(dir, prefix+"*"))
	// The build that the driver was made for comes first, then the newest.
	rank := func(build string) int {
		revision, _ := strconv.Atoi(strings.TrimPrefix(filepath.Base(build), prefix))
		if revision == chromiumRevision {
			return -1 << 31
		}
		return -revision
	}
	slices.SortFunc(builds, func(a, b string) int { return rank(a) - rank(b) })
	var paths []string
	for _, build := range builds {
		// Playwright writes this file last, so a broken download never has it.
		if !isFile(filepath.Join(build, "INSTALLATION_COMPLETE")) {
			continue
		}
		for _, pattern := range playwrightExecutables {
			matches, _ := filepath.Glob(filepath.Join(build, filepath.FromSlash(pattern)))
			paths = append(paths, matches...)
		}
	}
	return paths
}

// chromiumRevision is the build in the pinned driver's browsers.json.
const chromiumRevision = 1248

// FindChannel returns the executable of Google Chrome ("chrome") or Microsoft Edge ("edge") on this
// host, and whether there is one. env tells where programs are installed on Windows.
func FindChannel(channel string, env func(string) string) (path string, ok bool) {
	for _, path := range channelLocations(channel, env) {
		if isExecutable(path) {
			return path, true
		}
	}
	return "", false
}

// versionTimeout bounds a program that prints its version. A cold start of Chromium from a slow disk
// takes seconds.
const versionTimeout = 20 * time.Second

// versionOutput is what the program prints with --version, or "" when it fails.
func versionOutput(ctx context.Context, known *Known, path string, env func(string) string) string {
	var text string
	if answer, ok := known.Get(path, versionQuestion); ok && json.Unmarshal(answer, &text) == nil {
		return text
	}
	if text = runVersion(ctx, path, env); text != "" {
		answer, _ := json.Marshal(text) // A string always encodes.
		known.Put(path, versionQuestion, answer)
	}
	return text
}

// versionQuestion is what Known remembers the version by.
const versionQuestion = "version"

// runVersion runs the program with --version and returns what it prints, or "" when it fails.
func runVersion(ctx context.Context, path string, env func(string) string) string {
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	for try := 1; ; try++ {
		cmd := exec.CommandContext(ctx, path, "--version")
		cmd.WaitDelay = time.Second // A grandchild that keeps the output open must not hold us.
		cmd.Env = Environment(env, os.TempDir(), false).List()
		out, err := cmd.Output()
		switch {
		case err == nil:
			return strings.TrimSpace(string(out))
		case !errors.Is(err, syscall.ETXTBSY) || try == maxBusyTries:
			return ""
		}
		// It has just been written, and a process that starts at this moment still has it open.
		select {
		case <-time.After(busyInterval):
		case <-ctx.Done():
			return ""
		}
	}
}

// maxBusyTries times busyInterval is a second, and a process has what its parent had open for some milliseconds.
const (
	maxBusyTries = 20
	busyInterval = 50 * time.Millisecond
)

// firstRunning returns the first program of the paths that runs, such as a Chromium whose download is not broken,
// with its version. When none runs, it returns the first that is there.
func firstRunning(ctx context.Context, known *Known, paths []string, env func(string) string) (path, version string, runs bool) {
	for _, candidate := range paths {
		if !isExecutable(candidate) {
			continue
		}
		if version, runs := chromiumVersion(ctx, known, candidate, env); runs {
			return candidate, version, true
		}
		if path == "" {
			path, version = candidate, unknownVersion
		}
	}
	return path, version, false
}

// chromiumVersion returns the dotted version of a Chromium, or "unknown", and whether it runs at all.
func chromiumVersion(ctx context.Context, known *Known, path string, env func(string) string) (version string, runs bool) {
	if runtime.GOOS == "windows" {
		return versionBeside(path), true // There --version would open a window.
	}
	output := versionOutput(ctx, known, path, env)
	for _, word := range strings.Fields(output) {
		if strings.Count(word, ".") == 3 {
			return word, true
		}
	}
	return unknownVersion, output != ""
}

const unknownVersion = "unknown"

// versionBeside finds the version in the name of the directory that lies beside chrome.exe.
func versionBeside(path string) string {
	entries, _ := os.ReadDir(filepath.Dir(path))
	for _, entry := range entries {
		if entry.IsDir() && strings.Count(entry.Name(), ".") == 3 {
			return entry.Name()
		}
	}
	return unknownVersion
}

// isExecutable reports whether path is a program itself. A distribution's wrapper script is not: it
// adds switches of its own and hides the browser's PID.
func isExecutable(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	var magic [2]byte
	_, err = io.ReadFull(file, magic[:])
	return err == nil && string(magic[:]) != "#!"
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// lookPath finds a program on the PATH of env, with links resolved, or returns "".
func lookPath(name string, env func(string) string) string {
	for _, dir := range filepath.SplitList(env("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if path, err := filepath.EvalSymlinks(filepath.Join(dir, executableName(name))); err == nil && isFile(path) {
			return path
		}
	}
	return ""
}

// home is the user's home directory, or "".
func home(env func(string) string) string {
	if runtime.GOOS == "windows" {
		return env("USERPROFILE")
	}
	return env("HOME")
}
