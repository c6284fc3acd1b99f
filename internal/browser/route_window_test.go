//go:build !race

// The library writes a page's field while it announces the page, and reads it, without a lock, when a route
// sees the page's first request (page.go, newPage; request.go, safePage). It reads nil or the page, and copes
// with both; the race detector still reports it, so this test is not for it.

package browser_test

import "testing"

func TestWindowsDoNotReachWhatIsBlocked(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	page := activePage(t, g.launch(t))
	open(t, page, g.URL+"/open")
	for _, selector := range []string{"#window", "#opener"} {
		before := g.stopped()
		evaluate(t, page, "document.querySelector('"+selector+"').click()")
		until(t, "the block of "+selector, func() bool { return g.stopped() > before })
	}
	for _, address := range []string{"/blocked/open", "/far"} {
		before := g.stopped()
		evaluate(t, page, "void window.open('"+address+"')")
		until(t, "the block of "+address, func() bool { return g.stopped() > before })
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for path := range g.asked {
		if path == "/blocked/window" || path == "/blocked/hop" || path == "/blocked/open" {
			t.Errorf("the site was asked for %s", path)
		}
	}
}
