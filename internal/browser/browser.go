// Package browser runs isolated Chromium sessions: driver processes, launches, pages and what agents do with
// them. With install below it, it is the only importer of playwright-go. Every error that a caller can act on
// carries a code of the contract; the rest are faults of ours.
package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/browserhive/browserhive/gen/types"
)

// Browser is the browser of one session: one process, one profile, its tabs.
type Browser struct {
	options LaunchOptions
	drivers *Drivers
	driver  *driver
	log     *slog.Logger
	pw      playwright.BrowserContext

	profile string
	tmp     string // Holds everything temporary of this browser, and the profile when it is temporary.
	// socketDir is the browser's TMPDIR: tmp, or a directory of the system's where tmp's path is too long.
	socketDir string
	process   process

	started     time.Time
	identity    *Identity
	stealthy    bool
	warnings    []string
	navigations atomic.Int64
	uploaded    atomic.Int64 // Bytes of files that pages were given.

	mu      sync.Mutex
	pages   []*Page // In the order in which they opened.
	active  *Page
	lastTab int
	uses    int64   // Counts the calls that used a tab.
	tracer  *tracer // nil for a session without a trace.
	// dialogOpened tells of every dialog that waits for an answer, at most dialogLimit.
	dialogOpened signal
	dialogLimit  time.Duration

	ending  sync.Once
	done    chan struct{} // Closed when calls no longer make sense.
	err     error         // Why; set before done is closed.
	cleaned chan struct{} // Closed when process and files are gone.
}

func newBrowser(d *Drivers, shared *driver, o LaunchOptions) *Browser {
	log := d.opts.Log
	if o.SessionID != "" {
		log = log.With("session_id", o.SessionID)
	}
	return &Browser{
		options: o, drivers: d, driver: shared, log: log,
		dialogLimit: cmp.Or(o.DialogLimit, dialogLimit), done: make(chan struct{}), cleaned: make(chan struct{}),
	}
}

// begin takes over a browser that has just started: its process, and what pages see of it.
func (b *Browser) begin(ctx context.Context, executable string) error {
	// Each takes some round trips to a browser that is still busy with its start, so they share the wait.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	read := make(chan error, 1)
	go func() { read <- b.readIdentity(ctx, executable) }()
	err := b.takeProcess(ctx)
	if err != nil {
		cancel()
	}
	if fault := <-read; err == nil {
		err = fault
	}
	return err
}

// takeProcess finds out which process the browser is, and sees to it that it is ended in any case.
func (b *Browser) takeProcess(ctx context.Context) error {
	pid, err := b.readPID(ctx)
	if err != nil {
		return b.drivers.launchError(b.options, fmt.Errorf("the browser's process: %w", err))
	}
	started, ok := processStart(pid)
	if !ok {
		return crashed(b.options.SessionID, errProcessEnded)
	}
	b.process = process{PID: pid, Started: started, Profile: b.profile}
	if b.socketDir != b.tmp {
		b.process.Stray = b.socketDir
	}
	if err := b.process.record(); err != nil {
		return b.drivers.launchError(b.options, fmt.Errorf("recording the browser's process: %w", err))
	}
	b.follow()
	return nil
}

// follow loses the browser when it ends by itself.
func (b *Browser) follow() {
	b.pw.OnClose(func(playwright.BrowserContext) { b.lose(errProcessEnded) })
	if !b.process.alive() { // It may have ended before we listened.
		b.lose(errProcessEnded)
	}
	go b.watch()
}

var (
	errProcessEnded = errors.New("the browser process ended")
	errNoTab        = errors.New("the browser came up without a tab")
)

// watch loses the browser when its driver or its process ends. The driver reports the process's end
// too, but not while it is busy. watch ends with the browser.
func (b *Browser) watch() {
	ended, stop := b.process.ended()
	defer stop()
	select {
	case <-b.driver.died:
		b.lose(errDriverDied)
	case <-ended:
		b.lose(errProcessEnded)
	case <-b.done:
	}
}

// readPID asks the browser for the PID of its main process. The driver does not tell it.
func (b *Browser) readPID(ctx context.Context) (int, error) {
	return await(ctx, b, nil, launchTimeout, func(*float64) (int, error) {
		owner := b.pw.Browser()
		if owner == nil {
			return 0, errors.New("the context has no browser")
		}
		session, err := owner.NewBrowserCDPSession()
		if err != nil {
			return 0, err
		}
		defer func() { _ = session.Detach() }()
		answer, err := session.Send("SystemInfo.getProcessInfo", nil)
		if err != nil {
			return 0, err
		}
		info, _ := answer.(map[string]any)
		list, _ := info["processInfo"].([]any)
		for _, entry := range list {
			if p, _ := entry.(map[string]any); p["type"] == "browser" {
				if id, ok := p["id"].(float64); ok {
					return int(id), nil
				}
			}
		}
		return 0, errors.New("the browser does not list it")
	})
}

