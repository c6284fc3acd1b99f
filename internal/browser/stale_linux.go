package browser

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/browserhive/browserhive/internal/browser/install"
)

// survivors looks through all processes for browsers and drivers that use the data directory. One is proved
// to be ours when it runs as this user and has, for its temporary files, a directory that only a server of
// the data directory makes.
func survivors(root string) []survivor {
	roots := []string{root} // As an earlier server may have called it.
	if real, err := filepath.EvalSymlinks(root); err == nil && real != root {
		roots = append(roots, real)
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var found []survivor
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		// The start comes first: should the number be used again meanwhile, what was read of the other
		// process ends nobody.
		started, ok := processStart(pid)
		line, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if !ok || err != nil {
			continue
		}
		for _, root := range roots {
			if uses, ok := usedBy(line, root); ok {
				found = append(found, survivor{process{PID: pid, Started: started}, uses, proved(pid, root)})
				break
			}
		}
	}
	// Drivers first: a browser ends by itself when its driver does, unless it hangs.
	slices.SortStableFunc(found, func(a, b survivor) int {
		return strings.Count(b.uses, driverScript) - strings.Count(a.uses, driverScript)
	})
	return found
}

// driverScript ends the path by which a driver is started.
const driverScript = "/package/cli.js"

// usedBy returns what a command line names in the data directory: the profile of a browser, or the program of
// a driver. The processes that a browser starts are not looked at: they end with it.
func usedBy(line []byte, root string) (path string, ok bool) {
	// Chromium may have rewritten it with spaces between the arguments.
	args := strings.Split(strings.ReplaceAll(string(line), " --", "\x00--"), "\x00")
	for i, text := range args {
		if strings.HasPrefix(text, "--type=") {
			return "", false
		}
		profile, is := strings.CutPrefix(text, "--user-data-dir=")
		if is && slices.ContainsFunc((install.Paths{Root: root}).Profiles(), func(place string) bool { return within(place, profile) }) {
			path, ok = profile, true
		}
		driver := strings.HasPrefix(text, install.Paths{Root: root}.Tmp()+"/") && strings.HasSuffix(text, driverScript)
		if driver && i+1 < len(args) && args[i+1] == "run-driver" {
			path, ok = text, true
		}
	}
	return path, ok
}

// proved reports whether the process is of this user and was started by a server of the data directory.
func proved(pid int, root string) bool {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	info, err := os.Stat(dir)
	if err != nil {
		return false
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(owner.Uid) != os.Geteuid() {
		return false
	}
	environment, err := os.ReadFile(filepath.Join(dir, "environ"))
	if err != nil {
		return false
	}
	for variable := range bytes.SplitSeq(environment, []byte{0}) {
		tmp, is := strings.CutPrefix(string(variable), install.TemporaryVariables[0]+"=")
		if is && (strings.HasPrefix(tmp, install.Paths{Root: root}.Tmp()+"/") || strings.HasPrefix(filepath.Base(tmp), strayPrefix)) {
			return true
		}
	}
	return false
}
