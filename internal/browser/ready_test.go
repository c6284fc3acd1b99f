package browser_test

import (
	"testing"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
)

// What a snapshot or a click needs in a page is there when the page has loaded, without either having been called.
func TestLoadedPageIsReadyToBeSeen(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	for _, engine := range []types.Engine{types.EnginePlaywright, types.EnginePatchright} {
		page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{Engine: engine, Stealth: engine == types.EnginePatchright}))
		for range 2 { // Each document has worlds of its own.
			open(t, page, site.URL)
			until(t, "the driver's script to be in the page", func() bool {
				count, err := page.InjectedWorlds()
				return err == nil && count > 0
			})
		}
	}
}
