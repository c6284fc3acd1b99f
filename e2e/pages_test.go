package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/internal/browser/browsertest"
)

// The pages of the test site behave as their names say, on two origins.
func TestPagesOfEveryKind(t *testing.T) {
	work(t)
	site, other := newSite(t), newSite(t)
	browsertest.Pages(site.mux)
	browsertest.Pages(other.mux)
	a := tenant(t).connect(stateful)
	id := a.launch()
	in := func(more args) args {
		more["session_id"] = id
		return more
	}
	open := func(page string) { a.call("navigate", in(args{"url": site.URL + "/pages/" + page})) }

	open("frames.html?other=" + other.URL)
	a.call("wait_for_load_state", in(args{"state": "networkidle"}))
	tree := a.call("snapshot", in(args{})).fields["tree"].(string)
	if strings.Count(tree, "Allow") != 2 || !strings.Contains(tree, "In srcdoc") || !strings.Contains(tree, "In a shadow root") {
		t.Errorf("frames and shadow roots: %s", tree)
	}
	a.call("click", in(args{"selector": "text=In a shadow root"}))
	if got := a.evaluate(id, "document.title"); got != "shadow" {
		t.Errorf("a click in a shadow root: %v", got)
	}

	open("text.html")
	for _, tool := range []string{"snapshot", "get_content", "list_tabs"} {
		out := a.call(tool, in(args{}))
		if raw, err := json.Marshal(out.fields); err != nil || !strings.Contains(string(raw), "世界") {
			t.Errorf("%s: %s %v", tool, raw, err)
		}
	}
	if got := a.evaluate(id, "broken.textContent"); got != "half \ufffd a pair" {
		t.Errorf("half a pair reads %q", got)
	}

	open("controls.html")
	for selector, want := range map[string]string{"#plain": "plain", "#agree": "agreed", "#button": "pressed"} {
		a.call("click", in(args{"selector": selector}))
		if got := a.evaluate(id, "told.textContent"); got != want {
			t.Errorf("%s: %v, not %s", selector, got, want)
		}
	}
	for source, c := range map[string][2]string{"#native": {"#target", "dropped ünï😀"}, "#pointer": {"#slot", "slotted"}} {
		a.call("drag_and_drop", in(args{"source_selector": source, "target_selector": c[0]}))
		if got := a.evaluate(id, "told.textContent"); got != c[1] {
			t.Errorf("%s: %v, not %s", source, got, c[1])
		}
	}

	open("storage.html")
	a.call("wait_for_selector", in(args{"selector": "text=stored"}))
	a.call("save_storage_state", in(args{"name": "pages"}))
	restored := a.launchWith(args{"context_options": args{"storageState": "pages"}})
	a.shows(site, restored, "id=jar local base")
	a.call("close_session", args{"session_id": restored})

	open("windows.html")
	a.call("click", in(args{"selector": "#login"}))
	a.become(id, "t1* t2")
	if _, f := a.try("click", in(args{"selector": "#allow", "tab_id": "t2"})); f != nil && f.Code != "PAGE_CLOSED" {
		t.Errorf("the click that closes its window: %+v", f)
	}
	a.become(id, "t1*")
	a.call("wait_for_selector", in(args{"selector": "text=welcome"}))
	a.call("click", in(args{"selector": "#mail"})) // Chromium drops it without a word.
	a.call("snapshot", in(args{}))

	a.call("navigate", in(args{"url": site.URL + "/redirect?to=" + other.URL + "/form"}))
	if got := a.evaluate(id, "location.origin"); got != other.URL {
		t.Errorf("a redirect led to %v", got)
	}
	open("busy.html")
	if f := a.refused("ELEMENT_NOT_ACTIONABLE", "click", in(args{"selector": "#spin", "timeout": 2 * brief})); f != nil {
		a.call("navigate", in(args{"url": site.URL + "/form"}))
	}
}
