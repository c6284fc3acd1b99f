package e2e

import (
	"net/http"
	"testing"
)

// Calls that change a tab run in the order in which they came, whatever they wait for. Calls that only
// look, calls on other tabs and calls on other sessions do not wait for them.
func TestCallsOnATabKeepTheirOrder(t *testing.T) {
	work(t)
	site := newSite(t)
	site.page("/late", "Late", `<p id="log"></p><button onclick="log.textContent += 2" id="now">Now</button><script>
		window.show = () => document.body.insertAdjacentHTML("beforeend", '<button id="late" onclick="log.textContent += 1">Late</button>');
	</script>`)
	looked := make(chan struct{})
	site.mux.HandleFunc("/looked", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-looked:
		case <-r.Context().Done():
		}
	})
	a := tenant(t).connect(stateful)
	id := a.launch()
	a.call("navigate", args{"session_id": id, "url": site.URL + "/late"})
	other := a.launch()
	tab := a.call("new_tab", args{"session_id": id, "url": site.URL + "/late"}).fields["tab_id"]
	a.call("switch_tab", args{"session_id": id, "tab_id": "t1"})
	a.evaluate(id, `void fetch('/looked').then(show)`)

	done := make(chan string, 2)
	click := func(selector string) {
		if _, f := a.try("click", args{"session_id": id, "selector": selector, "timeout": ample}); f != nil {
			t.Errorf("click %s: [%s] %s", selector, f.Code, f.Message)
		}
		done <- selector
	}
	go click("#late") // its button comes when all others have looked
	a.call("snapshot", args{"session_id": id})
	go click("#now")
	a.call("wait_for_selector", args{"session_id": id, "selector": "#now"})
	a.call("hover", args{"session_id": id, "tab_id": tab, "selector": "#now"})
	a.evaluate(other, "1")
	if len(done) != 0 {
		t.Error("a click is done before its turn")
	}
	close(looked)
	<-done // both end within their timeout
	<-done
	if got := a.evaluate(id, "log.textContent"); got != "12" {
		t.Errorf("the page saw the clicks as %v", got)
	}
}
