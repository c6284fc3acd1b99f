package browser

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/browser/install"
)

// DriverOptions are fixed for the life of Drivers.
type DriverOptions struct {
	// Root is the data directory.
	Root string
	// Installation tells what is on the host; it is asked at each launch.
	Installation func() install.Installation
	// Patchright says which sessions Engine puts on it.
	Patchright install.Use
	// PerDriver is how many sessions share a driver process; 0 means 16.
	PerDriver int
	// Known is what programs of the host have answered; nil means what the data directory keeps.
	Known *install.Known
	// Log hears of drivers and browsers that die; nil discards.
	Log *slog.Logger
	// InstallCommand is what an operator runs to get what is missing; "" means browserhive init.
	InstallCommand string
	// Env reads one variable of the environment; nil means that none is set.
	Env func(string) string
}

// Engine is what a session that starts now runs on.
func (d *Drivers) Engine(stealth bool) types.Engine {
	use := d.opts.Patchright
	if stealth && (use == install.PatchrightRequired || use == install.PatchrightIfInstalled && d.opts.Installation().PatchrightDir != "") {
		return types.EnginePatchright
	}
	return types.EnginePlaywright
}

// sessionsPerDriver weighs what a driver costs, 95 MB and half a second, against what its death costs,
// all its sessions. With 16 busy sessions a simple call still takes a few milliseconds.
const sessionsPerDriver = 16

// Drivers launches browsers and keeps the driver processes that they need: it starts one when all of its
// engine are full, forgets one that died, and stops one that stands idle beside another of its engine.
type Drivers struct {
	opts DriverOptions
	// known is what the executables of browsers have told of themselves.
	known *install.Known
	// starting has room for one: drivers start one after another, so that several launches that wait
	// for the same driver do not each start their own.
	starting chan struct{}
	// launching has room for as many launches as there are cores. The start of a Chromium keeps a core busy,
	// so more at once would each take longer, and all of them together too.
	launching chan struct{}
	tasks     sync.WaitGroup // Goroutines that Stop waits for.

	mu       sync.Mutex
	pool     []*driver
	browsers map[*Browser]struct{}
	stopped  bool
}

// NewDrivers returns Drivers without any process yet.
func NewDrivers(opts DriverOptions) *Drivers {
	if opts.PerDriver <= 0 {
		opts.PerDriver = sessionsPerDriver
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.InstallCommand == "" {
		opts.InstallCommand = "browserhive init"
	}
	if opts.Env == nil {
		opts.Env = func(string) string { return "" }
	}
	if root, err := filepath.Abs(opts.Root); err == nil {
		opts.Root = root
	}
	// The library reads these on its own: the first makes it print every message to standard output,
	// which belongs to MCP, and the others start something else than our launcher. Installation has
	// heard of them already.
	for _, name := range []string{"DEBUGP", "PLAYWRIGHT_NODEJS_PATH", "PLAYWRIGHT_CLI_PATH"} {
		os.Unsetenv(name)
	}
	return &Drivers{
		opts: opts, known: cmp.Or(opts.Known, install.OpenKnown(opts.Root)), starting: make(chan struct{}, 1), launching: make(chan struct{}, runtime.NumCPU()),
		browsers: map[*Browser]struct{}{},
	}
}

var errStopped = errors.New("the server is stopping")

// acquire returns a driver of the engine with a place taken in it.
func (d *Drivers) acquire(ctx context.Context, found install.Installation, engine types.Engine) (*driver, error) {
	began := time.Now()
	for {
		if free, err := d.takeFree(engine); free != nil || err != nil {
			return free, err
		}
		select {
		case d.starting <- struct{}{}:
		case <-ctx.Done():
			return nil, ended(ctx, began)
		}
		// Another launch may have started one meanwhile.
		if free, err := d.takeFree(engine); free != nil || err != nil {
			<-d.starting
			return free, err
		}
		started := make(chan error, 1)
		if !d.background(func() {
			defer func() { <-d.starting }()
			started <- d.start(found, engine)
		}) {
			<-d.starting
			return nil, errStopped
		}
		select {
		case err := <-started:
			if err != nil {
				return nil, err
			}
		case <-ctx.Done(): // The driver will serve the next launch.
			return nil, ended(ctx, began)
		}
	}
}

// Warm starts a driver of the engine in the background, unless one has room, so that the next launch need not wait
// for it. What keeps it from starting is logged, and told to whoever launches.
func (d *Drivers) Warm(engine types.Engine) {
	d.background(func() {
		found := d.opts.Installation()
		if !found.Runs(engine) {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), launchTimeout)
		defer cancel()
		warm, err := d.acquire(ctx, found, engine)
		switch {
		case err == nil:
			d.release(warm)
		case !errors.Is(err, errStopped):
			d.opts.Log.Warn("no driver could be started ahead", "engine", engine, "err", err)
		}
	})
}

