package browser_test

import (
	"strings"
	"testing"

	"github.com/browserhive/browserhive/internal/browser"
)

// denied are switches that a session may not have, with a value where they take one.
var denied = []string{
	"user-data-dir=/tmp/x", "profile-directory=Default", "disk-cache-dir=/tmp/x", "no-sandbox", "disable-setuid-sandbox",
	"disable-web-security", "disable-site-isolation-trials", "disable-features=IsolateOrigins", "single-process", "no-zygote",
	"remote-debugging-port=9222", "remote-debugging-pipe", "remote-debugging-address=0.0.0.0", "remote-allow-origins=*",
	// Paths of the host.
	"crash-dumps-dir=x", "media-cache-dir=x", "log-file=x", "ssl-key-log-file=x", "log-net-log=x", "trace-startup-file=x",
	"use-file-for-fake-video-capture=x", "use-file-for-fake-audio-capture=x", "allow-file-access-from-files", "homedir=/root",
	"data-path=x", "download-default-directory=x", "load-extension=x", "disable-extensions-except=x", "enable-logging=stderr",
	// Programs and code.
	"renderer-cmd-prefix=xterm", "gpu-launcher=x", "utility-cmd-prefix=x", "browser-subprocess-path=x", "ppapi-plugin-launcher=x",
	"register-pepper-plugins=x", "gssapi-library-name=x", "js-flags=--allow-natives-syntax", "load-component-extension=x",
	"component-updater=url-source=http://x", "load-apps=x", "app=http://x", "app-id=x", "install-chrome-app=x", "widevine-path=x",
	"pack-extension=x", "native-messaging-connect-host=x",
	// Debugging and automation.
	"auto-open-devtools-for-tabs", "custom-devtools-frontend=http://x", "wait-for-debugger", "enable-automation", "repl",
	"renderer-startup-dialog", "enable-crash-reporter", "print-to-pdf=x", "screenshot=x", "dump-dom",
	// Sandbox and site isolation.
	"disable-seccomp-filter-sandbox", "disable-namespace-sandbox", "allow-sandbox-debugging", "disable-gpu-sandbox",
	"in-process-gpu", "process-per-site", "process-per-tab", "disable-site-isolation-for-policy", "allow-running-insecure-content",
	"unsafely-treat-insecure-origin-as-secure=http://x", "enable-unsafe-webgpu", "enable-features=X", "enable-blink-features=MojoJS",
	"force-fieldtrials=X/Y", "variations-server-url=http://x", "disable-kill-after-bad-ipc", "allow-chrome-scheme-url", "enable-gpu-benchmarking",
	// Profile, headless, identity.
	"headless", "headless=old", "incognito", "guest", "user-agent=x", "type=renderer", "password-store=gnome", "use-mock-keychain",
	"auth-server-allowlist=*", "restore-last-session", "no-startup-window", "test-type", "make-default-browser",
	// A proxy script of the host.
	"proxy-pac-url=file:///etc/x", "proxy-pac-url=FILE:x", "proxy-pac-url= file:///x", "window-name=/etc/passwd", `x=C:\secret`,
}

func TestDeniedSwitchesInEverySpelling(t *testing.T) {
	t.Parallel()
	for _, d := range denied {
		name, value, _ := strings.Cut(d, "=")
		for _, spelling := range []string{
			"--" + d, "-" + d, "---" + d, "--" + strings.ToUpper(name) + "=" + value, "-" + strings.ToUpper(name[:1]) + name[1:],
			" --" + d, "--" + d + " ", "\t--" + d, "--" + name + " =" + value, "-- " + d, "--" + name + "\x00", "--" + d + "\n",
			"--" + strings.ReplaceAll(name, "-", "_") + "_=" + value, "/" + d, "\u2014" + d, d, "\"--" + d + "\"",
		} {
			refused := browser.CheckSwitches([]string{"--mute-audio", spelling})
			if refused == "" {
				t.Errorf("%q is taken", spelling)
			}
			if value != "" && value != "x" && strings.Contains(refused, value) {
				t.Errorf("%q is quoted with its value: %s", spelling, refused)
			}
		}
		if got := browser.CheckSwitches([]string{"--" + d}); got != "--"+name {
			t.Errorf("--%s is named %q", d, got)
		}
	}
}

func TestWhatIsNoSwitch(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]string{
		"": "args[0]", "--": "args[0]", "-": "args[0]", "http://u:p@example.com/": "args[0]", "about:blank": "args[0]",
		"file:///etc/passwd": "args[0]", "chrome://settings": "args[0]", "--=x": "args[0]", "--a\u200bb": "args[0]",
		"--" + strings.Repeat("A", 100): "args[0]", "--Mute-Audio=secret": "--Mute-Audio", "-mute-audio": "-mute-audio",
	} {
		if got := browser.CheckSwitches([]string{arg}); got != want {
			t.Errorf("%q is named %q, not %q", arg, got, want)
		}
	}
}

func TestHarmlessSwitches(t *testing.T) {
	t.Parallel()
	if refused := browser.CheckSwitches([]string{
		"--mute-audio", "--disable-gpu", "--window-size=1280,720", "--lang=de-DE", "--force-dark-mode", "--start-maximized",
		"--disable-extensions", "--disable-plugins", "--disable-remote-fonts", "--site-per-process", "--isolate-origins=https://example.com",
		"--disable-dev-shm-usage", "--autoplay-policy=no-user-gesture-required", "--force-device-scale-factor=2", "--disk-cache-size=1000", "--disable-notifications",
		"--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream", "--ignore-certificate-errors", "--hide-scrollbars",
		"--proxy-server=http://proxy.example:3128", "--proxy-bypass-list=*.example.com", "--proxy-pac-url=http://proxy.example/p.pac",
		"--proxy-auto-detect", "--no-proxy-server", "--host-resolver-rules=MAP a.example 127.0.0.1",
	}); refused != "" {
		t.Errorf("refused: %q", refused)
	}
}
