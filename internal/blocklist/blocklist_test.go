package blocklist_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/internal/blocklist"
)

const file = "\ufeff# sites\n" +
	"example.com\n" +
	"*.tracking.example\r\n" +
	"https://intranet.example.org/admin/*\n" +
	"*doubleclick*\n" +
	"docs.example/private/*\n" +
	"http://whole.example\n" +
	"ports.example:8080\n" +
	"bücher.example\n" +
	"127.0.0.1\n"

func parse(t *testing.T, s string) *blocklist.List {
	t.Helper()
	l, err := blocklist.Parse(strings.NewReader(s))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestMatch(t *testing.T) {
	t.Parallel()
	l := parse(t, file)
	for address, want := range map[string]string{
		"http://example.com/":                       "example.com",
		"https://EXAMPLE.com:8443/a?b#c":            "example.com",
		"https://example.com./x":                    "example.com",
		"https://user:pw@example.com/":              "example.com",
		"https:example.com":                         "example.com",
		`https:\\example.com\x`:                     "example.com",
		" \thttps://exa\nmple.com/":                 "example.com",
		"https://%65xample.com/":                    "example.com",
		"https://www.example.com/":                  "",
		"https://notexample.com/":                   "",
		"https://example.com.evil.test/":            "",
		"https://evil.test/?u=example.com":          "",
		"https://a.tracking.example/":               "*.tracking.example",
		"https://a.b.tracking.example/":             "*.tracking.example",
		"https://tracking.example/":                 "",
		"https://intranet.example.org/admin/x":      "https://intranet.example.org/admin/*",
		"https://intranet.example.org/Admin/":       "https://intranet.example.org/admin/*",
		"https://intranet.example.org/a/../admin/x": "https://intranet.example.org/admin/*",
		"https://intranet.example.org/%61dmin/x":    "https://intranet.example.org/admin/*",
		"https://intranet.example.org:443/admin/":   "https://intranet.example.org/admin/*",
		"http://intranet.example.org/admin/x":       "",
		"https://intranet.example.org/public":       "",
		"https://ads.DoubleClick.net/x":             "*doubleclick*",
		"https://x.test/?next=doubleclick":          "*doubleclick*",
		"http://docs.example/private/a":             "docs.example/private/*",
		"https://docs.example/private/a":            "docs.example/private/*",
		"https://docs.example/":                     "",
		"http://whole.example/any/where?x=1":        "http://whole.example",
		"https://whole.example/":                    "",
		"http://ports.example:8080/":                "ports.example:8080",
		"http://ports.example/":                     "",
		"https://xn--bcher-kva.example/":            "bücher.example",
		"http://2130706433/":                        "127.0.0.1",
		"http://0x7f.1/":                            "127.0.0.1",
		"http://[::ffff:127.0.0.1]/":                "127.0.0.1",
		"file:///etc/passwd":                        "",
		"about:blank":                               "",
		"data:text/html,example.com":                "",
		"":                                          "",
	} {
		got, hit := l.Match(address)
		if got != want || hit != (want != "") {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}

func TestSkippedLines(t *testing.T) {
	t.Parallel()
	l := parse(t, "a.example\nA.example\n*\n**\n*://*\nhttps://*\n*.*\nhttp*\ntwo words\n"+strings.Repeat("x", 3000)+"\nb.example\n")
	var got []string
	for _, s := range l.Skipped() {
		got = append(got, fmt.Sprintf("%d %s", s.Line, s.Reason))
	}
	want := "2 repeats line 1,3 would match every address,4 would match every address,5 would match every address," +
		"6 would match every address,7 would match every address,8 would match every address,9 contains a blank,10 longer than 2048 bytes"
	if strings.Join(got, ",") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ","), want)
	}
	if r := strings.Join(l.Rules(), ","); r != "a.example,b.example" {
		t.Error(r)
	}
}

func TestTooManyRules(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range blocklist.MaxRules + 1 {
		fmt.Fprintf(&b, "h%d.example\n", i)
	}
	if _, err := blocklist.Parse(strings.NewReader(b.String())); err == nil {
		t.Error("a list without end was taken")
	}
}

func FuzzBlocklist(f *testing.F) {
	f.Add(file, "https://example.com/")
	f.Add("*a*b*c*", "http://"+strings.Repeat("ab", 50))
	f.Add("[::1]\nhttp://[\n", "http://[::1]:80/../..")
	f.Fuzz(func(t *testing.T, list, address string) {
		l, err := blocklist.Parse(strings.NewReader(list))
		if err != nil {
			return
		}
		pattern, hit := l.Match(address)
		if hit == (pattern == "") {
			t.Fatal("a hit names its rule")
		}
		a, ok := blocklist.Normalise(address)
		if !ok {
			return
		}
		if b, ok := blocklist.Normalise(a.String()); ok && b.Host != a.Host {
			t.Fatalf("not stable: %q %q", a, b)
		}
	})
}
