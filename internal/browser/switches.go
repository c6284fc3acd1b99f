package browser

import (
	"fmt"
	"regexp"
	"strings"
)

// This file decides which command-line switches of Chromium a caller may add. Chromium has some two
// thousand, so they are not listed one by one: a switch is refused when a word of its name says that it
// names a path of the host, starts a program, loads code, opens debugging, or weakens the sandbox or the
// isolation of sites. Switches whose name does not say so are refused by name.

// switchForm is the one spelling that is taken. Chromium also knows -name, /name on Windows, blanks around
// a switch, and any case there; each would be a way around a list of names.
var switchForm = regexp.MustCompile(`^--([a-z0-9]+(?:-[a-z0-9]+)*)(?:=([^\x00-\x1f\x7f]*))?$`)

// deniedParts are refused wherever they stand in a name, also inside a word.
var deniedParts = []string{
	"sandbox", "zygote", "seccomp", "debug", "devtools", "profil", "extension", "plugin", "unsafe", "insecure", "isolat",
	"launcher", "subprocess", "crash", "breakpad", "dump", "logging", "netlog", "tracing", "fieldtrial", "variation",
	"keychain", "userdata", "webdriver", "automation", "screenshot", "gssapi", "widevine", "in-process", "process-per",
}

// deniedWords are refused as a whole word of a name.
var deniedWords = words(`
	dir dirs directory path paths file files folder location
	binary cmd command exec executable prefix library native script
	load import install uninstall pack register app apps webapp pwa component components updater update
	log logs trace record recording recordings replay store metrics diagnostics print pdf repl
	remote pipe port fd handle descriptor ipc mojo messaging broker service
	policy policies enterprise management enrollment test testing tests trial trials auth authenticator
	key keys password oauth scheme bindings benchmarking gaia guest incognito bwsi homepage startup restart restore
`)

// deniedNames are refused though no word of theirs says why.
var deniedNames = words(`
	disable-web-security disable-features enable-features enable-blink-features enable-experimental-web-platform-features
	single-process js-flags blink-settings user-agent headless type display silent-launch make-default-browser
	virtual-time-budget timeout deterministic-mode version product-version help
`)

// harmless switches carry a word of the lists above and only take something away from pages.
var harmless = words(`
	disable-extensions disable-plugins disable-plugins-discovery disable-logging disable-breakpad disable-crash-reporter
	disable-component-update disable-default-apps disable-file-system disable-remote-fonts disable-remote-playback-api
	disable-component-extensions-with-background-pages site-per-process isolate-origins
	no-service-autorun disable-print-preview autoplay-policy
`)

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// CheckSwitches returns the name of the first switch that a session may not have, or "". A name never
// holds what follows "=", and what is no switch at all is named by its place, because either may be a
// secret.
func CheckSwitches(args []string) (refused string) {
	for i, arg := range args {
		m := switchForm.FindStringSubmatch(arg)
		if m == nil {
			return oddSwitch(i, arg)
		}
		if name, value := m[1], m[2]; deniedSwitch(name) || namesFile(value) {
			return "--" + name
		}
	}
	return ""
}

func deniedSwitch(name string) bool {
	if harmless[name] {
		return false
	}
	if deniedNames[name] {
		return true
	}
	for _, part := range deniedParts {
		if strings.Contains(name, part) {
			return true
		}
	}
	for word := range strings.SplitSeq(name, "-") {
		if deniedWords[word] {
			return true
		}
	}
	return false
}

// hostPath is a value that begins as an absolute path does, here or on Windows.
var hostPath = regexp.MustCompile(`^(?:["']?(?:[/~\\]|[A-Za-z]:[/\\]))`)

// namesFile reports whether a value is a path of the host, which no switch that is left needs. It also
// holds back --proxy-pac-url=file:….
func namesFile(value string) bool {
	value = strings.TrimSpace(value)
	return hostPath.MatchString(value) || strings.Contains(strings.ToLower(value), "file:")
}

// oddSwitch names an argument that is not written --name or --name=value.
func oddSwitch(i int, arg string) string {
	const longest = 60 // No switch of Chromium is longer.
	name, _, _ := strings.Cut(strings.TrimSpace(arg), "=")
	trimmed := strings.TrimLeft(name, "-")
	if trimmed == name || trimmed == "" || len(name) > longest || strings.ContainsFunc(name, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		return fmt.Sprintf("args[%d]", i)
	}
	return name
}
