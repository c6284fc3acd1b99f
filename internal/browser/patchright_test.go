package browser_test

import (
	"os"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
	"github.com/browserhive/browserhive/internal/browser/install"
)

// watched is true where somebody reads what the page writes to its console, as a debugger does.
const watched = `(() => {
	let read = false;
	Error.prepareStackTrace = () => { read = true; return ""; };
	console.debug(new Error("probe"));
	Error.prepareStackTrace = undefined;
	return read;
})()`

func TestPatchrightHidesThatSomebodyWatches(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	for engine, want := range map[types.Engine]string{types.EnginePlaywright: "true", types.EnginePatchright: "false"} {
		b := browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{Stealth: true, Engine: engine})
		if b.Engine() != engine || !b.Stealth() || b.Identity().WebDriver {
			t.Errorf("%s: on %s, stealth %v, %+v", engine, b.Engine(), b.Stealth(), b.Identity())
		}
		page := activePage(t, b)
		open(t, page, site.URL)
		if got := evaluate(t, page, watched); got != want {
			t.Errorf("%s: a page can tell that it is watched: %s, want %s", engine, got, want)
		}
		if got := evaluate(t, page, "navigator.userAgentData === undefined || navigator.webdriver"); engine == types.EnginePatchright && got != "false" {
			t.Errorf("%s: the identity is not whole: %s", engine, got)
		}
	}
}

// What sessions promise whatever they run on: a password that stays hidden, a blocked document behind a
// redirect that does not open, a ref that means its own document, a way back.
func TestPatchrightKeepsThePromises(t *testing.T) {
	t.Parallel()
	site := newGuarded(t)
	b := browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{
		Stealth: true, Engine: types.EnginePatchright, BlocksDocument: site.blocks,
	})
	page := activePage(t, b)
	open(t, page, site.URL+"/open")
	evaluate(t, page, `void document.body.insertAdjacentHTML("beforeend", '<input type="password" aria-label="Secret" value="tulip-4711"><button>Own</button>')`)
	first, err := page.Snapshot(t.Context(), browser.SnapshotOptions{})
	if err != nil || !strings.Contains(first.Tree, "Secret") || strings.Contains(first.Tree, "tulip") {
		t.Errorf("the snapshot of a password: %v\n%s", err, first.Tree)
	}
	_, ref, _ := strings.Cut(first.Tree, `button "Own" [ref=`)
	ref, _, found := strings.Cut(ref, "]")
	if !found {
		t.Fatalf("the button has no ref:\n%s", first.Tree)
	}
	open(t, page, site.URL+"/worker")
	if _, err := page.Snapshot(t.Context(), browser.SnapshotOptions{}); err != nil {
		t.Error(err)
	}
	wantCode(t, page.Click(t.Context(), ref, browser.ClickOptions{}, brief), errcode.CodeElementNotFound)
	_, err = page.Goto(t.Context(), site.URL+"/far", "load", soon)
	wantBlocked(t, err, "/blocked/hop")
	if site.received("/blocked/hop") != 0 {
		t.Error("the server of the blocked document was asked for it")
	}
	if err := page.Back(t.Context(), "load", soon); err != nil || !strings.HasSuffix(page.URL(), "/worker") {
		t.Errorf("going back: %v at %s", err, page.URL())
	}
}

func TestNothingStartsOnPatchrightWithoutIt(t *testing.T) {
	t.Parallel()
	found := browsertest.Installation(t)
	if found.PatchrightDir == "" {
		t.Fatal("the tests have no Patchright")
	}
	for use, want := range map[install.Use]types.Engine{
		install.PatchrightNever:       types.EnginePlaywright,
		install.PatchrightIfInstalled: types.EnginePlaywright,
		install.PatchrightRequired:    types.EnginePatchright,
	} {
		for _, dir := range []string{"", found.PatchrightDir} {
			part := found
			part.PatchrightDir = dir
			drivers := browser.NewDrivers(browser.DriverOptions{
				Root: shortDir(t), Installation: func() install.Installation { return part }, Patchright: use, Env: os.Getenv,
			})
			want := want
			if dir != "" && use == install.PatchrightIfInstalled {
				want = types.EnginePatchright
			}
			if stealth, plain := drivers.Engine(true), drivers.Engine(false); stealth != want || plain != types.EnginePlaywright {
				t.Errorf("use %d, installed %v: %s with stealth, %s without", use, dir != "", stealth, plain)
			}
			if dir == "" && use == install.PatchrightRequired {
				_, err := drivers.Launch(t.Context(), browser.LaunchOptions{Channel: "chromium", Headless: true, Stealth: true, Engine: drivers.Engine(true)})
				wantCode(t, err, errcode.CodeBrowserNotInstalled)
			}
			browsertest.Stop(t, drivers)
		}
	}
}
