package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/internal/hosttest"
)

// A dialog never freezes a session: what meets it answers DIALOG_OPEN at once, and the two tools answer it.
func TestDialogs(t *testing.T) {
	work(t)
	site := newSite(t)
	site.page("/ask", "Asks", `<p id=said></p><button id=ask onclick="said.textContent = confirm('sure?')">Ask</button>
		<button id=prompt onclick="said.textContent = prompt('name?', 'Ada')">Name</button><a href="/form">Leave</a>`)
	site.page("/greet", "Greets", `<script>alert('hello')</script>`)
	p := tenant(t)
	a := p.connect(stateful)
	id := a.launch()
	open := func(tool string, in args, kind, message string) {
		t.Helper()
		in["session_id"] = id
		began := time.Now()
		f := a.refused("DIALOG_OPEN", tool, in)
		// Each call has 30 seconds; one that waited for a dialog would have used them up.
		if took := time.Since(began); took > min(hosttest.Limit(10*time.Second), 25*time.Second) {
			t.Errorf("%s took %v", tool, took)
		}
		if f.Details["tab_id"] != "t1" || f.Details["type"] != kind || f.Details["message"] != message {
			t.Errorf("%s: the dialog is %v", tool, f.Details)
		}
	}
	said := func() any { return a.evaluate(id, "said.textContent") }

	// A page that shows one while it loads, and one from a timer.
	open("navigate", args{"url": site.URL + "/greet"}, "alert", "hello")
	open("snapshot", args{}, "alert", "hello")
	a.call("accept_next_dialog", args{"session_id": id})
	a.call("navigate", args{"session_id": id, "url": site.URL + "/ask"})
	a.try("evaluate", args{"session_id": id, "expression": "void setTimeout(() => { said.textContent = confirm('late?') }, 20)"})
	open("wait_for_selector", args{"selector": "#none"}, "confirm", "late?")

	// The tools that do not need the page work on.
	tabs := a.call("list_tabs", args{"session_id": id}).fields["tabs"].([]any)
	if tab := tabs[0].(map[string]any); tab["url"] != site.URL+"/ask" || tab["active"] != true {
		t.Errorf("the tab is %v", tab)
	}
	a.call("switch_tab", args{"session_id": id, "tab_id": "t1"})
	a.call("dismiss_next_dialog", args{"session_id": id})
	if got := said(); got != "false" {
		t.Errorf("the dismissed confirm returned %v", got)
	}

	// The call that opens it, and every one after it.
	open("click", args{"selector": "#ask"}, "confirm", "sure?")
	open("click", args{"selector": "#ask"}, "confirm", "sure?")
	open("wait_for_url", args{"url": "**"}, "confirm", "sure?")
	a.call("accept_next_dialog", args{"session_id": id, "tab_id": "t1"})
	if got := said(); got != "true" {
		t.Errorf("the accepted confirm returned %v", got)
	}

	// Prepared, for one dialog.
	a.call("dismiss_next_dialog", args{"session_id": id})
	a.call("accept_next_dialog", args{"session_id": id, "prompt_text": "hunter2-☃"})
	a.call("click", args{"session_id": id, "selector": "#prompt"})
	if got := said(); got != "hunter2-☃" {
		t.Errorf("prompt returned %v", got)
	}
	open("click", args{"selector": "#prompt"}, "prompt", "name?")
	a.call("accept_next_dialog", args{"session_id": id})
	if got := said(); got != "Ada" {
		t.Errorf("prompt without a text returned %v", got)
	}

	// The page asks to be kept, having been acted on.
	a.evaluate(id, "void addEventListener('beforeunload', event => event.preventDefault())")
	open("navigate", args{"url": site.URL + "/form"}, "beforeunload", "")
	a.call("dismiss_next_dialog", args{"session_id": id})
	if got := a.evaluate(id, "location.pathname"); got != "/ask" {
		t.Errorf("the tab left for %v", got)
	}
	a.call("accept_next_dialog", args{"session_id": id})
	a.call("navigate", args{"session_id": id, "url": site.URL + "/form"})

	// A tab closes with its dialog, and a session with its.
	open("evaluate", args{"expression": "alert('bye')"}, "alert", "bye")
	a.call("new_tab", args{"session_id": id})
	a.call("close_tab", args{"session_id": id, "tab_id": "t1"})
	a.refused("TAB_NOT_FOUND", "accept_next_dialog", args{"session_id": id, "tab_id": "t1"})
	a.refused("DIALOG_OPEN", "evaluate", args{"session_id": id, "expression": "alert('bye')"})
	a.call("close_session", args{"session_id": id})

	if strings.Contains(p.output(), "hunter2") {
		t.Error("the log holds the text for a prompt")
	}
}
