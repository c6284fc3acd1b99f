package e2e

import (
	"bufio"
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// suite runs the MCP conformance suite against a server and returns what it printed. It fails the test
// when a check failed.
func suite(t *testing.T, url string, args ...string) string {
	t.Helper()
	script := filepath.Join(packages(t), "@modelcontextprotocol", "conformance", "dist", "index.js")
	out, err := node(t, patience, append([]string{script, "server", "--url", url}, args...)...)
	if err != nil {
		t.Errorf("%v: %v\n%s", args, err, out)
	}
	return out
}

// The suite's fixtures, on the product's transports and behind its guard, pass everything that the suite
// has for the version.
func TestTransportConforms(t *testing.T) {
	work(t)
	cmd := exec.Command(conformance)
	log := newTranscript()
	cmd.Stderr = log
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("log of the server:\n%s", log)
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url := strings.TrimSpace(line)

	out := suite(t, url, "--spec-version", stateful)
	if want := "Total: 40 passed, 0 failed"; !strings.Contains(out, want) {
		t.Errorf("the active suite did not end with %q:\n%s", want, out)
	}
	out = suite(t, url, "--scenario", "json-schema-2020-12")
	if want := "Passed: 4/4, 0 failed, 0 warnings"; !strings.Contains(out, want) {
		t.Errorf("the schema scenario did not end with %q:\n%s", want, out)
	}
	// Warns all the same: the scenario claims a version that had no priming event.
	suite(t, url, "--scenario", "server-sse-polling")
}

// The same fixtures over stdio, in the older era, where the server asks the client things in the middle of
// a call.
func TestTransportConformsOverStdio(t *testing.T) {
	work(t)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	progress := make(chan float64, 10)
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"username": "ada", "email": "ada@example.com"}}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { progress <- r.Params.Progress },
	})
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: exec.Command(conformance, "-stdio")},
		&mcp.ClientSessionOptions{ProtocolVersion: stateful})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	call := func(name string, in map[string]any) string {
		t.Helper()
		params := &mcp.CallToolParams{Name: name, Arguments: in}
		params.SetProgressToken(name)
		res, err := session.CallTool(ctx, params)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text, _ := res.Content[0].(*mcp.TextContent)
		return text.Text
	}
	if got := call("test_elicitation", map[string]any{"message": "who?"}); !strings.Contains(got, "ada@example.com") {
		t.Errorf("elicitation: %s", got)
	}
	call("test_tool_with_progress", map[string]any{})
	for _, want := range []float64{0, 50, 100} {
		select {
		case got := <-progress:
			if got != want {
				t.Errorf("progress %v, not %v", got, want)
			}
		case <-ctx.Done():
			t.Fatal("no progress")
		}
	}
	read, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "test://template/7/data"})
	if err != nil || !strings.Contains(read.Contents[0].Text, `"id":"7"`) {
		t.Errorf("resource: %v %v", read, err)
	}
}

// The product passes what asks for no fixtures.
func TestProductConforms(t *testing.T) {
	work(t)
	p := start(t, setup{})
	for _, scenario := range []string{"server-initialize", "ping", "tools-list", "server-sse-multiple-streams", "dns-rebinding-protection"} {
		out := suite(t, p.url+"/mcp", "--scenario", scenario)
		if !strings.Contains(out, ", 0 failed, 0 warnings") || strings.Contains(out, "Passed: 0/") {
			t.Errorf("%s:\n%s", scenario, out)
		}
	}
}
