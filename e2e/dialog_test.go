package e2e

import (
	"testing"
	"time"
)

// A page that opens dialogs of its own accord does not hold up a call.
func TestDialogsDoNotHoldUpCalls(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	site.page("/alert", "Alerts", `<p id=said></p><button onclick="said.textContent = String(confirm('sure?'))">Ask</button>
		<a href="/form">Leave</a>
		<script>alert('hello'); prompt('name?'); addEventListener('beforeunload', e => { e.preventDefault(); e.returnValue = 'stay' });</script>`)
	a := start(t, setup{}).connect(stateful)
	id := a.launch()
	began := time.Now()
	a.call("navigate", args{"session_id": id, "url": site.URL + "/alert"})
	a.call("click", args{"session_id": id, "selector": "button"})
	if got := a.evaluate(id, "document.querySelector('#said').textContent"); got != "false" {
		t.Errorf("confirm answered %v", got)
	}
	if got := a.evaluate(id, "(alert('again'), confirm('really?'))"); got != false {
		t.Errorf("confirm in a script answered %v", got)
	}
	a.call("snapshot", args{"session_id": id})
	// The page asks to be kept, having been acted on; leaving it was asked for all the same.
	a.call("navigate", args{"session_id": id, "url": site.URL + "/form"})
	if got := a.evaluate(id, "location.pathname"); got != "/form" {
		t.Errorf("the tab is at %v", got)
	}
	// Each call has 30 seconds; one that waited for a dialog would have used them up.
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("took %v", took)
	}
}
