package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/browserhive/browserhive/internal/hosttest"
)

// ways are how a client takes back a call. begin sends the call and returns what takes it back.
var ways = []struct {
	name  string
	stdio bool
	begin func(p *product, a *agent, tool string, in args) (takeBack func())
}{
	{"notifications/cancelled over HTTP", false, func(p *product, _ *agent, tool string, in args) func() {
		return p.connect(stateful).begin(tool, in)
	}},
	{"notifications/cancelled over stdio", true, func(_ *product, a *agent, tool string, in args) func() {
		return a.begin(tool, in)
	}},
	{"a stateless request that drops", false, func(p *product, _ *agent, tool string, in args) func() {
		return p.connect(stateless).begin(tool, in)
	}},
	{"DELETE of the MCP session", false, func(p *product, _ *agent, tool string, in args) func() {
		s := p.openMCP()
		s.call(2, tool, in)
		return func() {
			if r := p.send(exchange{method: http.MethodDelete, path: "/mcp", header: s.header}); r.status/100 != 2 {
				p.t.Errorf("DELETE answers %d %s", r.status, r.body)
			}
		}
	}},
	// A call that changes no tab waits for no other, so it can close the session under one.
	{"close_session", false, func(p *product, a *agent, tool string, in args) func() {
		takeBack := p.connect(stateful).begin(tool, in)
		return func() {
			a.call("close_session", args{"session_id": in["session_id"]})
			takeBack()
		}
	}},
}

// begin sends a call. What it returns cancels the call and waits for the client to let it go.
func (a *agent) begin(tool string, in args) (takeBack func()) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = a.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: in})
	}()
	return func() { cancel(); <-done }
}

// mcpSession is a stateful session without a client in between.
type mcpSession struct {
	p      *product
	header map[string]string
}

func (p *product) openMCP() *mcpSession {
	p.t.Helper()
	r := p.send(exchange{path: "/mcp", body: initialize})
	s := &mcpSession{p, map[string]string{"Mcp-Session-Id": r.header.Get("Mcp-Session-Id"), "Mcp-Protocol-Version": stateful}}
	p.send(exchange{path: "/mcp", header: s.header, body: `{"jsonrpc":"2.0","method":"notifications/initialized"}`})
	return s
}

