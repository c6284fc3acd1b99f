package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/tools"
)

// Both transports speak both eras of the protocol, and list the tools of the contract in its order. Tools
// that are declared and not built say so.
func TestToolsOverEveryTransportAndEra(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"http", "stdio"} {
		for _, era := range []string{stateful, stateless} {
			t.Run(transport+" "+era, func(t *testing.T) {
				work(t)
				a := start(t, setup{stdio: transport == "stdio"}).connect(era)
				if len(a.list) == 0 || len(a.list) != len(tools.Catalogue) {
					t.Fatalf("%d tools are listed, %d are in the contract", len(a.list), len(tools.Catalogue))
				}
				for i, d := range tools.Catalogue {
					got := a.list[i]
					if got.Name != d.Name || got.Title != d.Title || got.Description == "" || got.OutputSchema == nil || got.Annotations == nil {
						t.Errorf("tool %d is %s, not %s as declared", i, got.Name, d.Name)
					}
					if d.Planned {
						a.refused("TOOL_NOT_AVAILABLE", d.Name, nil)
					}
				}
				if v := a.call("server_status", nil).fields["transport"]; v != transport {
					t.Errorf("transport %v", v)
				}
			})
		}
	}
}

// What tools advertise follows the configuration, and so does what they do.
func TestAdvertisedDefaultsFollowTheConfiguration(t *testing.T) {
	work(t)
	a := start(t, setup{args: []string{"--defaultChannel", "edge", "--defaultHeadless=false"}}).connect(stateless)
	for _, tool := range a.list {
		if tool.Name != "launch_session" {
			continue
		}
		raw, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var schema struct {
			Properties map[string]struct{ Default any }
		}
		if err := json.Unmarshal(raw, &schema); err != nil {
			t.Fatal(err)
		}
		if c, h := schema.Properties["channel"].Default, schema.Properties["headless"].Default; c != "edge" || h != false {
			t.Errorf("channel %v, headless %v", c, h)
		}
	}
	// This host shows no windows, or has no Edge.
	if _, f := a.try("launch_session", args{"slug": "test"}); f == nil {
		t.Error("a session was launched with the built-in defaults")
	}
}

// frame is a JSON-RPC message as a client of stdio reads it.
type frame struct {
	JSONRPC string
	ID      any
	Result  json.RawMessage
	Error   *struct {
		Code    int
		Message string
	}
	Method string
}

// wire is stdio without a client in between.
type wire struct {
	t  *testing.T
	to io.Writer
	in *bufio.Reader
}

func (w wire) send(line string) {
	w.t.Helper()
	if _, err := io.WriteString(w.to, line+"\n"); err != nil {
		w.t.Fatal(err)
	}
}

// next is the next line, which has to be a frame.
func (w wire) next() frame {
	w.t.Helper()
	line, err := w.in.ReadBytes('\n')
	if err != nil {
		w.t.Fatalf("stdout: %v after %q", err, line)
	}
	var f frame
	if err := json.Unmarshal(line, &f); err != nil || f.JSONRPC != "2.0" {
		w.t.Fatalf("stdout carries %q", line)
	}
	return f
}

// reply is the next frame, which has to answer the request with the id.
func (w wire) reply(id any) frame {
	w.t.Helper()
	f := w.next()
	if fmt.Sprint(f.ID) != fmt.Sprint(id) {
		w.t.Fatalf("the reply is for %v, not for %v", f.ID, id)
	}
	return f
}

// Under stdio only frames go to stdout, however much is logged; a line that is no message is answered
// and the session goes on; a closed stdin ends the program.
func TestStdioCarriesOnlyFrames(t *testing.T) {
	work(t)
	site := newSite(t)
	p := start(t, setup{stdio: true, args: []string{"--logLevel", "trace"}})
	w := wire{t, p.stdin, bufio.NewReader(p.stdout)}
	for line, code := range map[string]int{
		`this is no JSON`: -32700, `{"jsonrpc":"2.0","id":`: -32700, `"text"`: -32600, `[]`: -32600,
	} {
		w.send(line)
		if f := w.reply(nil); f.Error == nil || f.Error.Code != code {
			t.Errorf("%s is answered %+v", line, f.Error)
		}
	}
	w.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`)
	w.reply(1)
	w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	call := func(id int, tool string, in args) map[string]any {
		t.Helper()
		params, err := json.Marshal(map[string]any{"name": tool, "arguments": in})
		if err != nil {
			t.Fatal(err)
		}
		w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`, id, params))
		var res struct {
			IsError           bool
			StructuredContent map[string]any
			Content           []struct{ Text string }
		}
		if err := json.Unmarshal(w.reply(id).Result, &res); err != nil || res.IsError {
			t.Fatalf("%s: %v %v", tool, err, res.Content)
		}
		return res.StructuredContent
	}
	id := call(2, "launch_session", args{"slug": "raw"})["session_id"]
	call(3, "navigate", args{"session_id": id, "url": site.URL + "/form"})
	w.send("again no JSON")
	w.reply(nil)
	if tree := fmt.Sprint(call(4, "snapshot", args{"session_id": id})["tree"]); !strings.Contains(tree, "Your name") {
		t.Errorf("after a malformed line the page is %s", tree)
	}
	if code := p.stop(p.closeStdin); code != 0 {
		t.Errorf("exit %d after stdin closed", code)
	}
	for {
		line, err := w.in.ReadBytes('\n')
		if err != nil {
			break
		}
		if !json.Valid(line) {
			t.Errorf("stdout carries %q", line)
		}
	}
	if !strings.Contains(p.log.String(), `"msg":"tool called"`) {
		t.Errorf("the log is not on stderr:\n%s", p.log)
	}
}
