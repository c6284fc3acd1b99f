package browser

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // Time zones are checked by name, also on hosts without a list of them.

	"github.com/mxschmitt/playwright-go"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/stealth"
)

// longestSlowMo is the longest pause before each operation that is honoured: a call makes dozens of them and
// has to end within its timeout.
const longestSlowMo = time.Second

// CheckOptions refuses options that a session may not have: UNSAFE_LAUNCH_ARG with the option's name, never
// its value, and INVALID_ARGUMENTS for values that no browser takes. local is whether the caller is the
// host's own user, who alone may choose the executable.
func CheckOptions(l *types.LaunchOptions, c *types.ContextOptions, local bool) error {
	if l == nil {
		l = &types.LaunchOptions{}
	}
	if c == nil {
		c = &types.ContextOptions{}
	}
	if name := unknownOption(l, c); name != "" {
		return errcode.UnsafeLaunchArg{Arg: name}.Err()
	}
	if name := CheckSwitches(l.Args); name != "" {
		return errcode.UnsafeLaunchArg{Arg: name}.Err()
	}
	if l.ExecutablePath != nil {
		if !local {
			return errcode.UnsafeLaunchArg{Arg: "launch_options.executablePath"}.Err()
		}
		if info, err := os.Stat(*l.ExecutablePath); err != nil || !info.Mode().IsRegular() || !filepath.IsAbs(*l.ExecutablePath) {
			return invalidArgument("launch_options.executablePath", "names no program on the server by an absolute path", err)
		}
	}
	for path, p := range map[string]*types.ProxyOptions{"launch_options": l.Proxy, "context_options": c.Proxy} {
		if p == nil {
			continue
		}
		address, _, ok := proxyAddress(p.Server)
		if !ok {
			return invalidArgument(path+".proxy.server", "is not the address of an http, https, socks4 or socks5 proxy", nil)
		}
		if proxyFor(p).Username != nil && strings.HasPrefix(address, "socks") {
			return invalidArgument(path+".proxy.username", "Chromium cannot authenticate to a SOCKS proxy", nil)
		}
	}
	return checkContext(c)
}

// viewportOption is among the extra keys when it is null, which lets pages follow the window.
const viewportOption = "context_options.viewport"

// unknownOption is the first option, in order of name, that the contract does not name, or "".
func unknownOption(l *types.LaunchOptions, c *types.ContextOptions) string {
	var names []string
	add := func(prefix string, extra map[string]json.RawMessage) {
		for key := range extra {
			if prefix+key != viewportOption {
				names = append(names, prefix+key)
			}
		}
	}
	add("launch_options.", l.Extra)
	add("context_options.", c.Extra)
	if l.Proxy != nil {
		add("launch_options.proxy.", l.Proxy.Extra)
	}
	if c.Proxy != nil {
		add("context_options.proxy.", c.Proxy.Extra)
	}
	if c.Geolocation != nil {
		add("context_options.geolocation.", c.Geolocation.Extra)
	}
	if c.HTTPCredentials != nil {
		add("context_options.httpCredentials.", c.HTTPCredentials.Extra)
	}
	if len(names) == 0 {
		return ""
	}
	return slices.Min(names)
}

var languageTag = regexp.MustCompile(`^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$`)

func checkContext(c *types.ContextOptions) error {
	if c.Locale != nil && !languageTag.MatchString(*c.Locale) {
		return invalidArgument("context_options.locale", "is not a language tag such as de-DE", nil)
	}
	if c.TimezoneID != nil {
		if _, err := time.LoadLocation(*c.TimezoneID); err != nil || *c.TimezoneID == "" || *c.TimezoneID == "Local" {
			return invalidArgument("context_options.timezoneId", "is not an IANA time zone such as Europe/Berlin", err)
		}
	}
	if f := c.DeviceScaleFactor; f != nil && (*f <= 0 || *f > largestScale) {
		return invalidArgument("context_options.deviceScaleFactor", fmt.Sprintf("must be above 0 and at most %d", largestScale), nil)
	}
	if v := c.Viewport; v != nil && max(v.Width, v.Height) > maxViewport {
		return invalidArgument(viewportOption, fmt.Sprintf("must not exceed %d pixels a side", maxViewport), nil)
	}
	for _, name := range slices.Sorted(maps.Keys(c.ExtraHTTPHeaders)) {
		if fault := headerFault(strings.ToLower(name), c.ExtraHTTPHeaders[name]); fault != "" {
			return invalidArgument("context_options.extraHTTPHeaders."+name, fault, nil)
		}
	}
	if h := c.HTTPCredentials; h != nil && h.Origin != nil {
		if u, err := url.Parse(*h.Origin); err != nil || u.Host == "" {
			return invalidArgument("context_options.httpCredentials.origin", "is not an origin such as https://example.com", nil)
		}
	}
	return nil
}

