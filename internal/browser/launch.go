package browser

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/browser/install"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/stealth"
)

// LaunchOptions describe one session's browser.
type LaunchOptions struct {
	// SessionID goes into errors.
	SessionID string
	// Channel is chromium, chrome or edge.
	Channel  string
	Headless bool
	// ProfileDir is the user data directory, created with mode 0700 when absent. It stays after Close.
	// "" means a temporary one that Close removes.
	ProfileDir string
	// Engine is the driver that controls the browser, as Drivers.Engine tells it; "" is Playwright.
	Engine types.Engine
	// Stealth presents the browser as an ordinary Chrome. A session whose identity cannot be applied
	// runs without it and says so in Warnings.
	Stealth bool
	// DialogLimit is how long a dialog waits for its answer before it is dismissed, and an answer for its
	// dialog before it is dropped; 0 means 60 seconds.
	DialogLimit time.Duration
	// Launch and Context are what the caller chose, under the contract's names; nil for nothing. They have
	// to pass CheckOptions. Context.StorageState is not read.
	Launch  *types.LaunchOptions
	Context *types.ContextOptions
	// StorageState is a login in Playwright's form to start from, or nil.
	StorageState json.RawMessage
	// ProfileState is a login in the same form that complements the profile, or nil.
	ProfileState json.RawMessage
	// BlocksURL is asked before a tool opens an address that the scheme rule allows, with the context of
	// the call, and BlocksDocument before a page does, in a tab or a frame, also by a redirect. Each returns
	// the operator's rule that the address meets; nil blocks nothing.
	BlocksURL      func(ctx context.Context, url string) (pattern string, blocked bool)
	BlocksDocument func(url string) (pattern string, blocked bool)
	// OnSecret is told of each text before it is entered into a field that hides it; nil is told nothing. What
	// goes into a field that shows it is noted in the context of the call, with secret.Shown.
	OnSecret func(text string)
	// OnVisit is told of each document that a tab has opened; nil is told nothing.
	OnVisit func(Visit)
	// Trace asks for a trace; nil for none.
	Trace *TraceOptions
}

const (
	// launchTimeout bounds a start of Chromium, also without a deadline from the caller. A cold start on a
	// loaded host takes some ten seconds.
	launchTimeout = 60 * time.Second
	// closeTimeout is how long a browser may take to write its profile and end before it is killed.
	closeTimeout = 5 * time.Second
)

// Launch starts a browser of its own process on a shared driver. Errors: BROWSER_NOT_INSTALLED,
// BROWSER_CRASHED when it does not come up, DATA_DIR_UNWRITABLE when the disk has no room, CALL_TIMEOUT and CALL_CANCELLED when ctx ends first.
func (d *Drivers) Launch(ctx context.Context, o LaunchOptions) (*Browser, error) {
	return d.launch(ctx, o, func(b *Browser) error { return b.settle(ctx) })
}

// Prepare starts a browser that is no session's yet, with options that Ahead returned. It has to be given
// to a session with Adopt, or closed. Errors: those of Launch.
func (d *Drivers) Prepare(ctx context.Context, ahead LaunchOptions) (*Browser, error) {
	return d.launch(ctx, ahead, func(*Browser) error { return nil })
}

// launch starts a browser and makes it ready.
func (d *Drivers) launch(ctx context.Context, o LaunchOptions, ready func(*Browser) error) (*Browser, error) {
	found := d.opts.Installation()
	executable, err := d.executableFor(found, o)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	select {
	case d.launching <- struct{}{}:
		defer func() { <-d.launching }()
	case <-ctx.Done():
		return nil, ended(ctx, began)
	}
	for try := 1; ; try++ {
		shared, err := d.acquire(ctx, found, cmp.Or(o.Engine, types.EnginePlaywright))
		if err != nil {
			return nil, d.launchError(o, err)
		}
		b, err := d.launchOn(ctx, shared, executable, o, ready)
		if err == nil {
			return b, nil
		}
		if shared.alive() || ctx.Err() != nil || try == maxLaunchTries {
			return nil, err
		}
	}
}

// maxLaunchTries is how many drivers a launch may see die under it: one may have been about to die anyway.
const maxLaunchTries = 2

// launchError is the error of a launch that failed for a reason that is not a fault of ours.
func (d *Drivers) launchError(o LaunchOptions, err error) error {
	switch {
	case coded(err):
		return err
	case errors.Is(err, errStopped):
		return errcode.CallCancelled{}.Err().Because(err)
	case contract.DiskFault(err):
		return d.unwritable(err)
	}
	return crashed(o.SessionID, err)
}

// unwritable is DATA_DIR_UNWRITABLE for what the system said.
func (d *Drivers) unwritable(err error) error {
	return errcode.DataDirUnwritable{Path: d.opts.Root, Reason: contract.Reason(err)}.Err().Because(err)
}

