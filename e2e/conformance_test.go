package e2e

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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
	t.Parallel()
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

// The product passes what asks for no fixtures.
func TestProductConforms(t *testing.T) {
	t.Parallel()
	p := start(t, setup{})
	for _, scenario := range []string{"server-initialize", "ping", "tools-list", "server-sse-multiple-streams", "dns-rebinding-protection"} {
		out := suite(t, p.url+"/mcp", "--scenario", scenario)
		if !strings.Contains(out, ", 0 failed, 0 warnings") || strings.Contains(out, "Passed: 0/") {
			t.Errorf("%s:\n%s", scenario, out)
		}
	}
}
