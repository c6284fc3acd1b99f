package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// tabs is what list_tabs shows: the ids in order, with a star at the active one.
func (a *agent) tabs(id string) string {
	a.t.Helper()
	var shown []string
	for _, entry := range a.call("list_tabs", args{"session_id": id}).fields["tabs"].([]any) {
		tab := entry.(map[string]any)
		name := tab["tab_id"].(string)
		if tab["active"] == true {
			name += "*"
		}
		shown = append(shown, name)
	}
	return strings.Join(shown, " ")
}

// become waits until list_tabs shows the tabs.
func (a *agent) become(id, want string) {
	a.t.Helper()
	got := ""
	eventually(a.t, func() bool { got = a.tabs(id); return got == want }, func() string {
		return fmt.Sprintf("the tabs are %s, not %s", got, want)
	})
}

// Tabs open, take over and close, by the agent's hand and by the pages' own.
func TestTabs(t *testing.T) {
	work(t)
	site := newSite(t)
	site.page("/home", "Home", `<a href="/blank" target=_blank>Blank</a> <a href="/login" target=login rel=opener>Log in</a>
		<p id=said></p><script>onmessage = event => said.textContent = event.data</script>`)
	site.page("/blank", "Blank", `<h1>Blank</h1>`)
	site.page("/login", "Log in", `<button onclick="opener.postMessage('welcome', '*'); window.close()">Allow</button>`)
	site.page("/plain", "", `untitled`)
	a := tenant(t).connect(stateful)
	id := a.launch()
	in := func(more args) args {
		more["session_id"] = id
		return more
	}
	a.call("navigate", in(args{"url": site.URL + "/home"}))

	// target=_blank is a tab, and does not take over.
	a.call("click", in(args{"selector": "text=Blank"}))
	a.become(id, "t1* t2")
	a.call("wait_for_url", in(args{"url": site.URL + "/blank", "tab_id": "t2"}))
	if got := a.call("switch_tab", in(args{"tab_id": "t2"})).fields; got["url"] != site.URL+"/blank" || got["tab_id"] != "t2" {
		t.Errorf("switch_tab: %v", got)
	}
	a.become(id, "t1 t2*")

	// A login window reports to its opener and closes itself under the agent's click.
	a.call("switch_tab", in(args{"tab_id": "t1"}))
	a.call("click", in(args{"selector": "text=Log in"}))
	a.become(id, "t1* t2 t3")
	if _, f := a.try("click", in(args{"selector": "text=Allow", "tab_id": "t3"})); f != nil && f.Code != "PAGE_CLOSED" {
		t.Errorf("the click that closes its window: %+v", f)
	}
	a.become(id, "t1* t2")
	a.call("wait_for_selector", in(args{"selector": "text=welcome"}))
	a.refused("TAB_NOT_FOUND", "snapshot", in(args{"tab_id": "t3"}))

	// Ids are never used again, here t5 after a failure; a refused address opens nothing.
	opened := a.call("new_tab", in(args{"url": site.URL + "/plain"})).fields
	if opened["tab_id"] != "t4" || opened["url"] != site.URL+"/plain" {
		t.Errorf("new_tab: %v", opened)
	}
	for _, address := range []string{"file:///etc/passwd", "chrome://version", "view-source:" + site.URL} {
		if f := a.refused("URL_BLOCKED", "new_tab", in(args{"url": address})); !strings.HasPrefix(fmt.Sprint(f.Details["pattern"]), "scheme:") {
			t.Errorf("%s: %v", address, f.Details)
		}
	}
	a.refused("INVALID_ARGUMENTS", "new_tab", in(args{"url": "shop.test"}))
	a.refused("NAVIGATION_FAILED", "new_tab", in(args{"url": "http://127.0.0.1:1/"}))
	a.become(id, "t1 t2 t4*")
	if got := a.call("new_tab", in(args{})).fields; got["url"] != "about:blank" {
		t.Errorf("new_tab without an address: %v", got)
	}
	titles := ""
	for _, entry := range a.call("list_tabs", in(args{})).fields["tabs"].([]any) {
		titles += fmt.Sprintf("%v|", entry.(map[string]any)["title"])
	}
	if titles != "Home|Blank|||" {
		t.Errorf("titles %s", titles)
	}

	// Another takes over: the one used last, here t2, and then its opener.
	a.call("snapshot", in(args{"tab_id": "t2"}))
	a.call("close_tab", in(args{"tab_id": "t6"}))
	a.become(id, "t1 t2* t4")
	a.call("snapshot", in(args{"tab_id": "t4"}))
	a.call("close_tab", in(args{"tab_id": "t2"}))
	a.become(id, "t1* t4")

	// None is left, until one opens.
	a.call("close_tab", in(args{"tab_id": "t1"}))
	a.call("close_tab", in(args{"tab_id": "t4"}))
	if f := a.refused("TAB_NOT_FOUND", "snapshot", in(args{})); f.Details["tab_id"] != "<active>" {
		t.Errorf("details %v", f.Details)
	}
	a.refused("TAB_NOT_FOUND", "close_tab", in(args{"tab_id": "t4"}))
	a.become(id, "")
	a.call("new_tab", in(args{"url": site.URL + "/home"}))
	a.become(id, "t7*")
}

// wait_for_url takes an address, a glob or a regular expression that can hold nobody up.
func TestWaitForURL(t *testing.T) {
	work(t)
	site := newSite(t)
	a := tenant(t).connect(stateful)
	id := a.launch()
	wait := func(url any) any {
		t.Helper()
		return a.call("wait_for_url", args{"session_id": id, "url": url}).fields["url"]
	}
	a.call("navigate", args{"session_id": id, "url": site.URL + "/form"})
	a.call("fill", args{"session_id": id, "selector": "input", "value": "Ada"})
	a.call("click", args{"session_id": id, "selector": "button"})
	for _, url := range []any{
		"**/thanks*", site.URL + "/thanks?name=Ada", args{"pattern": `/thanks\?name=\w+$`},
		args{"pattern": "^HTTP://.*NAME=ADA$", "flags": "i"},
	} {
		if got := wait(url); got != site.URL+"/thanks?name=Ada" {
			t.Errorf("%v matched %v", url, got)
		}
	}
	a.evaluate(id, "void setTimeout(() => history.pushState(null, '', '/orders/17'), 50)")
	wait(args{"pattern": `/orders/\d+$`})
	for _, url := range []any{
		args{"pattern": "("}, args{"pattern": "(?!x)"}, args{"pattern": "x", "flags": "g"}, args{"flags": "i"}, 7,
		args{"pattern": strings.Repeat("(a{1000})", 9)},
	} {
		a.refused("INVALID_ARGUMENTS", "wait_for_url", args{"session_id": id, "url": url})
	}
	f := a.refused("WAIT_TIMEOUT", "wait_for_url", args{"session_id": id, "url": "**/never", "timeout": 100})
	if f.Details["timeout_ms"] != 100.0 {
		t.Errorf("details %v", f.Details)
	}
	a.refused("TAB_NOT_FOUND", "wait_for_url", args{"session_id": id, "url": "**", "tab_id": "t9"})
}
