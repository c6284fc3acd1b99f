package browser_test

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/hosttest"
)

// soon is time enough for anything that should work, on a host as loaded as a build server.
var soon = hosttest.Limit(30 * time.Second)

// brief is how long tests wait for what must not happen, and long enough to find out why it does not.
var brief = hosttest.Pause(300 * time.Millisecond)

func activePage(t *testing.T, b *browser.Browser) *browser.Page {
	t.Helper()
	page, err := b.Page("")
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func open(t *testing.T, page *browser.Page, url string) {
	t.Helper()
	if _, err := page.Goto(t.Context(), url, "load", soon); err != nil {
		t.Fatalf("opening %s: %v", url, err)
	}
}

// evaluate returns the JSON of a script's result.
func evaluate(t *testing.T, page *browser.Page, script string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	result, err := page.Evaluate(ctx, script)
	if err != nil {
		t.Fatalf("evaluating %s: %v", script, err)
	}
	return string(result)
}

// until waits for a condition that no event announces.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(soon)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// nextPage waits for the tab with the id.
func nextPage(t *testing.T, b *browser.Browser, id string) *browser.Page {
	t.Helper()
	var page *browser.Page
	until(t, "tab "+id, func() bool {
		var err error
		page, err = b.Page(id)
		return err == nil
	})
	return page
}

// shortDir is a temporary directory whose path leaves room for a browser's socket, unlike t.TempDir's.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bh")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func itoa(n int) string { return strconv.Itoa(n) }

// ps returns a column of ps for a process, or "" when there is none.
func ps(pid int, column string) string {
	out, _ := exec.Command("ps", "-o", column+"=", "-p", itoa(pid)).Output()
	return strings.TrimSpace(string(out))
}

// alive reports whether a process runs; a zombie does not.
func alive(pid int) bool {
	state := ps(pid, "state")
	return state != "" && state[0] != 'Z'
}

func parent(t *testing.T, pid int) int {
	t.Helper()
	ppid, err := strconv.Atoi(ps(pid, "ppid"))
	if err != nil {
		t.Fatalf("the parent of %d: %v", pid, err)
	}
	return ppid
}
