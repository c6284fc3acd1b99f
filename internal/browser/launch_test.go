package browser_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
	"github.com/browserhive/browserhive/internal/browser/install"
	"github.com/browserhive/browserhive/internal/contract"
)

func TestStealthPresentsChromeEverywhere(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	b := browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{
		Stealth: true, Context: &types.ContextOptions{Locale: contract.To("en-CA"), TimezoneID: contract.To("America/Toronto")},
	})
	if !b.Stealth() {
		t.Fatalf("no stealth: %q", b.Warnings())
	}

	id := b.Identity()
	if strings.Contains(id.UserAgent, "Headless") || !strings.Contains(id.UserAgent, "Chrome/") {
		t.Errorf("user agent %q", id.UserAgent)
	}
	if id.WebDriver {
		t.Error("navigator.webdriver is true")
	}
	if !slices.ContainsFunc(id.Brands, func(b browser.Brand) bool { return b.Brand == "Google Chrome" }) {
		t.Errorf("brands %v", id.Brands)
	}
	if !slices.Equal(id.Languages, []string{"en-CA", "en"}) || id.Timezone != "America/Toronto" {
		t.Errorf("languages %q, timezone %q", id.Languages, id.Timezone)
	}
	if id.Architecture == "" || id.Bitness == "" || id.Platform == "" || id.HardwareConcurrency < 1 || id.Screen.Width < 1 {
		t.Errorf("incomplete: %+v", id)
	}

	// The first request of the page, of a window that it opens, and what that window sees.
	page := activePage(t, b)
	headers := func(p *browser.Page) string {
		text, err := p.Evaluate(t.Context(), "document.body.innerText")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	open(t, page, site.URL+"/headers")
	if err := page.Click(t.Context(), "body", browser.ClickOptions{}, soon); err != nil { // A gesture, as popups need.
		t.Fatal(err)
	}
	evaluate(t, page, "void window.open('/headers')")
	popup := nextPage(t, b, "t2")
	if err := popup.WaitForLoadState(t.Context(), "load", soon); err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]*browser.Page{"page": page, "popup": popup} {
		got := headers(p)
		for _, want := range []string{"Accept-Language: en-CA,en", `Google Chrome`, "User-Agent: " + id.UserAgent} {
			if !strings.Contains(strings.ReplaceAll(got, `\"`, `"`), want) {
				t.Errorf("%s: the request lacks %q:\n%s", name, want, got)
			}
		}
		if strings.Contains(got, "Headless") {
			t.Errorf("%s: the request says headless:\n%s", name, got)
		}
		if seen := evaluate(t, p, "[navigator.webdriver, navigator.userAgent, navigator.userAgentData.brands.some(b => b.brand === 'Google Chrome')]"); seen != `[false,"`+id.UserAgent+`",true]` {
			t.Errorf("%s: sees %s", name, seen)
		}
	}
}

func TestWithoutStealthTheBrowserSaysWhatItIs(t *testing.T) {
	t.Parallel()
	b := browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{Engine: types.EnginePlaywright})
	if b.Stealth() || !b.Identity().WebDriver || !strings.Contains(b.Identity().UserAgent, "Headless") {
		t.Errorf("stealth %v, identity %+v", b.Stealth(), b.Identity())
	}
	if v := b.Identity().Viewport; v == nil || v.Width != 1280 {
		t.Errorf("viewport %v", v)
	}
}

func TestMissingPartsAreNotInstalled(t *testing.T) {
	t.Parallel()
	full := browsertest.Installation(t)
	for name, lose := range map[string]func(*install.Installation){
		"driver":   func(i *install.Installation) { i.DriverDir = "" },
		"patch":    func(i *install.Installation) { i.Patched = false },
		"node":     func(i *install.Installation) { i.Node = "" },
		"chromium": func(i *install.Installation) { i.Chromium = "" },
	} {
		part := full
		lose(&part)
		if len(part.Missing()) != 1 {
			t.Errorf("%s: missing %q", name, part.Missing())
		}
		drivers := browser.NewDrivers(browser.DriverOptions{
			Root: shortDir(t), Installation: func() install.Installation { return part }, Env: os.Getenv, InstallCommand: "bh init --dataDir /d",
		})
		_, err := drivers.Launch(t.Context(), browser.LaunchOptions{Channel: "chromium", Headless: true, Stealth: true})
		wantCode(t, err, errcode.CodeBrowserNotInstalled)
		// What is missing is named, and the command knows where.
		if text := err.Error(); !strings.Contains(text, part.Missing()[0]) || !strings.Contains(text, "'bh init --dataDir /d'") {
			t.Errorf("%s: %s", name, text)
		}
		browsertest.Stop(t, drivers)
	}
	if full.Missing() != nil {
		t.Errorf("missing %q", full.Missing())
	}
}

func TestBrowserThatDoesNotStartHasCrashed(t *testing.T) {
	t.Parallel()
	found := browsertest.Installation(t)
	found.Chromium = found.Node // A program, but no browser.
	drivers := browsertest.New(shortDir(t), found, os.Getenv)
	defer browsertest.Stop(t, drivers)
	_, err := drivers.Launch(t.Context(), browser.LaunchOptions{Channel: "chromium", Headless: true})
	wantCode(t, err, errcode.CodeBrowserCrashed)
}

func TestLaunchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	drivers := browsertest.New(shortDir(t), browsertest.Installation(t), os.Getenv)
	defer browsertest.Stop(t, drivers)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err := drivers.Launch(ctx, browser.LaunchOptions{Channel: "chromium", Headless: true})
	wantCode(t, err, errcode.CodeCallTimeout)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = drivers.Launch(cancelled, browser.LaunchOptions{Channel: "chromium", Headless: true})
	wantCode(t, err, errcode.CodeCallCancelled)
}

func TestCloseLeavesNothingButTheProfile(t *testing.T) {
	t.Parallel()
	root := shortDir(t)
	drivers := browsertest.New(root, browsertest.Installation(t), os.Getenv)
	profile := filepath.Join(root, "sessions", "one", "profile")
	b := browsertest.Launch(t, drivers, browser.LaunchOptions{ProfileDir: profile})
	if info, err := os.Stat(profile); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the profile: %v, %v", info, err)
	}
	record, err := os.ReadFile(profile + ".pid")
	if err != nil || !strings.Contains(string(record), `"pid":`) {
		t.Errorf("the record of the process: %s, %v", record, err)
	}
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	select {
	case <-b.Done():
	default:
		t.Error("Done is open after Close")
	}
	if b.Err() != nil {
		t.Errorf("Err is %v after Close", b.Err())
	}
	if err := b.Close(t.Context()); err != nil {
		t.Errorf("closing again: %v", err)
	}
	if alive(b.PID()) {
		t.Error("the process runs on")
	}
	if _, err := os.Stat(filepath.Join(profile, "Default")); err != nil {
		t.Errorf("the profile did not stay: %v", err)
	}
	if _, err := os.Stat(profile + ".pid"); err == nil {
		t.Error("the record of the process stayed")
	}
	browsertest.Stop(t, drivers)
	if left, _ := filepath.Glob(filepath.Join(root, "tmp", "*")); len(left) > 0 {
		t.Errorf("temporary files stayed: %q", left)
	}
	_, err = drivers.Launch(t.Context(), browser.LaunchOptions{Channel: "chromium", Headless: true})
	if err == nil {
		t.Error("launched after Stop")
	}
}

func TestProfileOutlivesItsBrowser(t *testing.T) {
	t.Parallel()
	drivers, site := browsertest.Drivers(t), browsertest.Site(t)
	profile := filepath.Join(shortDir(t), "profile")
	for _, want := range []string{"null", `"kept"`} {
		b := browsertest.Launch(t, drivers, browser.LaunchOptions{ProfileDir: profile, Stealth: true})
		page := activePage(t, b)
		open(t, page, site.URL)
		if got := evaluate(t, page, "localStorage.getItem('k')"); got != want {
			t.Errorf("found %s, want %s", got, want)
		}
		evaluate(t, page, "localStorage.setItem('k', 'kept')")
		if err := b.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDeepDataDirectory(t *testing.T) {
	t.Parallel()
	root := filepath.Join(shortDir(t), strings.Repeat("deep/", 20))
	drivers := browsertest.New(root, browsertest.Installation(t), os.Getenv)
	defer browsertest.Stop(t, drivers)
	b := browsertest.Launch(t, drivers, browser.LaunchOptions{})
	if evaluate(t, activePage(t, b), "1") != "1" {
		t.Error("the browser does not work")
	}
}

func TestEnvironmentOfDriverAndBrowser(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("this platform does not show the environment of a process")
	}
	root := shortDir(t)
	env := func(name string) string {
		if value, ok := map[string]string{"BROWSERHIVE_TOKEN": "s", "TZ": "Asia/Tokyo", "HTTPS_PROXY": "http://it's:1"}[name]; ok {
			return value
		}
		return os.Getenv(name)
	}
	drivers := browsertest.New(root, browsertest.Installation(t), env)
	defer browsertest.Stop(t, drivers)
	b := browsertest.Launch(t, drivers, browser.LaunchOptions{})
	for name, pid := range map[string]int{"browser": b.PID(), "driver": parent(t, b.PID())} {
		content, err := os.ReadFile(filepath.Join("/proc", itoa(pid), "environ"))
		if err != nil {
			t.Fatal(err)
		}
		vars := strings.Split(strings.TrimRight(string(content), "\x00"), "\x00")
		for _, entry := range vars {
			key, value, _ := strings.Cut(entry, "=")
			switch {
			case slices.Contains([]string{"PATH", "HOME", "TZ", "PWD", "HTTPS_PROXY", "NODE_EXTRA_CA_CERTS"}, key), strings.HasPrefix(key, "LANG"), strings.HasPrefix(key, "LC_"), strings.HasSuffix(strings.ToLower(key), "_proxy"):
			case key == "TMPDIR" && strings.HasPrefix(value, root):
			case strings.HasPrefix(key, "CHROME_") || strings.HasPrefix(key, "GOOGLE_"): // Chromium sets these itself.
			default:
				t.Errorf("%s sees %s", name, entry)
			}
		}
		for _, want := range []string{"TZ=Asia/Tokyo", "HTTPS_PROXY=http://it's:1"} {
			if !slices.Contains(vars, want) {
				t.Errorf("%s lacks %s in %q", name, want, vars)
			}
		}
	}
}

func wantCode(t *testing.T, err error, want contract.Code) {
	t.Helper()
	if got := contract.CodeOf(err); got != want {
		t.Errorf("error %v, want the code %s", err, want)
	}
}