// Done is closed when the browser process or its driver died, or when Close has finished.
func (b *Browser) Done() <-chan struct{} { return b.done }

// Err returns why Done is closed: nil after Close, BROWSER_CRASHED when the browser was lost. Before,
// it returns nil.
func (b *Browser) Err() error {
	select {
	case <-b.done:
		return b.err
	default:
		return nil
	}
}

// PID is the process id of the browser's main process.
func (b *Browser) PID() int { return b.process.PID }

// StartedAt is when the browser came up.
func (b *Browser) StartedAt() time.Time { return b.started }

// Identity is what pages see, read back from a page after the launch; nil when that failed.
func (b *Browser) Identity() *Identity { return b.identity }

// Engine is the driver that controls the browser.
func (b *Browser) Engine() types.Engine { return b.driver.engine }

// Stealth reports whether the stealth identity was applied and seen to work.
func (b *Browser) Stealth() bool { return b.stealthy }

// Warnings are what an operator should know about this launch, in whole sentences. One that begins
// with STEALTH_INIT_FAILED is the warning of that code.
func (b *Browser) Warnings() []string { return slices.Clone(b.warnings) }

// NavigationCount is how many documents the tabs have opened since the launch.
func (b *Browser) NavigationCount() int64 { return b.navigations.Load() }

// Close ends the browser: it lets it write its profile, and after 5 seconds, or when ctx ends, kills
// it. It leaves no process and no temporary file, and returns nil unless ctx ended before all was
// gone. Closing again, or after a crash, waits for the same end.
func (b *Browser) Close(ctx context.Context) error {
	began := time.Now()
	b.ending.Do(func() {
		go b.finish(ctx, nil)
	})
	select {
	case <-b.cleaned:
		return nil
	case <-ctx.Done():
		// Killing takes a moment; the caller's deadline is for the graceful part.
	}
	timer := time.NewTimer(killTimeout)
	defer timer.Stop()
	select {
	case <-b.cleaned:
		return nil
	case <-timer.C:
		return ended(ctx, began)
	}
}

// lose ends a browser that went away by itself. It returns at once, because it is called where the
// driver's messages are read.
func (b *Browser) lose(cause error) {
	b.ending.Do(func() {
		go b.finish(context.Background(), cause)
	})
}

// finish brings the browser to its end and everything of it out of the way. cause is nil when the end
// was asked for, in which case the browser may end by itself first.
func (b *Browser) finish(ctx context.Context, cause error) {
	defer close(b.cleaned)
	if cause != nil {
		b.err = crashed(b.options.SessionID, cause)
		close(b.done)
		b.log.Warn("a browser was lost", "pid", b.process.PID, "cause", cause)
	} else {
		b.stopTrace(ctx)
		b.shutDown(ctx)
	}
	if !b.process.kill() {
		b.log.Error("a browser does not end", "pid", b.process.PID)
	}
	b.keepTrace(ctx, cause)
	b.removeFiles()
	b.drivers.forget(b)
	if cause == nil {
		close(b.done)
	}
}

// shutDown asks the browser to end and waits for it, at most closeTimeout.
func (b *Browser) shutDown(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, closeTimeout)
	defer cancel()
	asked := make(chan struct{})
	go func() { // Ends with the browser, which does not outlive finish.
		defer close(asked)
		_, _ = protect(func() (struct{}, error) { return struct{}{}, b.pw.Close() })
	}()
	select {
	case <-asked:
		b.process.gone(ctx)
	case <-b.driver.died:
	case <-ctx.Done():
	}
}

// removeFiles removes what the browser leaves behind. Chromium's helpers may still write while they
// end, so removing is tried again for a moment.
func (b *Browser) removeFiles() {
	b.process.forget()
	for _, dir := range []string{b.tmp, b.socketDir} {
		if err := removeAll(dir); err != nil {
			b.log.Warn("temporary files were left behind", "dir", filepath.Base(dir), "error", err)
		}
	}
}

// maxRemoveTries times removeInterval is a second, far more than a killed helper takes to end.
const (
	maxRemoveTries = 20
	removeInterval = 50 * time.Millisecond
)

func removeAll(dir string) (err error) {
	if dir == "" {
		return nil // Never made.
	}
	for range maxRemoveTries {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		time.Sleep(removeInterval) //nolint:forbidigo // a file system tells nobody when a process lets go of a file
	}
	return err
}
