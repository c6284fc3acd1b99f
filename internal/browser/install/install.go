// Package install finds what sessions run on, and gets what is missing: the Playwright driver with BrowserHive's
// edits of it, Patchright, Node.js and a Chromium. All edits of the driver's code stand here, in the files edits*.go;
// patch.go applies them. Nothing here starts a session.
package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/browserhive/browserhive/gen/types"
)

// Step is one part of an installation, reported when it is done.
type Step struct {
	Name   string
	Detail string
	OK     bool
	Err    error
	// Optional says that sessions run without it.
	Optional bool
}

// Options adjusts Run. The zero value gets what sessions cannot do without.
type Options struct {
	// Patchright says whether it is installed, too, and whether the installation fails with it.
	Patchright Use
	// Force fetches the driver and Playwright's Chromium again although they are there.
	Force bool
	// Registry is the npm registry; "" means the one that the user's npm client is configured for.
	Registry string
	// HTTPClient fetches from the registry; nil means http.DefaultClient.
	HTTPClient *http.Client
	// Begin, when set, hears the name of each step before it runs.
	Begin func(step string)
	// Progress, when set, hears how many bytes of a download from the registry are there, and how many there
	// will be; 0 when nobody knows. It must return at once.
	Progress func(done, total int64)
	// Stall is how long the registry may be silent; 0 means 30 seconds.
	Stall time.Duration
	// Trial, when set, starts what was found once, as a session does, and says what it is; browser.Trial makes it.
	Trial func(ctx context.Context, found Installation) (detail string, err error)
}

// Use says what is made of Patchright.
type Use int

const (
	// PatchrightNever leaves it alone.
	PatchrightNever Use = iota
	// PatchrightIfInstalled runs stealth sessions on it where it is installed.
	PatchrightIfInstalled
	// PatchrightRequired runs stealth sessions on nothing else.
	PatchrightRequired
)

// defaultStallTimeout is as long as a person waits before suspecting the network.
const defaultStallTimeout = 30 * time.Second

// Run gets what a session needs: data directory, driver, Node.js and a Chromium, and then tries that Chromium
// out. What is there already is kept, so a second run repairs the first. report hears of every step in order. The
// error joins those of the steps that failed; the Installation holds what is there nevertheless.
func Run(ctx context.Context, root string, env func(string) string, opts Options, report func(Step)) (Installation, error) {
	return newInstaller(root, env, opts).run(ctx, report)
}

// installer is one run. Tests replace the pins.
type installer struct {
	paths              Paths
	env                func(string) string
	opts               Options
	driver, patchright release
	node               pin
	hasNode            bool // Whether the registry has a Node.js for this platform.
	// starts tries a driver; Handshake, but in tests.
	starts func(ctx context.Context, found Installation, engine types.Engine, env func(string) string) error
}

func newInstaller(root string, env func(string) string, opts Options) *installer {
	if opts.HTTPClient == nil {
		opts.HTTPClient = http.DefaultClient
	}
	if opts.Begin == nil {
		opts.Begin = func(string) {}
	}
	if opts.Progress == nil {
		opts.Progress = func(int64, int64) {}
	}
	if opts.Stall <= 0 {
		opts.Stall = defaultStallTimeout
	}
	if abs, err := filepath.Abs(root); err == nil {
		root = abs
	}
	in := &installer{paths: Paths{root}, env: env, opts: opts, driver: playwrightRelease, patchright: patchrightRelease, starts: Handshake}
	in.node, in.hasNode = hostNodePin()
	return in
}

