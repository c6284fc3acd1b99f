package browser_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
	"github.com/browserhive/browserhive/internal/contract"
)

// prepare starts a browser ahead for launches like o.
func prepare(t *testing.T, drivers *browser.Drivers, o browser.LaunchOptions) *browser.Browser {
	t.Helper()
	ahead, _, ok := o.Ahead()
	if !ok {
		t.Fatal("such a launch cannot be prepared")
	}
	prepared, err := drivers.Prepare(t.Context(), ahead)
	if err != nil {
		t.Fatal(err)
	}
	return prepared
}

// A session cannot tell whether its browser was there before it.
func TestAdoptedBrowserIsLikeALaunchedOne(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	found := browsertest.Installation(t)
	root := shortDir(t)
	drivers := browsertest.New(root, found, os.Getenv)
	defer browsertest.Stop(t, drivers)
	state, err := json.Marshal(map[string]any{
		"cookies": []any{},
		"origins": []any{map[string]any{"origin": site.URL, "localStorage": []any{map[string]any{"name": "who", "value": "ann"}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	options := func(id string) browser.LaunchOptions {
		return browser.LaunchOptions{
			SessionID: id, Channel: "chromium", Headless: true, Stealth: true, StorageState: state,
			Context: &types.ContextOptions{
				Locale: contract.To("de-DE"), TimezoneID: contract.To("Asia/Tokyo"), Viewport: &types.Viewport{Width: 800, Height: 600},
				Geolocation: &types.ContextOptionsGeolocation{Latitude: 48, Longitude: 11}, Permissions: []string{"geolocation"},
				ExtraHTTPHeaders: map[string]string{"X-Own": "yes", "Accept-Language": "fr"},
			},
			BlocksDocument: func(url string) (string, bool) { return "popup", strings.HasSuffix(url, "/popup") },
		}
	}
	// look is everything that a session shows of its browser.
	look := func(b *browser.Browser) map[string]any {
		page := activePage(t, b)
		seen := map[string]any{
			"tab": page.ID(), "address": page.URL(), "tabs": len(b.Pages()), "navigations": b.NavigationCount(),
			"identity": b.Identity(), "stealth": b.Stealth(), "warnings": b.Warnings(),
		}
		open(t, page, site.URL+"/headers")
		seen["headers"] = evaluate(t, page, "document.body.innerText")
		seen["size"] = evaluate(t, page, "[innerWidth, innerHeight]")
		seen["storage"] = evaluate(t, page, "localStorage.who + document.cookie")
		seen["place"] = evaluate(t, page, "new Promise(done => navigator.geolocation.getCurrentPosition(p => done(p.coords.latitude), e => done(e.message)))")
		seen["zone"] = evaluate(t, page, "Intl.DateTimeFormat().resolvedOptions().timeZone + navigator.languages + history.length")
		next, err := b.NewTab(t.Context(), "", "load", soon)
		if err != nil {
			t.Fatal(err)
		}
		seen["next tab"] = next.ID() + evaluate(t, next, "[innerWidth, innerHeight]")
		_, err = next.Goto(t.Context(), site.URL+"/popup", "load", soon)
		seen["blocked"] = contract.CodeOf(err)
		return seen
	}

	prepared := prepare(t, drivers, options("adopted-00000001"))
	adopted, err := drivers.Adopt(t.Context(), prepared, options("adopted-00000001"))
	if err != nil {
		t.Fatal(err)
	}
	if adopted.PID() != prepared.PID() {
		t.Error("it is another process")
	}
	if err := prepared.Close(t.Context()); err != nil || adopted.Err() != nil {
		t.Fatalf("what was handed over still ends the browser: %v, %v", err, adopted.Err())
	}
	launched := browsertest.Launch(t, drivers, options("launched-00000001"))
	cold, warm := look(launched), look(adopted)
	for what, want := range cold {
		if got := warm[what]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v with an adopted browser, %+v with a launched one", what, got, want)
		}
	}
	if cold["blocked"] != errcode.CodeURLBlocked || cold["place"] != "48" || !strings.Contains(cold["storage"].(string), "ann") {
		t.Errorf("the options are not in force: %v", cold)
	}
	_, err = adopted.Page("t9")
	wantCode(t, err, errcode.CodeTabNotFound)
	if !strings.Contains(err.Error(), "adopted-00000001") {
		t.Errorf("an error names another session: %v", err)
	}

	pid := adopted.PID()
	if err := adopted.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if alive(pid) {
		t.Error("the adopted browser outlives its session")
	}
	if err := launched.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	entries, err := filepath.Glob(filepath.Join(root, "tmp", "b*"))
	if err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v %v", entries, err)
	}
}

// Options that turn out wrong only when a session adopts the browser are refused as they are at a launch.
func TestAdoptionRefusesWhatALaunchRefuses(t *testing.T) {
	t.Parallel()
	drivers := browsertest.Drivers(t)
	o := browser.LaunchOptions{
		SessionID: "adopted-00000002", Channel: "chromium", Headless: true,
		Context: &types.ContextOptions{Permissions: []string{"flying"}},
	}
	prepared := prepare(t, drivers, o)
	_, err := drivers.Adopt(t.Context(), prepared, o)
	wantCode(t, err, errcode.CodeInvalidArguments)
	if alive(prepared.PID()) {
		t.Error("the browser outlives the refusal")
	}
	_, err = drivers.Launch(t.Context(), o)
	wantCode(t, err, errcode.CodeInvalidArguments)
}

// A prepared browser that nobody takes ends with the drivers.
func TestPreparedBrowserEndsWithTheDrivers(t *testing.T) {
	t.Parallel()
	root := shortDir(t)
	drivers := browsertest.New(root, browsertest.Installation(t), os.Getenv)
	o := browser.LaunchOptions{SessionID: "adopted-00000003", Channel: "chromium", Headless: true}
	prepared := prepare(t, drivers, o)
	browsertest.Stop(t, drivers)
	if alive(prepared.PID()) {
		t.Error("it outlives them")
	}
	entries, err := os.ReadDir(filepath.Join(root, "tmp"))
	if err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v %v", entries, err)
	}
	_, err = drivers.Adopt(t.Context(), prepared, o)
	wantCode(t, err, errcode.CodeCallCancelled)
}

func TestLaunchesOfOneKeyDifferOnlyInWhatAnyBrowserTakes(t *testing.T) {
	t.Parallel()
	base := browser.LaunchOptions{Channel: "chromium", Headless: true}
	_, plain, ok := base.Ahead()
	if !ok || plain == "" {
		t.Fatal("the plainest launch cannot be prepared")
	}
	for name, c := range map[string]struct {
		change   func(*browser.LaunchOptions)
		prepared bool
		same     bool
	}{
		"session":       {func(o *browser.LaunchOptions) { o.SessionID = "shop-00000001" }, true, true},
		"empty options": {func(o *browser.LaunchOptions) { o.Launch, o.Context = &types.LaunchOptions{}, &types.ContextOptions{} }, true, true},
		"login": {func(o *browser.LaunchOptions) {
			o.StorageState, o.Context = []byte(`{}`), &types.ContextOptions{StorageState: []byte(`"work"`)}
		}, true, true},
		"permissions": {func(o *browser.LaunchOptions) { o.Context = &types.ContextOptions{Permissions: []string{"camera"}} }, true, true},
		"headers": {func(o *browser.LaunchOptions) {
			o.Context = &types.ContextOptions{ExtraHTTPHeaders: map[string]string{"a": "b"}}
		}, true, true},
		"place": {func(o *browser.LaunchOptions) {
			o.Context = &types.ContextOptions{Geolocation: &types.ContextOptionsGeolocation{}}
		}, true, true},
		"channel":  {func(o *browser.LaunchOptions) { o.Channel = "chrome" }, true, false},
		"window":   {func(o *browser.LaunchOptions) { o.Headless = false }, true, false},
		"stealth":  {func(o *browser.LaunchOptions) { o.Stealth = true }, true, false},
		"engine":   {func(o *browser.LaunchOptions) { o.Engine = types.EnginePatchright }, true, false},
		"switches": {func(o *browser.LaunchOptions) { o.Launch = &types.LaunchOptions{Args: []string{"--mute-audio"}} }, true, false},
		"slowMo":   {func(o *browser.LaunchOptions) { o.Launch = &types.LaunchOptions{SlowMo: contract.To(5.0)} }, true, false},
		"locale":   {func(o *browser.LaunchOptions) { o.Context = &types.ContextOptions{Locale: contract.To("de")} }, true, false},
		"viewport": {func(o *browser.LaunchOptions) {
			o.Context = &types.ContextOptions{Viewport: &types.Viewport{Width: 1, Height: 1}}
		}, true, false},
		"no viewport": {func(o *browser.LaunchOptions) {
			o.Context = &types.ContextOptions{Extra: map[string]json.RawMessage{"viewport": []byte("null")}}
		}, true, false},
		"profile": {func(o *browser.LaunchOptions) { o.ProfileDir = "/p" }, false, false},
		"program": {func(o *browser.LaunchOptions) { o.Launch = &types.LaunchOptions{ExecutablePath: contract.To("/b")} }, false, false},
		"proxy": {func(o *browser.LaunchOptions) {
			o.Launch = &types.LaunchOptions{Proxy: &types.ProxyOptions{Server: "p"}}
		}, false, false},
		"proxy switch": {func(o *browser.LaunchOptions) {
			o.Launch = &types.LaunchOptions{Args: []string{"--proxy-server=u:p@h"}}
		}, false, false},
		"proxy of the context": {func(o *browser.LaunchOptions) {
			o.Context = &types.ContextOptions{Proxy: &types.ProxyOptions{Server: "p"}}
		}, false, false},
		"credentials": {func(o *browser.LaunchOptions) {
			o.Context = &types.ContextOptions{HTTPCredentials: &types.ContextOptionsHTTPCredentials{Username: "u"}}
		}, false, false},
	} {
		o := base
		c.change(&o)
		ahead, key, ok := o.Ahead()
		if ok != c.prepared || (ok && (key == plain) != c.same) {
			t.Errorf("%s: prepared %v, the same key %v", name, ok, key == plain)
		}
		if ok && ahead.Engine != o.Engine {
			t.Errorf("%s: what is prepared runs on another engine", name)
		}
		if ok && (ahead.SessionID != "" || ahead.StorageState != nil) {
			t.Errorf("%s: what is prepared knows the session", name)
		}
	}
}
