package browser_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
	"github.com/browserhive/browserhive/internal/contract"
)

// A profile that a browser on another host seems to hold, because it crashed there, opens all the same.
func TestLockedProfileOpens(t *testing.T) {
	t.Parallel()
	profile := filepath.Join(shortDir(t), "userdata")
	if err := os.MkdirAll(profile, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("another-host-1", filepath.Join(profile, "SingletonLock")); err != nil {
		t.Fatal(err)
	}
	b := browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{ProfileDir: profile})
	if held, _ := os.Readlink(filepath.Join(profile, "SingletonLock")); strings.HasPrefix(held, "another-host") {
		t.Errorf("the profile is still held by %s", held)
	}
	activePage(t, b)
}

// What a profile is completed with goes over what it holds, and leaves its databases alone.
func TestProfileStateLeavesDatabases(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	profile := filepath.Join(shortDir(t), "userdata")
	drivers := browsertest.Drivers(t)
	first := browsertest.Launch(t, drivers, browser.LaunchOptions{ProfileDir: profile})
	page := activePage(t, first)
	open(t, page, site.URL+"/form")
	evaluate(t, page, `new Promise(ok => { indexedDB.open('kept').onsuccess = () => ok(1); localStorage.old = 'yes'; })`)
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	state, err := json.Marshal(map[string]any{
		"cookies": []any{map[string]any{"name": "c", "value": "v", "domain": "127.0.0.1", "path": "/"}},
		"origins": []any{map[string]any{"origin": site.URL, "localStorage": []any{map[string]any{"name": "new", "value": "yes"}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	second := browsertest.Launch(t, drivers, browser.LaunchOptions{ProfileDir: profile, ProfileState: state})
	page = activePage(t, second)
	open(t, page, site.URL+"/form")
	if got := evaluate(t, page, `indexedDB.databases().then(all => [all.map(d => d.name), localStorage.old, localStorage.new, document.cookie].join())`); got != `"kept,,yes,c=v"` {
		t.Errorf("the page finds %s", got)
	}
	if n := len(second.Pages()); n != 1 {
		t.Errorf("%d tabs", n)
	}
}

func TestStorageStateOfALostBrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{})
	process, err := os.FindProcess(b.PID())
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-b.Done()
	if _, err := b.StorageState(t.Context()); contract.CodeOf(err) != errcode.CodeBrowserCrashed {
		t.Errorf("%v", err)
	}
}
