package e2e

import (
	"net/http"
	"strings"
	"testing"
)

func TestCookies(t *testing.T) {
	work(t)
	site := newSite(t)
	site.page("/deep/page", "Page", "Here")
	a := tenant(t).connect(stateful)
	id := a.launch()
	set := func(cookies ...args) args { return args{"session_id": id, "cookies": cookies} }
	out := a.call("set_cookies", set(
		args{"name": "a", "value": "1", "url": site.URL + "/deep/page"},
		args{"name": "b", "value": "2", "domain": "127.0.0.1", "path": "/", "httpOnly": true, "sameSite": "Lax", "expires": 4e9},
		args{"name": "c", "value": "3", "url": "https://example.com/", "sameSite": "None"},
	))
	if out.fields["added"] != 3.0 {
		t.Errorf("added %v", out.fields["added"])
	}
	names := func(in args) string {
		in["session_id"] = id
		var found []string
		for _, c := range a.call("get_cookies", in).fields["cookies"].([]any) {
			found = append(found, c.(map[string]any)["name"].(string))
		}
		return strings.Join(found, "")
	}
	for urls, want := range map[string]string{"": "abc", "/": "b", "/deep/x": "ab"} {
		in := args{}
		if urls != "" {
			in["urls"] = []string{site.URL + urls}
		}
		if got := names(in); len(got) != len(want) || !strings.Contains(want, got[:1]) {
			t.Errorf("get_cookies %q: %s, want %s", urls, got, want)
		}
	}
	a.call("navigate", args{"session_id": id, "url": site.URL + "/deep/page"})
	if got := site.received("/deep/page").Header.Get("Cookie"); !strings.Contains(got, "a=1") || !strings.Contains(got, "b=2") {
		t.Errorf("the site got %q", got)
	}
	good := args{"name": "new", "value": "v", "url": site.URL}
	a.refused("INVALID_ARGUMENTS", "set_cookies", set(good, args{"name": "n", "value": "v", "domain": "not a host", "path": "/"}))
	for path, bad := range map[string]args{
		"cookies.1.url":      {"name": "n", "value": "v"},
		"cookies.1.path":     {"name": "n", "value": "v", "domain": "example.com"},
		"cookies.1.domain":   {"name": "n", "value": "v", "domain": "example.com", "url": site.URL},
		"cookies.1.expires":  {"name": "n", "value": "v", "url": site.URL, "expires": -5},
		"cookies.1.name":     {"name": "n;m", "value": "v", "url": site.URL},
		"cookies.1.value":    {"name": "n", "value": "secret\r\n", "url": site.URL},
		"cookies.1.sameSite": {"name": "n", "value": "v", "url": site.URL, "sameSite": "None"},
		"cookies.1.secure":   {"name": "__Secure-n", "value": "v", "url": site.URL},
	} {
		f := a.refused("INVALID_ARGUMENTS", "set_cookies", set(good, bad))
		issue := f.Details["issues"].([]any)[0].(map[string]any)
		if issue["path"] != path || strings.Contains(f.Message, "secret") {
			t.Errorf("%v: %v", bad, f.Message)
		}
	}
	a.refused("INVALID_ARGUMENTS", "get_cookies", args{"session_id": id, "urls": []string{site.URL, "nonsense"}})
	if got := names(args{}); strings.Contains(got, "new") {
		t.Errorf("a bad cookie let others through: %s", got)
	}
}

func TestViewport(t *testing.T) {
	work(t)
	a := tenant(t).connect(stateful)
	id := a.launch()
	for _, test := range []struct{ width, height, gotWidth, gotHeight any }{
		{390, 844, 390.0, 844.0},
		{0, -5, 1.0, 1.0},
		{1000, 1e12, 1000.0, 7680.0},
	} {
		got := a.call("set_viewport", args{"session_id": id, "width": test.width, "height": test.height}).fields
		_, clamped := got["clamped"]
		if got["width"] != test.gotWidth || got["height"] != test.gotHeight || clamped != (test.width != 390) {
			t.Errorf("%v × %v: %v", test.width, test.height, got)
		}
		if inner := a.evaluate(id, "innerHeight"); inner != test.gotHeight {
			t.Errorf("the page is %v high, not %v", inner, test.gotHeight)
		}
	}
	a.refused("TAB_NOT_FOUND", "set_viewport", args{"session_id": id, "width": 1, "height": 1, "tab_id": "t9"})
}

func TestExtraHeaders(t *testing.T) {
	work(t)
	site := newSite(t)
	site.page("/one", "One", `<a href="/two" target="_blank">Two</a>`)
	site.page("/two", "Two", "")
	a := tenant(t).connect(stateful)
	for _, stealth := range []bool{true, false} {
		id := a.call("launch_session", args{"slug": "test", "stealth": stealth}).fields["session_id"].(string)
		headers := func(headers args) map[string]any {
			return a.call("set_extra_http_headers", args{"session_id": id, "headers": headers}).fields
		}
		headers(args{"X-Old": "old"})
		got := headers(args{"X-New": "new", "User-Agent": "mine", "accept-language": "tlh", "Sec-CH-UA-Platform": "Plan 9"})
		refused := 0
		if stealth {
			refused = 3
		}
		if list, _ := got["rejected"].([]any); len(list) != refused || got["applied"] != float64(4-refused) {
			t.Errorf("stealth %v: %v", stealth, got)
		}
		see := func(path string) http.Header { return site.received(path).Header }
		a.call("navigate", args{"session_id": id, "url": site.URL + "/one"})
		a.call("new_tab", args{"session_id": id, "url": site.URL + "/two"})
		for _, path := range []string{"/one", "/two"} {
			h := see(path)
			if h.Get("X-New") != "new" || h.Get("X-Old") != "" || (h.Get("User-Agent") == "mine") == stealth {
				t.Errorf("stealth %v: %s got %v", stealth, path, h)
			}
		}
		headers(args{})
		a.call("navigate", args{"session_id": id, "url": site.URL + "/one"})
		if h := see("/one"); h.Get("X-New") != "" {
			t.Errorf("stealth %v: headers stay: %v", stealth, h)
		}
		for name, value := range map[string]string{"": "x", "a b": "x", "Host": "x", "X-A": "a\r\nX-B: b", "X-C": " x"} {
			f := a.refused("INVALID_ARGUMENTS", "set_extra_http_headers", args{"session_id": id, "headers": args{name: value}})
			if !strings.Contains(f.Message, "headers."+name) {
				t.Errorf("%q: %s", name, f.Message)
			}
		}
		a.refused("INVALID_ARGUMENTS", "set_extra_http_headers", args{"session_id": id, "headers": args{"X-A": "1", "x-a": "2"}})
		a.call("close_session", args{"session_id": id})
	}
}
