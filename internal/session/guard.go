package session

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
)

// A caller may set any switch of Chromium but those that would take a session out of its box: into the
// host's files, out of the sandbox, into another profile, under somebody else's debugger, or into programs
// and code that the caller names. Chromium has some two thousand switches and gains more, so the guard
// knows the dangerous kinds by the words in their names, and what does not fit a kind by name.

// deniedWords are words of a switch's name, between its hyphens, that mark a kind.
var deniedWords = map[string]string{
	"dir": "a place on the host", "path": "a place on the host", "file": "a place on the host", "files": "a place on the host",
	"folder": "a place on the host", "directory": "a place on the host", "profile": "another profile",
	"debugging": "a debugger", "debugger": "a debugger", "devtools": "a debugger", "inspector": "a debugger",
	"sandbox": "the sandbox", "zygote": "the sandbox", "prefix": "a program to start", "launcher": "a program to start",
	"subprocess": "a program to start", "extension": "code to load", "extensions": "code to load",
	"plugin": "code to load", "plugins": "code to load", "pepper": "code to load", "ppapi": "code to load",
	"unsafe": "a protection", "unsafely": "a protection", "insecure": "a protection", "install": "an installation",
	"isolation": "the separation of sites", "trace": "a place on the host", "logging": "a place on the host",
	"log": "a place on the host", "dump": "a place on the host", "dumps": "a place on the host",
	"crash": "the crash reporter", "crashpad": "the crash reporter", "breakpad": "the crash reporter",
}

// deniedNames are switches that no word gives away.
var deniedNames = map[string]bool{
	"disable-web-security": true, "disable-features": true, "enable-features": true, "single-process": true,
	"in-process-gpu": true, "no-startup-window": true, "app": true, "app-id": true, "kiosk": true, "js-flags": true,
	"enable-blink-features": true, "disable-blink-features": true, "user-agent": true, "accept-lang": true,
	"headless": true, "remote-debugging-io-pipes": true, "allow-running-insecure-content": true,
	"site-per-process": true, "disable-site-isolation-trials": true, "process-per-site": true, "process-per-tab": true,
	"renderer-process-limit": true, "type": true, "version": true, "product-version": true, "help": true,
	"make-default-browser": true, "restore-last-session": true, "incognito": true, "guest": true,
	"proxy-pac-url": true, "host-resolver-rules": true, "host-rules": true, "password-store": true,
	"enable-automation": true, "test-type": true, "load-extension": true, "custom-launcher-page": true,
	"force-fieldtrials": true, "force-fieldtrial-params": true, "variations-override": true, "component-updater": true,
	"gaia-config": true, "service-manager": true, "vmodule": true, "v": true, "batch": true, "print-to-pdf": true,
	"screenshot": true, "dump-dom": true, "repl": true, "timeout": true, "virtual-time-budget": true,
	"enable-service-binary-launcher": true, "mojo-platform-channel-handle": true, "field-trial-handle": true,
}

// allowedNames are switches that carry a denied word and do no harm.
var allowedNames = map[string]bool{"disable-extensions": true, "disable-plugins": true, "disable-crash-reporter": true}

// checkArgs refuses the first switch that a caller may not set, and what is no switch: Chromium would open
// it as an address.
func checkArgs(args []string) error {
	for _, a := range args {
		if !allowedArg(a) {
			return errcode.UnsafeLaunchArg{Arg: clipArg(a)}.Err()
		}
	}
	return nil
}

func allowedArg(a string) bool {
	// Chromium trims blanks and takes one hyphen as two; on Windows also a slash.
	a = strings.TrimSpace(a)
	name, ok := strings.CutPrefix(a, "--")
	if !ok {
		if name, ok = strings.CutPrefix(a, "-"); !ok {
			return false
		}
	}
	name, _, _ = strings.Cut(name, "=")
	name = strings.ToLower(strings.TrimSpace(name))
	if name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
	}) || name[0] == '-' {
		return false
	}
	if allowedNames[name] {
		return true
	}
	if deniedNames[name] {
		return false
	}
	for _, w := range strings.Split(name, "-") {
		if _, denied := deniedWords[w]; denied {
			return false
		}
	}
	return true
}

// clipArg bounds what an error quotes; what follows = may be a secret, such as a proxy's password.
func clipArg(a string) string {
	a, _, cut := strings.Cut(a, "=")
	if cut {
		a += "=…"
	}
	if r := []rune(a); len(r) > 80 {
		a = string(r[:80]) + "…"
	}
	return a
}

// checkOptions refuses options that the contract does not name, wherever they stand.
func checkOptions(l *types.LaunchOptions, c *types.ContextOptions) error {
	if l != nil {
		if name := extraKey(l.Extra, proxyExtra(l.Proxy)); name != "" {
			return errcode.UnsafeLaunchArg{Arg: "launch_options." + name}.Err()
		}
		if err := checkArgs(l.Args); err != nil {
			return err
		}
	}
	if c != nil {
		if name := extraKey(c.Extra, proxyExtra(c.Proxy)); name != "" {
			return errcode.UnsafeLaunchArg{Arg: "context_options." + name}.Err()
		}
	}
	return nil
}

func proxyExtra(p *types.ProxyOptions) map[string]json.RawMessage {
	if p == nil {
		return nil
	}
	return p.Extra
}

// extraKey is the first key that the contract does not name, in order of name, or "".
func extraKey(options, proxy map[string]json.RawMessage) string {
	var keys []string
	for k := range options {
		keys = append(keys, k)
	}
	for k := range proxy {
		keys = append(keys, "proxy."+k)
	}
	if len(keys) == 0 {
		return ""
	}
	return clipArg(slices.Min(keys))
}