func (in *installer) run(ctx context.Context, report func(Step)) (Installation, error) {
	var faults []error
	try := func(name string, optional bool, do func(context.Context) (string, error)) {
		if ctx.Err() != nil {
			return
		}
		in.opts.Begin(name)
		detail, err := do(ctx)
		if ctx.Err() != nil { // What fails then fails because of that.
			return
		}
		report(Step{Name: name, Detail: detail, OK: err == nil, Err: err, Optional: optional})
		if err != nil && !optional {
			faults = append(faults, fmt.Errorf("%s: %w", name, err))
		}
	}
	step := func(name string, do func(context.Context) (string, error)) { try(name, false, do) }
	step("data directory", in.prepare)
	if len(faults) > 0 {
		return Installation{}, faults[0] // Nothing else can be kept anywhere.
	}
	required := in.opts.Patchright == PatchrightRequired
	step("driver", in.installDriver)
	if in.opts.Patchright != PatchrightNever {
		try("Patchright", !required, in.installPatchright)
	}
	step("Node.js", in.installNode)
	step("Chromium", in.installChromium)
	found := Find(ctx, in.paths.Root, in.env)
	found = in.mend(ctx, found, in.driver, func(do func(context.Context) (string, error)) { try("driver, mended", false, do) })
	if in.opts.Patchright != PatchrightNever {
		found = in.mend(ctx, found, in.patchright, func(do func(context.Context) (string, error)) { try("Patchright, mended", !required, do) })
	}
	if len(faults) == 0 && in.opts.Trial != nil {
		step("trial", func(ctx context.Context) (string, error) { return in.opts.Trial(ctx, found) })
	}
	return found, errors.Join(append(faults, ctx.Err())...)
}

// mend starts the driver of a release, when it and Node.js are there, and fetches it anew when that fails. step
// reports that it did.
func (in *installer) mend(ctx context.Context, found Installation, r release, step func(func(context.Context) (string, error))) Installation {
	dir := found.Package(r.engine)
	if dir == "" || found.Node == "" || r.engine == types.EnginePlaywright && !found.Patched {
		return found
	}
	fault := in.starts(ctx, found, r.engine, in.env)
	if fault == nil {
		return found
	}
	step(func(ctx context.Context) (string, error) {
		if dir == in.env("PLAYWRIGHT_DRIVER_PATH") {
			return "", fmt.Errorf("the driver in %s, which PLAYWRIGHT_DRIVER_PATH names, does not start: %w", dir, fault)
		}
		if err := in.fetchDriver(ctx, r, in.paths.driver(r)); err != nil {
			return "", fmt.Errorf("it does not start: %w; and it cannot be fetched anew: %w", fault, err)
		}
		found = Find(ctx, in.paths.Root, in.env)
		if err := in.starts(ctx, found, r.engine, in.env); err != nil {
			return "", fmt.Errorf("it does not start, even fetched anew: %w", err)
		}
		return r.pin.version + " fetched anew, because it did not start", nil
	})
	return found
}

// maxLeftoverAge is how old a half-done download must be to be removed: old enough that no other run is
// still at it.
const maxLeftoverAge = time.Hour

func (in *installer) prepare(context.Context) (string, error) {
	for _, dir := range []string{in.paths.Root, in.paths.drivers(), in.paths.Tmp()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", err
		}
	}
	leftovers, _ := filepath.Glob(filepath.Join(in.paths.drivers(), "*.tmp*"))
	for _, path := range leftovers {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > maxLeftoverAge {
			_ = os.RemoveAll(path)
		}
	}
	return in.paths.Root, nil
}

func (in *installer) installDriver(ctx context.Context) (string, error) {
	return in.installRelease(ctx, in.driver, driverDirs(in.paths.Root, in.env))
}

func (in *installer) installPatchright(ctx context.Context) (string, error) {
	return in.installRelease(ctx, in.patchright, []string{in.paths.driver(in.patchright)})
}

// installRelease takes the driver that lies in one of the places, or else fetches it. It says what it has.
func (in *installer) installRelease(ctx context.Context, r release, places []string) (string, error) {
	own := in.paths.driver(r)
	for _, dir := range places {
		if in.opts.Force || !r.in(dir) || dir == own && !r.intact(dir) {
			continue
		}
		if !r.intact(dir) { // Another's driver, which may lie where nobody can write, or be damaged.
			err := r.patch(dir)
			if err != nil && dir == in.env("PLAYWRIGHT_DRIVER_PATH") {
				return "", fmt.Errorf("the driver in %s, which PLAYWRIGHT_DRIVER_PATH names, cannot be patched: %w", dir, err)
			}
			if err != nil { // One of our own comes before it.
				continue
			}
		}
		return r.pin.version + " in " + dir, nil
	}
	if err := in.fetchDriver(ctx, r, own); err != nil {
		return "", err
	}
	return r.pin.version + " from the npm registry", nil
}