// executableFor chooses the browser's executable, or answers BROWSER_NOT_INSTALLED.
func (d *Drivers) executableFor(found install.Installation, o LaunchOptions) (string, error) {
	if found.DriverDir == "" || found.Node == "" || !found.Patched {
		return "", notInstalled(o.Channel, d.opts.InstallCommand, found.Missing()...)
	}
	if o.Engine == types.EnginePatchright && found.PatchrightDir == "" {
		return "", NoPatchright(d.opts.InstallCommand)
	}
	if o.Launch != nil && o.Launch.ExecutablePath != nil {
		return *o.Launch.ExecutablePath, nil
	}
	switch o.Channel {
	case "chromium":
		if o.Headless && !o.Stealth && found.Shell != "" {
			return found.Shell, nil
		}
		if found.Chromium != "" {
			return found.Chromium, nil
		}
	default:
		if path, ok := install.FindChannel(o.Channel, d.opts.Env); ok {
			return path, nil
		}
		return "", notInstalled(o.Channel, browserOf[o.Channel].command, browserOf[o.Channel].name)
	}
	return "", notInstalled(o.Channel, d.opts.InstallCommand, found.Missing()...)
}

// launchOn starts the browser on the driver, whose place acquire took, and makes it ready.
func (d *Drivers) launchOn(ctx context.Context, shared *driver, executable string, o LaunchOptions, ready func(*Browser) error) (*Browser, error) {
	b := newBrowser(d, shared, o)
	began := time.Now()
	if err := b.start(ctx, executable); err != nil {
		b.removeFiles()
		d.release(shared)
		return nil, d.launchError(o, err)
	}
	started := time.Since(began)
	err := b.begin(ctx, executable)
	b.log.Debug("a browser has started", "ms", started.Milliseconds(), "with_identity_ms", time.Since(began).Milliseconds())
	if err == nil && !d.remember(b) {
		err = d.launchError(o, errStopped)
	}
	if err == nil {
		err = ready(b)
	}
	if err != nil {
		b.abandon(ctx)
		return nil, err
	}
	return b, nil
}

// abandon closes a browser whose launch failed.
func (b *Browser) abandon(ctx context.Context) {
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	_ = b.Close(closing)
}

// start launches the browser process.
func (b *Browser) start(ctx context.Context, executable string) error {
	if err := b.makeDirs(); err != nil {
		return err
	}
	options := b.launchOptions(executable)
	if reason := install.SandboxProblem(); reason != "" {
		options.ChromiumSandbox = playwright.Bool(false)
		b.warnings = append(b.warnings, "Chromium's sandbox is off: "+reason+".")
	}
	if b.options.Stealth {
		id, err := b.identityToPresent(ctx, executable)
		switch {
		case err == nil:
			b.present(&options, id)
		case ctx.Err() != nil:
			return b.drivers.launchError(b.options, err)
		default:
			b.warnings = append(b.warnings, stealthFailed(err))
		}
	}
	b.choose(&options)
	var err error
	b.pw, err = b.startContext(ctx, options)
	return err
}

// remember keeps a running browser in mind until it ends, and reports whether Drivers still runs.
func (d *Drivers) remember(b *Browser) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped {
		return false
	}
	select {
	case <-b.done: // It was lost meanwhile, and perhaps forgotten already.
	default:
		d.browsers[b] = struct{}{}
	}
	return true
}

func (d *Drivers) forget(b *Browser) {
	d.mu.Lock()
	delete(d.browsers, b)
	d.mu.Unlock()
	d.release(b.driver)
}

// stealthFailed is the text of the STEALTH_INIT_FAILED warning.
func stealthFailed(err error) string {
	return string(errcode.CodeStealthInitFailed) + ": the session runs without a stealth identity: " + firstLine(brief(err).Error())
}

// launchOptions are what every session's browser is started with.
func (b *Browser) launchOptions(executable string) playwright.BrowserTypeLaunchPersistentContextOptions {
	o := b.options
	vars := install.Environment(b.drivers.opts.Env, b.socketDir, !o.Headless)
	withoutDesktop(vars, b.driver.tmp)
	if zone := o.timezone(); zone != "" {
		vars["TZ"] = zone // Reaches workers too, which the protocol's override does not.
	}
	options := playwright.BrowserTypeLaunchPersistentContextOptions{
		ExecutablePath:  playwright.String(executable),
		Headless:        playwright.Bool(o.Headless),
		ChromiumSandbox: playwright.Bool(true),
		ArtifactsDir:    playwright.String(filepath.Join(b.tmp, "artifacts")),
		TracesDir:       playwright.String(b.traceDir()),
		DownloadsPath:   playwright.String(b.downloads()),
		Env:             vars,
		Args:            install.Switches(b.driver.engine),
		// The server decides when browsers end; a signal to the process group must not end them first.
		HandleSIGHUP:  playwright.Bool(false),
		HandleSIGINT:  playwright.Bool(false),
		HandleSIGTERM: playwright.Bool(false),
	}
	if !o.Headless {
		options.NoViewport = playwright.Bool(true) // Pages follow the window that a person sees.
	}
	if locale := o.locale(); locale != "" && !o.Stealth {
		options.Locale = playwright.String(locale)
	}
	return options
}

// locale is the language tag that the caller chose, or "".
func (o LaunchOptions) locale() string {
	if o.Context == nil {
		return ""
	}
	return strings.ReplaceAll(orEmpty(o.Context.Locale), "_", "-")
}

