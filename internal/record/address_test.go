package record

import (
	"net/url"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/types"
)

func TestCleanURL(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://u:p@a.example/p?q=1&token=s#frag":   "https://a.example/p",
		"https://a.example/p?page=2&token=s&page=3":  "https://a.example/p?page=2&page=3",
		"https://a.example/?":                        "https://a.example/",
		"https://a.example/?pa%67e=2&%zz=1":          "https://a.example/?pa%67e=2",
		"data:text/html;charset=utf-8,<b>secret</b>": "data:text/html;charset=utf-8",
		"about:blank":                                      "about:blank",
		"blob:https://a.example/0b1c":                      "blob:https://a.example/0b1c",
		"http://u:p@bad host/x?token=s":                    "http://bad host/x",
		"https://a.example/" + strings.Repeat("ж", 10_000): cut("https://a.example/"+strings.Repeat("%D0%B6", 10_000), maxURL),
	} {
		if got := cleanURL(address, []string{"page"}); got != want {
			t.Errorf("%.80s: %.120s, want %.120s", address, got, want)
		}
	}
}

func TestURLsWithinText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"url":"https://u:p@a.example/p?page=2&token=s#f","n":1}`:       `{"url":"https://a.example/p?page=2","n":1}`,
		`<a href='HTTP://a.example/?t=1'>x</a> and ws://b.example/s?k=v`: `<a href='http://a.example/'>x</a> and ws://b.example/s`,
		`"\"https://a.example/?t=1\" failed"`:                            `"\"https://a.example/\" failed"`,
		`"http://user:<redacted>@a.example/p?t=1#f" x`:                   `"http://a.example/p" x`,
		`what? a#b me@example.com`:                                       `what? a#b me@example.com`,
		`https://a.example/plain`:                                        `https://a.example/plain`,
	} {
		if got := cleanURLs(text, []string{"page"}); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestCategory(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]types.PageCategory{
		"https://shop.example/": types.PageCategoryPublic, "http://93.184.216.34/": types.PageCategoryIP,
		"http://[2001:db8::1]/": types.PageCategoryIP, "http://127.0.0.1:8080/": types.PageCategoryLocal,
		"http://[::1]/": types.PageCategoryLocal, "http://[::ffff:10.0.0.1]/": types.PageCategoryLocal,
		"http://192.168.1.1/": types.PageCategoryLocal, "http://169.254.1.1/": types.PageCategoryLocal,
		"http://localhost:3000/": types.PageCategoryLocal, "http://app.localhost/": types.PageCategoryLocal,
		"http://intranet/": types.PageCategoryLocal, "http://printer.local./": types.PageCategoryLocal,
		"ftp://a.example/": types.PageCategoryFtp, "about:blank": types.PageCategoryOther,
		"data:text/html,x": types.PageCategoryOther, "http://bad host/": types.PageCategoryOther,
	} {
		if got := categoryOf(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

// Whatever the address, its user, its fragment and the parameters that are not allowed are gone.
func FuzzCleanURL(f *testing.F) {
	for _, s := range []string{"https://u:p@a.example/p?q=1#f", "http://bad host/?a", "data:,x", "//a@b?c#d", "http://a/?page=1;x=2", "\x00", "https://[::1]/%zz?a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, address string) {
		got := cleanURL(address, []string{"page"})
		if len(got) > maxURL {
			t.Fatalf("%d bytes", len(got))
		}
		if strings.Contains(got, "#") {
			t.Errorf("%q keeps a fragment: %q", address, got)
		}
		u, err := url.Parse(got)
		if err != nil {
			return
		}
		if u.User != nil {
			t.Errorf("%q keeps its user: %q", address, got)
		}
		for part := range strings.SplitSeq(u.RawQuery, "&") {
			name, _, _ := strings.Cut(part, "=")
			if name, err := url.QueryUnescape(name); part != "" && (err != nil || name != "page") {
				t.Errorf("%q keeps %q", address, part)
			}
		}
	})
}