// fetchDriver downloads a driver, makes it whole beside its place and moves it there.
func (in *installer) fetchDriver(ctx context.Context, r release, place string) error {
	tmp, err := in.fetch(ctx, r.pin, nil)
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if !r.in(tmp) {
		return fmt.Errorf("the package does not claim to be %s %s", r.pin.name, r.pin.version)
	}
	if err := r.patch(tmp); err != nil {
		return err
	}
	return moveInto(tmp, place)
}

// fetch downloads a package and unpacks it into a new directory, whose path it returns.
func (in *installer) fetch(ctx context.Context, p pin, keep func(string) bool) (dir string, err error) {
	registry := in.opts.Registry
	if registry == "" {
		registry = registryURL(ctx, in.env)
	}
	tarball, err := download(ctx, in.opts.HTTPClient, registry, p, in.paths.drivers(), in.opts)
	if err != nil {
		return "", err
	}
	defer os.Remove(tarball)
	file, err := os.Open(tarball)
	if err != nil {
		return "", err
	}
	defer file.Close()
	dir, err = os.MkdirTemp(in.paths.drivers(), p.version+".tmp-")
	if err != nil {
		return "", err
	}
	if err := unpack(interruptible{file, ctx}, dir, p.unpacked, keep); err != nil {
		_ = os.RemoveAll(dir)
		return "", fmt.Errorf("unpacking %s: %w", p.name, err)
	}
	return dir, nil
}

// interruptible reads until its context ends.
type interruptible struct {
	io.Reader
	ctx context.Context
}

// Read implements io.Reader.
func (r interruptible) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}

// moveInto puts the finished directory in its place, which may hold a broken or older one. Between the
// two renames the place is empty, so it never holds anything half done.
func moveInto(finished, place string) error {
	old := finished + ".old.tmp"
	if err := os.Rename(place, old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	defer os.RemoveAll(old)
	return os.Rename(finished, place)
}

func (in *installer) installNode(ctx context.Context) (string, error) {
	if path, version := in.findNode(ctx); path != "" {
		return version + " in " + path, nil
	}
	err := in.fetchNode(ctx)
	if err == nil {
		return in.node.version + " from the npm registry", nil
	}
	if own := in.libraryNode(ctx); own != nil {
		return "", fmt.Errorf("from the registry: %w; from nodejs.org: %w", err, own)
	}
	_, version := in.findNode(ctx)
	return version + " from nodejs.org", nil
}

func (in *installer) findNode(ctx context.Context) (path, version string) {
	dir := ""
	for _, candidate := range driverDirs(in.paths.Root, in.env) {
		if in.driver.in(candidate) {
			dir = candidate
			break
		}
	}
	return findNode(ctx, OpenKnown(in.paths.Root), in.paths.Root, dir, in.env)
}

// fetchNode gets the pinned Node.js from the registry.
func (in *installer) fetchNode(ctx context.Context) error {
	if !in.hasNode {
		return errors.New("the registry has no Node.js for this platform")
	}
	inside := "package/bin/" + executableName("node")
	tmp, err := in.fetch(ctx, in.node, func(name string) bool { return name == inside })
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	return in.placeNode(ctx, filepath.Join(tmp, filepath.FromSlash(inside)))
}

// placeNode moves a Node.js executable to its place once it has shown that it runs here.
func (in *installer) placeNode(ctx context.Context, executable string) error {
	if err := os.Chmod(executable, 0o755); err != nil {
		return err
	}
	if !strings.HasPrefix(runVersion(ctx, executable, in.env), "v") {
		return errors.New("the Node.js that was fetched does not run on this host")
	}
	place := in.paths.node()
	if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
		return err
	}
	return os.Rename(executable, place)
}
