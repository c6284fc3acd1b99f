package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
)

// An address of another program starts none, and leaves no dialog that would keep the mouse from the page.
func TestAddressesOfOtherPrograms(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><title>0</title><a id=unknown href="strange-app:x">a</a> <a id=mail href="mailto:a@b.example">m</a>
			<a id=phone href="tel:12">t</a> <a id=tab href="mailto:a@b.example" target=_blank>w</a>
			<a id=script href="#" onclick="location = 'strange-app:y'">s</a> <button onclick="document.title = ++clicks">b</button><script>clicks = 0</script>`)
	}))
	t.Cleanup(site.Close)
	b := browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{})
	page := activePage(t, b)
	click := func(selector string) {
		t.Helper()
		if err := page.Click(t.Context(), selector, browser.ClickOptions{}, soon); err != nil {
			t.Error(err)
		}
	}
	for _, link := range []string{"#unknown", "#mail", "#phone", "#script", "#tab"} {
		open(t, page, site.URL)
		click(link)
		for n := 1; n <= 5; n++ { // The dialog comes a moment after the click.
			click("button")
			if title, err := page.Title(t.Context()); err != nil || title != fmt.Sprint(n) {
				t.Fatalf("after %s: click %d arrives as %q, %v", link, n, title, err)
			}
		}
	}
}