// call sends a call and returns the stream that its answer comes on, and the id of the stream's first event,
// which comes at once.
func (s *mcpSession) call(n int, tool string, in args) (stream *http.Response, from string) {
	s.p.t.Helper()
	params, err := json.Marshal(map[string]any{"name": tool, "arguments": in})
	if err != nil {
		s.p.t.Fatal(err)
	}
	stream = s.p.open(exchange{path: "/mcp", header: s.header, body: fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`, n, params)})
	first := readEvent(s.p.t, bufio.NewReader(stream.Body))
	if first.id == "" || first.data != "" {
		s.p.t.Fatalf("the stream begins with %+v, not with an event to resume from", first)
	}
	return stream, first.id
}

// failed waits until the log says that a call of the tool on the session failed, and returns its code.
func (p *product) failed(tool, session string) (code string) {
	p.t.Helper()
	deadline := time.After(patience)
	for {
		changed := p.log.changes()
		for line := range strings.Lines(p.output()) {
			var entry struct {
				Msg, Tool, Code string
				SessionID       string `json:"session_id"`
			}
			if json.Unmarshal([]byte(line), &entry) == nil && entry.Tool == tool && entry.SessionID == session && entry.Code != "" {
				return entry.Code
			}
		}
		select {
		case <-changed:
		case <-deadline:
			p.t.Fatalf("%s on %s does not fail", tool, session)
		}
	}
}

// heldPage has a button under a cover. A click on it scrolls there, which the site is told of, and then
// waits for the cover to go.
const heldPage = `<div style="height:3000px"></div><button id="late" onclick="clicks++">Late</button>
	<div id="cover" style="position:fixed;inset:0"></div>
	<script>
		window.clicks = 0;
		window.tell = () => fetch('/began', {method: 'POST', body: '{}'});
		onscroll = () => { onscroll = null; tell() };
		window.forever = () => { tell(); return new Promise(() => {}) };
	</script>`

// retried is longer than the driver waits between two attempts at an element, which is half a second.
const retried = `new Promise(resolve => setTimeout(resolve, 800))`

// atOnce is far less than the calls that are cancelled here would take, and enough on a busy machine.
var atOnce = hosttest.Limit(10 * time.Second)

// Whichever way a client takes a call back, the call ends at once, the page sees nothing of it later, and
// the next call on the tab works.
func TestCancelledCallsStop(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			work(t)
			site := newSite(t)
			site.page("/held", "Held", heldPage)
			began := site.reports("/began")
			arrived, dropped := make(chan struct{}, 1), make(chan struct{}, 1)
			site.mux.HandleFunc("/silent", func(_ http.ResponseWriter, r *http.Request) {
				arrived <- struct{}{}
				<-r.Context().Done()
				dropped <- struct{}{}
			})
			p := server(t, way.stdio)
			a := p.connect(stateful)
			closes, session := way.name == "close_session", ""
			// cancelled runs a call into a wait, takes it back, and wants it to have ended at once.
			cancelled := func(tool string, more args, waits func()) (id string) {
				t.Helper()
				if id = session; id == "" || closes {
					id = a.launch()
				}
				session = id
				a.call("navigate", args{"session_id": id, "url": site.URL + "/held"})
				in := args{"session_id": id, "timeout": 120_000}
				for k, v := range more {
					in[k] = v
				}
				if tool == "evaluate" {
					delete(in, "timeout")
				}
				takeBack := way.begin(p, a, tool, in)
				waits()
				since := time.Now()
				takeBack()
				if code := p.failed(tool, id); code != "CALL_CANCELLED" && (!closes || code != "PAGE_CLOSED") {
					t.Errorf("%s ended as %q", tool, code)
				}
				if !closes {
					a.call("list_tabs", args{"session_id": id})
					a.call("snapshot", args{"session_id": id})
				}
				if took := time.Since(since); took > atOnce {
					t.Errorf("%s: the next call on the tab had to wait %v", tool, took)
				}
				return id
			}

			id := cancelled("click", args{"selector": "#late"}, func() { next(t, began) })
			if !closes {
				a.evaluate(id, "cover.remove()")
				a.evaluate(id, retried)
				if clicks := a.evaluate(id, "clicks"); clicks != 0.0 {
					t.Errorf("the cancelled click came %v times", clicks)
				}
				a.call("click", args{"session_id": id, "selector": "#late"})
				if clicks := a.evaluate(id, "clicks"); clicks != 1.0 {
					t.Errorf("one click after it came %v times", clicks)
				}
			}
			cancelled("evaluate", args{"expression": "forever()"}, func() { next(t, began) })
			id = cancelled("navigate", args{"url": site.URL + "/silent"}, func() { signalled(t, arrived, "the navigation") })
			signalled(t, dropped, "the browser to drop the request")
			if !closes {
				a.call("navigate", args{"session_id": id, "url": site.URL + "/held"})
			}
			if closes && len(a.call("list_sessions", nil).fields["sessions"].([]any)) != 0 {
				t.Error("closed sessions are listed")
			}
		})
	}
}

// signalled waits for a signal.
func signalled(t *testing.T, c <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatalf("waited in vain for %s", what)
	}
}

// A wait that is cancelled ends at once, though nothing on the page shows that it ran.
func TestCancelledWaitsEnd(t *testing.T) {
	work(t)
	site := newSite(t)
	p := tenant(t)
	a := p.connect(stateful)
	id := a.launch()
	for tool, in := range map[string]args{
		"wait_for_selector":   {"selector": "#never"},
		"wait_for_url":        {"url": "**/never"},
		"wait_for_load_state": {"state": "networkidle"},
		"download_file":       {"trigger_selector": "button[disabled]"},
	} {
		site.page("/"+tool, tool, `<button disabled>Never</button>`)
		site.mux.HandleFunc("/"+tool+"/hang", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		a.call("navigate", args{"session_id": id, "url": site.URL + "/" + tool})
		if tool == "wait_for_load_state" {
			a.evaluate(id, "void fetch('/"+tool+"/hang')") // keeps the network busy
		}
		in["session_id"], in["timeout"] = id, 120_000
		s, lease := p.openMCP(), a.lease(id)
		s.call(2, tool, in) //nolint:bodyclose // open closes it when the test ends
		eventually(t, func() bool { return a.lease(id) != lease }, func() string { return tool + " does not arrive" })
		since := time.Now()
		p.send(exchange{path: "/mcp", header: s.header, body: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`})
		if code := p.failed(tool, id); code != "CALL_CANCELLED" {
			t.Errorf("%s ended as %q", tool, code)
		}
		a.call("press_key", args{"session_id": id, "key": "a"})
		if took := time.Since(since); took > atOnce {
			t.Errorf("%s: the next call on the tab had to wait %v", tool, took)
		}
	}
}

// lease is when the session's lease ends, which every call on the session moves as soon as it has arrived.
func (a *agent) lease(id string) any {
	a.t.Helper()
	for _, entry := range a.call("list_sessions", nil).fields["sessions"].([]any) {
		if s := entry.(map[string]any); s["session_id"] == id {
			return s["lease_expires_at"]
		}
	}
	a.t.Fatalf("%s is not listed", id)
	return nil
}

// A client of stdio that goes away takes its calls with it, and the program ends.
func TestEOFCancelsCalls(t *testing.T) {
	work(t)
	site := newSite(t)
	site.page("/held", "Held", heldPage)
	began := site.reports("/began")
	p := start(t, setup{stdio: true})
	a := p.connect(stateful)
	id := a.launch()
	a.call("navigate", args{"session_id": id, "url": site.URL + "/held"})
	takeBack := a.begin("click", args{"session_id": id, "selector": "#late", "timeout": 120_000})
	next(t, began)
	since := time.Now()
	if code := p.stop(p.closeStdin); code != 0 {
		t.Errorf("exit %d", code)
	}
	if took := time.Since(since); took > atOnce {
		t.Errorf("the program took %v to end", took)
	}
	if code := p.failed("click", id); code != "CALL_CANCELLED" && code != "PAGE_CLOSED" {
		t.Errorf("the click ended as %q", code)
	}
	takeBack()
}
