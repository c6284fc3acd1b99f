package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/hosttest"
)

// The two eras of the protocol: one with MCP sessions, one in which every request stands alone.
const (
	stateful  = "2025-11-25"
	stateless = "2026-07-28"
)

// agent is an MCP client that holds every answer to what the server advertises.
type agent struct {
	t       testing.TB
	session *mcp.ClientSession
	list    []*mcp.Tool
	output  map[string]*contract.Validator
	saw     func(tool, outcome string) // when set, is told of each answer that follows the contract
}

// connect makes an agent of the program, which has to speak the version.
func (p *product) connect(version string) *agent {
	p.t.Helper()
	if p.stdout != nil {
		return connect(p.t, &mcp.IOTransport{Reader: p.stdout, Writer: p.stdin}, version)
	}
	if p.token != "" {
		return p.connectAs(p.token, version)
	}
	return connect(p.t, &mcp.StreamableClientTransport{Endpoint: p.url + "/mcp"}, version)
}

// connectAs is connect over HTTP with a token.
func (p *product) connectAs(token, version string) *agent {
	p.t.Helper()
	return connect(p.t, &mcp.StreamableClientTransport{
		Endpoint: p.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)},
	}, version)
}

// bearer sends a token with every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func connect(t testing.TB, transport mcp.Transport, version string) *agent {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() { _ = session.Close() })
	if got := session.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("the server speaks %s, not %s", got, version)
	}
	a := &agent{t: t, session: session, output: map[string]*contract.Validator{}}
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		t.Fatalf("tools/list: %v", err)
	}
	a.list = list.Tools
	for _, tool := range a.list {
		schema, err := json.Marshal(tool.OutputSchema)
		if err != nil {
			t.Fatal(err)
		}
		if a.output[tool.Name], err = compiled(tool.Name, string(schema)); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// compiled is the validator of a tool's output schema. All servers advertise the same ones.
func compiled(tool, schema string) (*contract.Validator, error) {
	validators.Lock()
	defer validators.Unlock()
	if v := validators.of[schema]; v != nil {
		return v, nil
	}
	v, err := contract.Compile(tool, []byte(schema))
	if err == nil {
		validators.of[schema] = v
	}
	return v, err
}

var validators = struct {
	sync.Mutex
	of map[string]*contract.Validator
}{of: map[string]*contract.Validator{}}

// answer is what a call that succeeded brought.
type answer struct {
	fields map[string]any
	text   string
	image  []byte
}

// failure is what a call that failed brought.
type failure struct {
	Code, Message, Hint string
	Retryable           string
	Details             map[string]any
}

type args map[string]any

// worked is the outcome of a call that did not fail.
const worked = "a success"

// try calls a tool. Whatever comes has to be something that the tool declares.
func (a *agent) try(tool string, in args) (answer, *failure) {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	res, err := a.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: in})
	if err != nil {
		a.t.Fatalf("%s: %v", tool, err)
	}
	var out answer
	for _, c := range res.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			out.text = c.Text
		case *mcp.ImageContent:
			out.image = c.Data
		}
	}
	if res.IsError {
		return answer{}, a.failure(tool, res, out.text)
	}
	raw, err := json.Marshal(res.StructuredContent)
	if err != nil {
		a.t.Fatal(err)
	}
	if _, issues := a.output[tool].Check(raw); len(issues) > 0 {
		a.t.Errorf("%s: structured content breaks the output schema: %v", tool, issues)
	}
	if err := json.Unmarshal(raw, &out.fields); err != nil {
		a.t.Fatalf("%s: %v", tool, err)
	}
	if a.saw != nil {
		a.saw(tool, worked)
	}
	return out, nil
}

func (a *agent) failure(tool string, res *mcp.CallToolResult, text string) *failure {
	a.t.Helper()
	raw, err := json.Marshal(res.Meta["browserhive.ai/error"])
	if err != nil {
		a.t.Fatal(err)
	}
	f := &failure{}
	if err := json.Unmarshal(raw, f); err != nil {
		a.t.Fatalf("%s: %v", tool, err)
	}
	if want := "[" + f.Code + "] " + f.Message; text != want {
		a.t.Errorf("%s: the text is %q, not %q", tool, text, want)
	}
	if res.StructuredContent != nil {
		a.t.Errorf("%s: an error with structured content", tool)
	}
	for _, d := range tools.Catalogue {
		if d.Name == tool && !slices.Contains(d.Errors, contract.Code(f.Code)) {
			a.t.Errorf("%s does not declare %s", tool, f.Code)
		}
	}
	if a.saw != nil {
		a.saw(tool, f.Code)
	}
	return f
}

// call calls a tool that has to succeed.
func (a *agent) call(tool string, in args) answer {
	a.t.Helper()
	out, f := a.try(tool, in)
	if f != nil && tool == "launch_session" {
		out, f = a.again(in, f)
	}
	if f != nil {
		a.t.Fatalf("%s: [%s] %s %v", tool, f.Code, f.Message, f.Details)
	}
	return out
}

// again launches once more after a launch that ran out on a host that is slow: the server's limit for a call is the
// same on every host, and the first launch of a server, which starts the driver, too, takes some seconds of it on
// an ordinary one.
func (a *agent) again(in args, f *failure) (answer, *failure) {
	a.t.Helper()
	if f.Code != "CALL_TIMEOUT" || !hosttest.Slow() {
		return answer{}, f
	}
	a.t.Logf("a launch took more than the server's limit")
	return a.try("launch_session", in)
}

// refused calls a tool that has to fail with the code.
func (a *agent) refused(code, tool string, in args) *failure {
	a.t.Helper()
	out, f := a.try(tool, in)
	if f == nil {
		a.t.Fatalf("%s succeeded, %s was expected: %v", tool, code, out.fields)
	}
	if f.Code != code {
		a.t.Errorf("%s: [%s] %s, not %s", tool, f.Code, f.Message, code)
	}
	return f
}

// launch launches a session and returns its id.
func (a *agent) launch() string {
	a.t.Helper()
	return a.call("launch_session", args{"slug": "test"}).fields["session_id"].(string)
}

// evaluate runs a script in the active tab and returns its value.
func (a *agent) evaluate(id, script string) any {
	a.t.Helper()
	return a.call("evaluate", args{"session_id": id, "expression": script}).fields["result"]
}
