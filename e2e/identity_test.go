package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// shows is a script that reports what a page sees of its browser, and as whom it was asked for.
const shows = `<script>
fetch('/report', {method: 'POST', body: JSON.stringify({
	page: location.pathname, webdriver: navigator.webdriver, agent: navigator.userAgent,
	brands: navigator.userAgentData ? navigator.userAgentData.brands.map(b => b.brand) : [],
})});
</script>`

// A session is an ordinary Chrome to the sites that it visits, to their servers and their popups.
func TestIdentity(t *testing.T) {
	work(t)
	site := newSite(t)
	came := site.reports("/report")
	site.page("/opener", "Opener", shows+`<button onclick="window.open('/popup')">Open</button>
		<a href="/apart" target="_blank" rel="noopener">Apart</a>`)
	site.page("/popup", "Popup", shows)
	site.page("/apart", "Apart", shows)
	a := tenant(t).connect(stateful)
	id := a.launch()
	a.call("navigate", args{"session_id": id, "url": site.URL + "/opener"})
	opener := a.call("list_sessions", nil).fields["sessions"].([]any)[0].(map[string]any)
	if opener["stealth"] != true {
		t.Errorf("stealth: %v", opener["stealth"])
	}
	check := func(path string) {
		t.Helper()
		seen := next(t, came)
		raw, err := json.Marshal(seen)
		if err != nil {
			t.Fatal(err)
		}
		agent, _ := seen["agent"].(string)
		if seen["page"] != path || seen["webdriver"] != false || !strings.Contains(agent, " Chrome/") || strings.Contains(string(raw), "Headless") ||
			!strings.Contains(string(raw), `"Google Chrome"`) {
			t.Errorf("%s sees %s", path, raw)
		}
		r := site.received(path)
		hints := r.Header.Get("Sec-Ch-Ua")
		if got := r.Header.Get("User-Agent"); got != agent {
			t.Errorf("%s: the header says %q, the page sees %q", path, got, agent)
		}
		// A window without an opener asks for its first page before anyone can tell Chromium its brands.
		branded := strings.Contains(hints, `"Google Chrome"`) || path == "/apart"
		if !branded || !strings.Contains(hints, `"Chromium"`) || strings.Contains(hints, "Headless") {
			t.Errorf("%s: client hints %q", path, hints)
		}
	}
	check("/opener")
	a.call("click", args{"session_id": id, "selector": "button"})
	check("/popup")
	// The popup is a tab of its own; the click goes to the page that has the link.
	a.call("navigate", args{"session_id": id, "url": site.URL + "/opener"})
	check("/opener")
	a.call("click", args{"session_id": id, "selector": "text=Apart"})
	check("/apart")

	info := a.call("session_info", args{"session_id": id}).fields
	identity, _ := info["config"].(map[string]any)["identity"].(map[string]any)
	if identity["webdriver"] != false || !strings.Contains(identity["user_agent"].(string), " Chrome/") {
		t.Errorf("session_info says %v", identity)
	}
	// A window tells its site that it is there before it tells us.
	var tabs any
	eventually(t, func() bool {
		tabs = a.call("session_info", args{"session_id": id}).fields["page_count"]
		return tabs == 3.0
	}, func() string { return fmt.Sprintf("%v tabs, not 3", tabs) })
}

// next waits for the next report of a page.
func next(t *testing.T, came <-chan map[string]any) map[string]any {
	t.Helper()
	select {
	case m := <-came:
		return m
	case <-time.After(patience):
		t.Fatal("the page does not report")
		return nil
	}
}

// Without stealth a session is what it is.
func TestIdentityWithoutStealth(t *testing.T) {
	work(t)
	site := newSite(t)
	a := start(t, setup{args: []string{"--stealth", "off"}}).connect(stateful)
	id := a.launch()
	a.call("navigate", args{"session_id": id, "url": site.URL + "/form"})
	if got := a.evaluate(id, "navigator.webdriver"); got != true {
		t.Errorf("navigator.webdriver is %v", got)
	}
	if got := a.call("session_info", args{"session_id": id}).fields["config"].(map[string]any)["stealth"]; got != false {
		t.Errorf("session_info says stealth %v", got)
	}
}
