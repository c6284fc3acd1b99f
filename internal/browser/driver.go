package browser

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/browser/install"
)

// driver is one Playwright process, shared by several sessions. It dies with the server, because its
// standard input closes, and its browsers die with it, because their pipes close.
type driver struct {
	engine types.Engine
	pw     *playwright.Playwright
	// tmp is its directory for temporary files, removed when it has ended.
	tmp string
	// died is closed when the process has ended, for whatever reason. The library has no event for
	// that, and its IsConnected stays true.
	died chan struct{}
	// calls counts the calls, for their marks.
	calls atomic.Uint64
	// sessions counts the browsers that run on it; Drivers.mu guards it.
	sessions int
}

// maxLogLine bounds a line of the driver's output; longer ones are cut into several.
const maxLogLine = 16 << 10

// starting lets one driver start at a time: the library sets variables of its own package meanwhile.
var starting sync.Mutex

// startDriver starts a driver process and waits until it answers, which takes some 300 ms.
func startDriver(root string, found install.Installation, engine types.Engine, env func(string) string, log *slog.Logger) (*driver, error) {
	if err := os.MkdirAll(install.Paths{Root: root}.Tmp(), 0o700); err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp(install.Paths{Root: root}.Tmp(), "driver-")
	if err != nil {
		return nil, err
	}
	// The driver's standard error serves as its sign of life: it ends when the process does.
	output, input, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(tmp))
	}
	d := &driver{engine: engine, tmp: tmp, died: make(chan struct{})}
	if err = errors.Join(writeLauncher(tmp, found.Node, found.Package(engine), install.Environment(env, tmp, false)), writeDesktop(tmp)); err == nil {
		starting.Lock()
		d.pw, err = playwright.Run(&playwright.RunOptions{DriverDirectory: tmp, Stderr: input, Logger: log})
		starting.Unlock()
	}
	if err == nil {
		err = addSelectors(d.pw) // Before there are contexts, so that it waits for none.
	}
	input.Close()
	if err != nil {
		output.Close()
		return nil, errors.Join(fmt.Errorf("the driver does not start: %w", err), os.RemoveAll(tmp))
	}
	go d.watch(output, log)
	return d, nil
}

// watch logs what the driver prints until it ends.
func (d *driver) watch(output io.ReadCloser, log *slog.Logger) {
	defer close(d.died)
	defer os.RemoveAll(d.tmp)
	defer output.Close()
	lines := bufio.NewReaderSize(output, maxLogLine)
	for {
		line, _, err := lines.ReadLine()
		if err != nil {
			return
		}
		log.Debug("driver", "line", string(line))
	}
}

// stopTimeout is how long a driver may take to end after its input has closed; idle ones take 50 ms.
const stopTimeout = 3 * time.Second

// stop ends the driver: by closing its input, and if that does not help, by killing it.
func (d *driver) stop(ctx context.Context) {
	pid := d.pw.Pid()
	go func() { _ = d.pw.Stop() }() // Waits for the process, so it ends when the process does.
	timer := time.NewTimer(stopTimeout)
	defer timer.Stop()
	select {
	case <-d.died:
		return
	case <-ctx.Done():
	case <-timer.C:
	}
	if process, err := os.FindProcess(pid); err == nil {
		_ = process.Kill()
	}
	<-d.died
}

// alive reports whether the process still runs.
func (d *driver) alive() bool {
	select {
	case <-d.died:
		return false
	default:
		return true
	}
}
