package browser_test

import (
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
)

func TestURLGlob(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		glob, address string
		want          bool
	}{
		{"https://shop.test/cart", "https://shop.test/cart", true},
		{"https://shop.test/cart", "https://shop.test/cart?x=1", false},
		{"https://shop.test/cart?x=1", "https://shop.test/cart?x=1", true},
		{"https://shop.test/car.", "https://shop.test/cart", false},
		{"https://shop.test", "https://shop.test/", true},
		{"https://shop.test/", "https://shop.test/", true},
		{"https://shop.test/cart", "https://shop.test/cart/", false},
		{"/cart", "https://shop.test/cart", false},
		{"**/cart", "https://shop.test/a/cart", true},
		{"**/checkout/*", "https://shop.test/checkout/2?step=1", true},
		{"**/checkout/*", "https://shop.test/checkout/2/3", false},
		{"https://*.test/**", "https://shop.test/a/b#c", true},
		{"https://*/cart", "https://shop.test/a/cart", false},
		{"https://shop.test/**/end", "https://shop.test/end", true},
		{"https://shop.test/**/end", "https://shop.test/a/b/end", true},
		{"https://shop.test/**/end", "https://shop.test/weekend", false},
		{`https://shop.test/\*`, `https://shop.test/\x`, true},
		{"**", "https://shop.test/", true},
		{"**", "https://shop.test/" + strings.Repeat("x", 1<<20), false}, // Beyond what is matched.
		{"", "https://shop.test/", false},
	} {
		pattern, err := browser.ParseURLGlob(c.glob)
		if err != nil {
			t.Errorf("%s: %v", c.glob, err)
		} else if got := pattern.Match(c.address); got != c.want {
			t.Errorf("%s matches %.60s: %v", c.glob, c.address, got)
		}
	}
	_, err := browser.ParseURLGlob(strings.Repeat("x", 1<<16))
	wantCode(t, err, errcode.CodeInvalidArguments)
}

func TestURLRegexp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		expression, flags, address string
		want                       bool
	}{
		{`/orders/\d+$`, "", "https://shop.test/orders/17", true},
		{`/orders/\d+$`, "", "https://shop.test/orders/17/", false},
		{`/ORDERS/`, "i", "https://shop.test/orders/17", true},
		{`^HTTPS:.*orders`, "ims", "https://shop.test/orders/17", true},
		{`a|orders`, "i", "https://shop.test/ORDERS", true},
	} {
		pattern, err := browser.ParseURLRegexp(c.expression, c.flags)
		if err != nil {
			t.Errorf("%s: %v", c.expression, err)
		} else if got := pattern.Match(c.address); got != c.want {
			t.Errorf("/%s/%s matches %s: %v", c.expression, c.flags, c.address, got)
		}
	}
	for _, c := range [][2]string{
		{"(", ""},
		{"(?=x)", ""},
		{`(a)\1`, ""},
		{"a", "g"},
		{"a", "ii"},
		{"a", "U"},
		{"(a{1000}b{1000}c{1000}d{1000}e{1000})", ""},
	} {
		_, err := browser.ParseURLRegexp(c[0], c[1])
		wantCode(t, err, errcode.CodeInvalidArguments)
	}
}

func TestWaitForURL(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, site.URL)
	wait := func(glob string, script string) {
		t.Helper()
		pattern, err := browser.ParseURLGlob(glob)
		if err != nil {
			t.Fatal(err)
		}
		evaluate(t, page, script)
		address, err := page.WaitForURL(t.Context(), pattern, soon)
		if err != nil {
			t.Fatal(err)
		}
		if !pattern.Match(address) {
			t.Errorf("waited for %s and got %s", glob, address)
		}
	}
	wait(site.URL, "1")
	wait("**/pushed?by=script", "void setTimeout(() => history.pushState(null, '', '/pushed?by=script'), 50)")
	wait("**#part", "void setTimeout(() => location.hash = 'part', 50)")
	wait("**/popup", "void setTimeout(() => location = '/popup', 50)")
	never, err := browser.ParseURLGlob("https://user:secret@never.test/?token=secret")
	if err != nil {
		t.Fatal(err)
	}
	_, err = page.WaitForURL(t.Context(), never, brief)
	wantCode(t, err, errcode.CodeWaitTimeout)
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the error tells a secret: %v", err)
	}
	running := make(chan error, 1)
	go func() {
		_, err := page.WaitForURL(t.Context(), never, soon)
		running <- err
	}()
	if err := page.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantCode(t, <-running, errcode.CodePageClosed)
}
