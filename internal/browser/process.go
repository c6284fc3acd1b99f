package browser

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
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

// killTimeout is how long a killed process may take to disappear: the kernel needs a moment to free a
// large browser's memory on a loaded host.
const killTimeout = 5 * time.Second

// kill ends the process and what it started, and reports whether it is gone.
func (p process) kill() bool {
	if p.PID <= 0 || !p.alive() {
		return true
	}
	p.killTree()
	ctx, cancel := context.WithTimeout(context.Background(), killTimeout)
	defer cancel()
	return p.gone(ctx)
}

// within reports whether path lies in dir.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
