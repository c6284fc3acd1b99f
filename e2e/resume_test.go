package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// A client whose stream dropped in the middle of a call gets the result when it comes back with the id of
// the last event that it saw.
func TestResumeAfterADroppedStream(t *testing.T) {
	work(t)
	site := newSite(t)
	held, release := make(chan struct{}), make(chan struct{})
	site.mux.HandleFunc("/hold", func(w http.ResponseWriter, _ *http.Request) {
		close(held)
		<-release
		fmt.Fprint(w, "worth the wait")
	})
	p := tenant(t)
	id := p.connect(stateful).launch()

	s := p.openMCP()
	stream, _ := s.call(2, "navigate", args{"session_id": id, "url": site.URL + "/form"}) //nolint:bodyclose // open closes it when the test ends
	if _, err := io.Copy(io.Discard, stream.Body); err != nil {                           // It ends with the answer.
		t.Fatal(err)
	}
	stream, from := s.call(3, "evaluate", args{"session_id": id, "expression": "fetch('/hold').then(r => r.text())"})
	<-held
	_ = stream.Body.Close()
	close(release)

	s.header["Last-Event-ID"] = from
	again := p.open(exchange{method: http.MethodGet, path: "/mcp", header: s.header}) //nolint:bodyclose // open closes it when the test ends
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
