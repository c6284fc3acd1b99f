package browser

import (
	"context"
	"encoding/json"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// process is a browser process as it is recorded beside its profile. PID and Started together name
// one process for good, because a PID alone is used again.
type process struct {
	PID int `json:"pid"`
	// Started is when the process started, in the form that this platform keeps: opaque, but equal
	// for the same process and different for another.
	Started string `json:"started"`
	// Profile is the user data directory that the process runs on.
	Profile string `json:"profile"`
	// Stray is a directory of the process outside of the data directory, or "".
	Stray string `json:"stray,omitempty"`
}

// strayPrefix names the directories outside of the data directory, so that Sweep knows its own.
const strayPrefix = "browserhive-"

// recordSuffix makes the name of a profile's record, which lies beside the profile.
const recordSuffix = ".pid"

// record writes down which process runs on the profile, so that Sweep can end it after a crash.
func (p process) record() error {
	content, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return os.WriteFile(p.Profile+recordSuffix, content, 0o600)
}

func (p process) forget() {
	if p.Profile == "" {
		return // Never recorded.
	}
	_ = os.Remove(p.Profile + recordSuffix)
}

// alive reports whether the recorded process still runs, and not another one under its PID.
func (p process) alive() bool {
	started, ok := processStart(p.PID)
	return ok && started == p.Started
}

// exitPoll is how often a dying process is looked at. It is no child of ours, so no wait call tells;
// 10 ms is small beside the tens of milliseconds that a browser takes to end.
const exitPoll = 10 * time.Millisecond

// gone waits until the process has ended or ctx is done, and reports whether it has ended.
func (p process) gone(ctx context.Context) bool {
	ticker := time.NewTicker(exitPoll)
	defer ticker.Stop()
	for p.alive() {
		select {
		case <-ctx.Done():
			return false
		case <-ticker.C:
		}
	}
	return true
}

// killWait is how long a killed process may take to disappear: the kernel needs a moment to free a
// large browser's memory on a loaded host.
const killWait = 5 * time.Second

// kill ends the process and what it started, and reports whether it is gone.
func (p process) kill() bool {
	if p.PID <= 0 || !p.alive() {
		return true
	}
	killTree(p.PID)
	ctx, cancel := context.WithTimeout(context.Background(), killWait)
	defer cancel()
	return p.gone(ctx)
}

// sweepDepth is how far below the data directory records are looked for. Profiles lie two or three
// levels deep; looking further would walk through the profiles themselves.
const sweepDepth = 4

// Sweep ends browsers that an earlier server left behind and empties the temporary directory, and
// returns how many processes it ended. It touches only processes whose profile lies in root and whose
// recorded PID and start time both match a process that runs now. Call it while the data directory is
// locked and before the first launch.
func Sweep(root string, log *slog.Logger) (killed int) {
	root, err := filepath.Abs(root)
	if err != nil {
		return 0
	}
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // What cannot be read holds no record of ours.
		}
		rel, _ := filepath.Rel(root, path)
		if entry.IsDir() {
			if strings.Count(rel, string(filepath.Separator)) >= sweepDepth || path == (Paths{root}).drivers() {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(path, recordSuffix) && sweepRecord(root, path, log) {
			killed++
		}
		return nil
	})
	if err := os.RemoveAll(Paths{root}.tmp()); err != nil {
		log.Warn("temporary files were left behind", "error", err)
	}
	return killed
}

// sweepRecord settles one record and reports whether a process was ended for it.
func sweepRecord(root, path string, log *slog.Logger) bool {
	content, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	var p process
	if json.Unmarshal(content, &p) != nil || p.Profile+recordSuffix != path || !within(root, p.Profile) {
		return false
	}
	stale := p.PID > 0 && p.alive() && runsOn(p.PID, p.Profile)
	if stale && !p.kill() {
		log.Warn("a browser of an earlier server does not end", "pid", p.PID, "profile", p.Profile)
		return false
	}
	if filepath.Dir(p.Stray) == filepath.Clean(os.TempDir()) && strings.HasPrefix(filepath.Base(p.Stray), strayPrefix) {
		_ = os.RemoveAll(p.Stray)
	}
	_ = os.Remove(path)
	if stale {
		log.Info("ended a browser of an earlier server", "pid", p.PID, "profile", p.Profile)
	}
	return stale
}

// within reports whether path lies in dir.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
