package servertest

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/config"
)

// call calls a tool by a request that stands alone, and returns its structured content or its error.
func call(t *testing.T, s *Server, tool string, args map[string]any) (fields map[string]any, failed string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
		"name": tool, "arguments": args, "_meta": map[string]any{
			"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": map[string]any{},
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+"/mcp", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool,
	} {
		r.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	_, data, _ := strings.Cut(string(raw), "data: ")
	var m struct {
		Result struct {
			StructuredContent map[string]any
			IsError           bool
			Content           []struct{ Text string }
		}
	}
	if err := json.Unmarshal([]byte(data), &m); err != nil || len(m.Result.Content) == 0 {
		t.Fatalf("%s: %s: %v %s", tool, res.Status, err, raw)
	}
	if m.Result.IsError {
		return nil, m.Result.Content[0].Text
	}
	return m.Result.StructuredContent, ""
}

func TestStart(t *testing.T) {
	t.Parallel()
	s := Start(t, map[string]any{config.KeyMaxSessions: 1})
	launched, failed := call(t, s, "launch_session", map[string]any{"slug": "test"})
	if failed != "" {
		t.Fatal(failed)
	}
	id := launched["session_id"]
	page, failed := call(t, s, "navigate", map[string]any{"session_id": id, "url": "data:text/html,<title>Here</title>"})
	if failed != "" || page["title"] != "Here" {
		t.Errorf("navigate: %v %s", page, failed)
	}
	if _, failed := call(t, s, "launch_session", map[string]any{"slug": "more"}); !strings.HasPrefix(failed, "[SESSION_LIMIT_REACHED]") {
		t.Errorf("a second session: %s", failed)
	}
	if _, err := os.Stat(filepath.Join(s.DataDir, "sessions", id.(string))); err != nil {
		t.Error(err)
	}
}