// background runs a task that Stop waits for, unless it waits already, and reports whether it does.
func (d *Drivers) background(task func()) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.stopped {
		d.tasks.Go(task)
	}
	return !d.stopped
}

// takeFree takes a place in the engine's fullest driver that has one, so that the others can run empty, or
// returns nil.
func (d *Drivers) takeFree(engine types.Engine) (*driver, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped {
		return nil, errStopped
	}
	var best *driver
	for _, candidate := range d.pool {
		if candidate.engine == engine && candidate.alive() && candidate.sessions < d.opts.PerDriver && (best == nil || candidate.sessions > best.sessions) {
			best = candidate
		}
	}
	if best != nil {
		best.sessions++
	}
	return best, nil
}

// start adds a driver to the pool.
func (d *Drivers) start(found install.Installation, engine types.Engine) error {
	began := time.Now()
	started, err := startDriver(d.opts.Root, found, engine, d.opts.Env, d.opts.Log)
	if err != nil {
		return err
	}
	d.opts.Log.Debug("a driver has started", "engine", engine, "ms", time.Since(began).Milliseconds())
	d.mu.Lock()
	stopped := d.stopped
	if !stopped {
		d.pool = append(d.pool, started)
	}
	d.mu.Unlock()
	if stopped {
		started.stop(context.Background())
		return errStopped
	}
	d.tasks.Go(func() {
		<-started.died
		if d.remove(started) {
			d.opts.Log.Error("a browser driver ended on its own; its sessions are lost", "engine", engine, "pid", started.pw.Pid())
		}
	})
	return nil
}

// remove takes a driver out of the pool and reports whether it was in it.
func (d *Drivers) remove(gone *driver) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.removeLocked(gone)
}

func (d *Drivers) removeLocked(gone *driver) bool {
	i := slices.Index(d.pool, gone)
	if i >= 0 {
		d.pool = slices.Delete(d.pool, i, i+1)
	}
	return i >= 0
}

// release gives back a place. A driver that runs empty is kept only while no other of its engine has room, so
// that the next launch need not wait for one.
func (d *Drivers) release(used *driver) {
	d.mu.Lock()
	defer d.mu.Unlock()
	used.sessions--
	otherHasRoom := slices.ContainsFunc(d.pool, func(other *driver) bool {
		return other != used && other.engine == used.engine && other.alive() && other.sessions < d.opts.PerDriver
	})
	if used.sessions == 0 && otherHasRoom && d.removeLocked(used) {
		d.tasks.Go(func() { used.stop(context.Background()) })
	}
}

// Stop closes all browsers and ends all drivers. When ctx ends first, it kills what is left. Launches
// fail from now on.
func (d *Drivers) Stop(ctx context.Context) error {
	d.mu.Lock()
	d.stopped = true
	pool, browsers := d.pool, d.browsers
	d.pool, d.browsers = nil, map[*Browser]struct{}{}
	d.mu.Unlock()

	var closing sync.WaitGroup
	for b := range browsers {
		closing.Go(func() { _ = b.Close(ctx) })
	}
	closing.Wait()
	for _, running := range pool {
		closing.Go(func() { running.stop(ctx) })
	}
	closing.Wait()
	d.tasks.Wait()
	return nil
}
