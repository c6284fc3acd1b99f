package browser

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/browserhive/browserhive/gen/types"
)

// A browser can be started before anybody asks for it: Prepare starts one, and Adopt makes it that of a
// session. Launch is both at once, so a session cannot tell which way its browser came.

// Ahead returns the part of the options that has to be known before the browser starts, for Prepare, and a
// key: launches of the same key can adopt the same browser. ok is false for a launch that cannot be
// prepared: its profile has a place of its own, it runs a program of the caller's choice, or it has a proxy
// or credentials, which no process should hold beyond the session that they were given for.
func (o LaunchOptions) Ahead() (ahead LaunchOptions, key string, ok bool) {
	launch, chosen := types.LaunchOptions{}, types.ContextOptions{}
	if o.Launch != nil {
		launch = *o.Launch
	}
	if o.Context != nil {
		chosen = *o.Context
	}
	secret := chosenProxy(&launch, &chosen) != nil || chosen.HTTPCredentials != nil || slices.ContainsFunc(launch.Args, func(arg string) bool {
		return strings.HasPrefix(arg, proxySwitch) || strings.HasPrefix(arg, pacSwitch)
	})
	if secret || o.ProfileDir != "" || launch.ExecutablePath != nil {
		return LaunchOptions{}, "", false
	}
	// What settle applies.
	chosen.StorageState, chosen.Geolocation, chosen.Permissions, chosen.ExtraHTTPHeaders = nil, nil, nil, nil
	ahead = LaunchOptions{Channel: o.Channel, Headless: o.Headless, Engine: o.Engine, Stealth: o.Stealth, Launch: &launch, Context: &chosen}
	text, err := json.Marshal([]any{o.Channel, o.Headless, o.Engine, o.Stealth, launch, chosen})
	if err != nil {
		return LaunchOptions{}, "", false // Extra keys that are no JSON; CheckOptions refuses them.
	}
	return ahead, string(text), true
}

// Adopt makes a browser that Prepare started, with what Ahead returned for the same key, the browser of the
// session in o. The returned browser takes the prepared one's place; on an error both are gone. Errors:
// BROWSER_CRASHED when the prepared browser has died, and those of Launch.
func (d *Drivers) Adopt(ctx context.Context, prepared *Browser, o LaunchOptions) (*Browser, error) {
	b := newBrowser(d, prepared.driver, o)
	b.pw, b.profile, b.tmp, b.socketDir, b.process = prepared.pw, prepared.profile, prepared.tmp, prepared.socketDir, prepared.process
	b.identity, b.stealthy, b.warnings = prepared.identity, prepared.stealthy, prepared.Warnings()
	if err := d.succeed(prepared, b); err != nil {
		return nil, d.launchError(o, err)
	}
	b.follow()
	if err := b.settle(ctx); err != nil {
		b.abandon(ctx)
		return nil, err
	}
	return b, nil
}

// succeed lets b own what prepared owned, unless that has come to its end.
func (d *Drivers) succeed(prepared, b *Browser) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped {
		return errStopped
	}
	err := errProcessEnded
	prepared.ending.Do(func() { // From here on, what befalls the process is no business of prepared.
		err = nil
		close(prepared.done)
		close(prepared.cleaned)
		delete(d.browsers, prepared)
		d.browsers[b] = struct{}{}
	})
	return err
}

// settle applies what need not be known before a browser starts, and makes its pages tabs.
func (b *Browser) settle(ctx context.Context) error {
	b.started = time.Now()
	b.pw.OnDialog(b.onDialog)
	b.pw.OnDialogClosed(b.onDialogClosed)
	if err := b.grant(ctx); err != nil {
		return err
	}
	if err := b.restore(ctx); err != nil {
		return err
	}
	b.startTrace(ctx) // After restore, which works on pages of its own with what must not be recorded.
	b.guardDocuments(ctx)
	// Only now, so that pages which something was put into do not count as tabs.
	b.pw.OnPage(func(page playwright.Page) { b.open(page) })
	for _, page := range b.pw.Pages() {
		b.open(page)
	}
	if len(b.Pages()) == 0 {
		return crashed(b.options.SessionID, errNoTab)
	}
	return nil
}

// grant applies the caller's choices that Chromium takes at any time.
func (b *Browser) grant(ctx context.Context) error {
	c := b.options.Context
	if c == nil {
		return nil
	}
	var steps []func() error
	if g := c.Geolocation; g != nil {
		steps = append(steps, func() error {
			return b.pw.SetGeolocation(&playwright.Geolocation{Latitude: g.Latitude, Longitude: g.Longitude, Accuracy: g.Accuracy})
		})
	}
	if len(c.Permissions) > 0 {
		steps = append(steps, func() error { return b.pw.GrantPermissions(c.Permissions) })
	}
	if headers := b.extraHeaders(c.ExtraHTTPHeaders); len(headers) > 0 {
		steps = append(steps, func() error { return b.pw.SetExtraHTTPHeaders(headers) })
	}
	for _, step := range steps {
		_, err := ask(ctx, b, "applying the options of the session", func() (struct{}, error) { return struct{}{}, step() })
		if fault := optionFault(err); fault != nil {
			return fault
		}
		if err != nil {
			return err
		}
	}
	return nil
}
