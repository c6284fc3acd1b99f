package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// A client whose stream dropped in the middle of a call gets the result when it comes back with the id of
// the last event that it saw.
func TestResumeAfterADroppedStream(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	held, release := make(chan struct{}), make(chan struct{})
	site.mux.HandleFunc("/hold", func(w http.ResponseWriter, _ *http.Request) {
		close(held)
		<-release
		fmt.Fprint(w, "worth the wait")
	})
	p := start(t, setup{})
	id := p.connect(stateful).launch()

	r := p.send(exchange{path: "/mcp", body: initialize})
	header := map[string]string{"Mcp-Session-Id": r.header.Get("Mcp-Session-Id"), "Mcp-Protocol-Version": stateful}
	p.send(exchange{path: "/mcp", header: header, body: `{"jsonrpc":"2.0","method":"notifications/initialized"}`})
	call := func(n int, tool string, in args) string {
		params, err := json.Marshal(map[string]any{"name": tool, "arguments": in})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`, n, params)
	}
	p.send(exchange{path: "/mcp", header: header, body: call(2, "navigate", args{"session_id": id, "url": site.URL + "/form"})})

	stream := p.open(exchange{path: "/mcp", header: header, body: call(3, "evaluate", args{
		"session_id": id, "expression": "fetch('/hold').then(r => r.text())",
	})})
	first := readEvent(t, bufio.NewReader(stream.Body))
	if first.id == "" || first.data != "" {
		t.Fatalf("the stream begins with %+v, not with an event to resume from", first)
	}
	<-held
	_ = stream.Body.Close()
	close(release)

	header["Last-Event-ID"] = first.id
	again := p.open(exchange{method: http.MethodGet, path: "/mcp", header: header}) //nolint:bodyclose // open closes it when the test ends
	if again.StatusCode != http.StatusOK {
		t.Fatal(again.Status)
	}
	events := bufio.NewReader(again.Body)
	for {
		e := readEvent(t, events)
		if e.data == "" {
			continue
		}
		if !strings.Contains(e.data, `"id":3`) || !strings.Contains(e.data, "worth the wait") {
			t.Errorf("resumed with %s", e.data)
		}
		return
	}
}