// largestScale is the most device pixels per CSS pixel that a page is drawn with; no display has five.
const largestScale = 10

// launchFaults are the driver's words for a value that only it can check, and the option that has it.
var launchFaults = []struct{ theirs, option, ours string }{
	{"Unknown permission", "context_options.permissions", "names a permission that Chromium does not have"},
	{"Invalid timezone ID", "context_options.timezoneId", "is not a time zone that Chromium knows"},
	{"is not supported with null \"viewport\"", viewportOption, "is needed for deviceScaleFactor, and isMobile"},
	{"Invalid Locale", "context_options.locale", "is not a locale that Chromium knows"},
}

// optionFault is INVALID_ARGUMENTS when the driver refused an option, or nil.
func optionFault(err error) error {
	if err == nil {
		return nil
	}
	message, _ := driverMessage(err)
	for _, f := range launchFaults {
		if strings.Contains(message, f.theirs) {
			return invalidArgument(f.option, f.ours, brief(err))
		}
	}
	return nil
}

// choose adds what the caller chose to the launch, behind what the identity asks for.
func (b *Browser) choose(options *playwright.BrowserTypeLaunchPersistentContextOptions) {
	l, c := b.options.Launch, b.options.Context
	proxy := chosenProxy(l, c)
	if l != nil {
		options.Args = append(options.Args, proxySwitches(l.Args, proxy != nil)...)
		if l.SlowMo != nil {
			pause := time.Duration(*l.SlowMo * float64(time.Millisecond))
			if *l.SlowMo > float64(longestSlowMo.Milliseconds()) {
				pause = longestSlowMo
				b.warnings = append(b.warnings, fmt.Sprintf("slowMo is %v, the longest that calls have time for.", longestSlowMo))
			}
			options.SlowMo = milliseconds(pause)
		}
		if l.ExecutablePath != nil {
			b.warnings = append(b.warnings, string(errcode.CodeExecutablePathOverride)+": the session runs the given executable, not the channel's.")
		}
	}
	if proxy != nil {
		options.Proxy = proxyFor(proxy)
	}
	if c == nil {
		return
	}
	options.DeviceScaleFactor, options.IsMobile, options.HasTouch = c.DeviceScaleFactor, c.IsMobile, c.HasTouch
	options.IgnoreHttpsErrors = c.IgnoreHTTPSErrors
	if c.Viewport != nil {
		options.Viewport = &playwright.Size{Width: int(c.Viewport.Width), Height: int(c.Viewport.Height)}
		options.NoViewport = nil
	}
	if _, null := c.Extra["viewport"]; null {
		options.NoViewport = playwright.Bool(true)
	}
	if c.ColorScheme != nil {
		scheme := playwright.ColorScheme(*c.ColorScheme)
		options.ColorScheme = &scheme
	}
	if h := c.HTTPCredentials; h != nil {
		options.HttpCredentials = &playwright.HttpCredentials{Username: h.Username, Password: h.Password, Origin: h.Origin}
	}
	if c.UserAgent != nil {
		options.UserAgent = c.UserAgent
	}
}

// extraHeaders are the caller's headers without those that would contradict a stealth identity.
func (b *Browser) extraHeaders(own map[string]string) map[string]string {
	if !b.stealthy {
		return own
	}
	kept := map[string]string{}
	for name, value := range own {
		if lower := strings.ToLower(name); stealth.StatesIdentity(lower) {
			b.warnings = append(b.warnings, "The header "+lower+" is left to the stealth identity.")
			continue
		}
		kept[name] = value
	}
	return kept
}

// plain reports whether nothing but the build decides what secure pages see.
func (o LaunchOptions) plain() bool {
	return (o.Launch == nil || len(o.Launch.Args) == 0) &&
		(o.Context == nil || o.Context.UserAgent == nil && o.Context.IsMobile == nil)
}
