package browser

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/browserhive/browserhive/internal/browser/install"
)

// Stale is what an earlier server of the data directory left behind when it was killed.
type Stale struct {
	// Ended is how many processes were ended.
	Ended int
	// left are those that were not: they did not end, or nothing proves that they are the server's.
	left []process
}

// Left counts the processes that were not ended and still run.
func (s Stale) Left() int {
	n := 0
	for _, p := range s.left {
		if p.alive() {
			n++
		}
	}
	return n
}

// survivor is a process that uses the data directory as browsers and drivers do.
type survivor struct {
	process
	// uses is what it uses there.
	uses string
	// proved says that a server of the data directory, running as this user, must have started it.
	proved bool
}

// Sweep ends browsers and drivers that an earlier server left behind, and empties the temporary directory.
// It ends only what is proved to be that server's: by the record beside a profile in root, whose PID and
// start time both match a process that runs now, or, on Linux, by the user, the command line and the
// environment of a process. What only looks like it is logged and left alone. Call it while the data
// directory is locked and before the first launch: then whatever it finds is of a server that is dead.
func Sweep(root string, log *slog.Logger) Stale {
	root, err := filepath.Abs(root)
	if err != nil {
		return Stale{}
	}
	var found Stale
	settle := func(s survivor) {
		switch {
		case !s.alive():
		case !s.proved:
			log.Warn("a process uses this data directory, and may not be a browser of an earlier server", "pid", s.PID, "uses", s.uses)
			found.left = append(found.left, s.process)
		case !s.kill():
			log.Warn("a process of an earlier server does not end", "pid", s.PID, "uses", s.uses)
			found.left = append(found.left, s.process)
		default:
			log.Info("ended a process of an earlier server", "pid", s.PID, "uses", s.uses)
			found.Ended++
		}
	}
	records(root, func(path string, p process) {
		if p.PID > 0 && runsOn(p.PID, p.Profile) {
			settle(survivor{p, p.Profile, true})
		}
		if p.alive() && runsOn(p.PID, p.Profile) {
			return // It did not end, so its record stays.
		}
		if filepath.Dir(p.Stray) == filepath.Clean(os.TempDir()) && strings.HasPrefix(filepath.Base(p.Stray), strayPrefix) {
			_ = os.RemoveAll(p.Stray)
		}
		_ = os.Remove(path)
	})
	for _, s := range survivors(root) {
		if !found.has(s.process) {
			settle(s)
		}
	}
	if err := os.RemoveAll(install.Paths{Root: root}.Tmp()); err != nil {
		log.Warn("temporary files were left behind", "error", err)
	}
	return found
}

// has reports whether the process is among those that are left.
func (s Stale) has(p process) bool {
	for _, one := range s.left {
		if one.PID == p.PID && one.Started == p.Started {
			return true
		}
	}
	return false
}

// records calls do for each record of a process in root. Profiles lie in a directory of their session or in a
// temporary one; looking anywhere else might find those of another data directory, should one lie in ours.
func records(root string, do func(path string, p process)) {
	for _, place := range (install.Paths{Root: root}).Profiles() {
		dirs, _ := os.ReadDir(place) // What cannot be read holds no record of ours.
		for _, dir := range dirs {
			files, _ := os.ReadDir(filepath.Join(place, dir.Name()))
			for _, file := range files {
				if !strings.HasSuffix(file.Name(), recordSuffix) {
					continue
				}
				path := filepath.Join(place, dir.Name(), file.Name())
				content, err := os.ReadFile(path)
				var p process
				if err == nil && json.Unmarshal(content, &p) == nil && p.Profile+recordSuffix == path {
					do(path, p)
				}
			}
		}
	}
}