// timezone is the IANA name that the caller chose, or "".
func (o LaunchOptions) timezone() string {
	if o.Context == nil {
		return ""
	}
	return orEmpty(o.Context.TimezoneID)
}

// present adds an identity to the launch: as switches, which reach every worker and the first request
// of every window, and through the protocol, which carries the client hints.
func (b *Browser) present(options *playwright.BrowserTypeLaunchPersistentContextOptions, id stealth.Identity) {
	metadata, err := json.Marshal(id.Metadata)
	if err != nil {
		panic(err) // Strings and booleans always encode.
	}
	options.Args = append(options.Args, id.Switches()...)
	options.IgnoreDefaultArgs = stealth.DroppedSwitches()
	if c := b.options.Context; c != nil && c.UserAgent != nil {
		// The caller's own user agent has no client hints, so the identity is given up, but not the rest.
		options.Args = slices.DeleteFunc(options.Args, func(s string) bool { return strings.HasPrefix(s, "--user-agent=") })
		b.warnings = append(b.warnings, "The session presents the given userAgent and no coherent identity.")
		return
	}
	options.UserAgent = playwright.String(id.UserAgent)
	options.FirefoxUserPrefs = map[string]any{install.MetadataOption: string(metadata)}
	b.stealthy = true
}

// startContext launches the browser and returns its context. Should ctx end first, the browser is
// closed as soon as it is up.
func (b *Browser) startContext(ctx context.Context, options playwright.BrowserTypeLaunchPersistentContextOptions) (playwright.BrowserContext, error) {
	began := time.Now()
	limit := launchTimeout
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(deadline))
	}
	mark := b.driver.mark()
	options.Timeout = marked(limit, mark)
	type result struct {
		context playwright.BrowserContext
		err     error
	}
	launched := make(chan result, 1)
	go func() {
		context, err := protect(func() (playwright.BrowserContext, error) {
			return b.driver.pw.Chromium.LaunchPersistentContext(b.profile, options)
		})
		launched <- result{context, err}
	}()
	var err error
	select {
	case r := <-launched:
		switch {
		case r.err == nil:
			return r.context, nil
		case ctx.Err() != nil:
			return nil, ended(ctx, began)
		}
		if fault := optionFault(r.err); fault != nil {
			return nil, fault
		}
		return nil, crashed(b.options.SessionID, r.err)
	case <-ctx.Done():
		err = ended(ctx, began)
		b.driver.cancel(mark)
		ending := time.NewTimer(closeTimeout)
		defer ending.Stop()
		select { // So that nothing writes to the profile any more when the caller removes it.
		case r := <-launched:
			if r.err == nil {
				_ = r.context.Close()
			}
			return nil, err
		case <-ending.C:
		}
	case <-b.driver.died:
		err = crashed(b.options.SessionID, errDriverDied)
	}
	abandoned := func() { // Ends with the launch, which the driver bounds by the same limit.
		if r := <-launched; r.err == nil {
			_ = r.context.Close()
		}
		b.removeFiles()
	}
	if !b.drivers.background(abandoned) { // The driver is about to end, and the launch with it.
		abandoned()
	}
	return nil, err
}

var errDriverDied = errors.New("the browser driver ended")

// maxSocketPath is how long the path that a browser has for temporary files may be: Chromium puts a socket 45
// bytes below it, socket paths end at 104 bytes on macOS and 108 on Linux, and Chromium aborts beyond.
const maxSocketPath = 104 - 45 - 1

// makeDirs creates the browser's directories.
func (b *Browser) makeDirs() error {
	root := install.Paths{Root: b.drivers.opts.Root}.Tmp()
	if err := os.MkdirAll(root, 0o700); err != nil {
		return err
	}
	var err error
	if b.tmp, err = os.MkdirTemp(root, "b"); err != nil {
		return err
	}
	b.socketDir = b.tmp
	if len(b.tmp) > maxSocketPath && runtime.GOOS != "windows" {
		// A data directory this deep leaves no room for the socket; the system's own is short.
		if b.socketDir, err = os.MkdirTemp("", strayPrefix); err != nil {
			return err
		}
	}
	if b.profile = b.options.ProfileDir; b.profile == "" {
		b.profile = filepath.Join(b.tmp, "profile")
	}
	if b.profile, err = filepath.Abs(b.profile); err != nil {
		return err
	}
	b.unlockProfile()
	for _, dir := range []string{b.profile, filepath.Join(b.tmp, "artifacts"), b.downloads()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	return nil
}

// unlockProfile removes the mark by which a browser that crashed, perhaps on a host of another name, still
// holds its profile. The data directory belongs to this server, and no session uses another's profile.
func (b *Browser) unlockProfile() {
	for _, name := range []string{"SingletonLock", "SingletonSocket", "SingletonCookie", "lockfile"} {
		_ = os.Remove(filepath.Join(b.profile, name))
	}
}

// downloads holds what pages give until somebody wants to keep it.
func (b *Browser) downloads() string { return filepath.Join(b.tmp, "downloads") }
