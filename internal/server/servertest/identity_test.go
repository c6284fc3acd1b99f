package servertest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/internal/httpapi"
)

// reply is what a request got.
type reply struct {
	status  int
	cookies []*http.Cookie
	body    string
}

// ask sends a request with headers, given as names and values.
func ask(t *testing.T, s *Server, method, path string, body any, header ...string) reply {
	t.Helper()
	var content io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		content = bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL()+path, content)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
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
	return reply{res.StatusCode, res.Cookies(), string(raw)}
}

// The whole server makes what its first start needs, and lets in whoever has it.
func TestFirstStart(t *testing.T) {
	t.Parallel()
	s := Start(t, map[string]any{config.KeyAdmin: true, config.KeyAuth: config.AuthToken})
	first := s.First()
	if first.Token == "" || first.Password == "" {
		t.Fatalf("%+v", first)
	}
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	mcp := []string{"Accept", "application/json, text/event-stream", "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/list"}
	for token, want := range map[string]int{first.Token: http.StatusOK, first.Token[1:]: http.StatusUnauthorized} {
		got := ask(t, s, "POST", "/mcp", json.RawMessage(list), append(mcp, "Authorization", "Bearer "+token)...)
		if got.status != want {
			t.Errorf("%d: %s", got.status, got.body)
		}
	}
	login := ask(t, s, "POST", "/api/v1/auth/login", map[string]any{"password": first.Password})
	if login.status != http.StatusOK || len(login.cookies) != 1 {
		t.Fatalf("%d: %s", login.status, login.body)
	}
	cookie := httpapi.Cookie + "=" + login.cookies[0].Value
	const own = "a password of my own"
	change := map[string]any{"current_password": first.Password, "new_password": own}
	if got := ask(t, s, "POST", "/api/v1/auth/change-password", change, "Cookie", cookie); got.status != http.StatusOK {
		t.Fatalf("%d: %s", got.status, got.body)
	}
	if _, err := os.Stat(first.File); !os.IsNotExist(err) {
		t.Errorf("the file of the generated password is there: %v", err)
	}
	// Nothing that was shown or sent stands in the data directory, nor in the log.
	secrets := []string{first.Token, first.Password, own, login.cookies[0].Value}
	err := filepath.WalkDir(s.DataDir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		for i, secret := range secrets {
			if strings.Contains(string(raw), secret) {
				t.Errorf("%s holds secret %d", path, i)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, secret := range secrets {
		if strings.Contains(s.Output(), secret) {
			t.Errorf("the log holds secret %d", i)
		}
	}
	if !strings.Contains(s.Output(), "password.change") {
		t.Error("the change is not logged")
	}
}
