package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/cli"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/datadir"
)

// agentStatus is what the door for agents answers to a token.
func agentStatus(t *testing.T, s served, token string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, "http://127.0.0.1:"+s.port+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// Without the REST API, commands of the same user issue tokens while the server runs, and those are valid at once.
func TestTokensOfARunningServer(t *testing.T) {
	t.Parallel()
	s := serving(t, "--auth", "token")
	token := strings.TrimSpace(ok(t, "", "admin", "tokens", "create", "ci-runner", "--dataDir", s.dir))
	if got := agentStatus(t, s, token); got == http.StatusUnauthorized {
		t.Error("the token is not valid")
	}
	golden(t, "admin/create", masked(token+"\n", s.dir))
	var list []types.APIToken
	if err := json.Unmarshal([]byte(ok(t, "", "admin", "tokens", "list", "--json", "--dataDir", s.dir)), &list); err != nil || len(list) != 2 {
		t.Errorf("%v %v", list, err)
	}
	if code, _, stderr := run(t, "admin", "tokens", "create", "ci-runner", "--dataDir", s.dir); code != cli.ExitFailure || !strings.Contains(stderr, "taken") {
		t.Errorf("a name that is taken: %d %s", code, stderr)
	}
	golden(t, "admin/revoke", masked(ok(t, "", "admin", "tokens", "revoke", "ci-runner", "--dataDir", s.dir), s.dir))
	if got := agentStatus(t, s, token); got != http.StatusUnauthorized {
		t.Errorf("a revoked token answers %d", got)
	}
	if log := s.out.String() + s.errs.String(); strings.Contains(log, token) {
		t.Error("the log holds the token")
	}

	dir := &datadir.Dir{Root: s.dir}
	socket := filepath.Join(s.dir, "browserhive.sock")
	if info, err := os.Lstat(socket); runtime.GOOS != "windows" && (err != nil || info.Mode() != os.ModeSocket|0o600) {
		t.Errorf("the socket: %v %v", info, err)
	}
	// It opens what commands need, and nothing else of the API, nor the door for agents.
	client := &http.Client{Transport: &http.Transport{DialContext: dialer(dir)}}
	for path, want := range map[string]int{
		"/api/v1/auth/tokens": http.StatusOK, "/api/v1/auth/sessions": http.StatusNotFound, "/mcp": http.StatusNotFound, "/": http.StatusNotFound,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s over the socket: %d, want %d", path, res.StatusCode, want)
		}
	}
	client.CloseIdleConnections()
	s.stop()
	if _, err := os.Lstat(socket); !os.IsNotExist(err) {
		t.Errorf("the socket is left: %v", err)
	}
	ok(t, "", "admin", "tokens", "create", "later", "--dataDir", s.dir)
}

// The generated password of a running server is replaced without its address and without a browser.
func TestPasswordOfARunningServer(t *testing.T) {
	t.Parallel()
	s := serving(t, "--admin")
	file := filepath.Join(s.dir, "admin", "credentials.txt")
	const first, second = "a password of my own", "another one of my own"
	if out := ok(t, first+"\n", "admin", "set-password", "--dataDir", s.dir); out != "The password of admin is set.\n" {
		t.Error(out)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the file of the generated password is there: %v", err)
	}
	// From then on, the present one is needed.
	if code, _, stderr := runWith(t, second+"\n", "admin", "set-password", "--dataDir", s.dir); code != cli.ExitUsage || !strings.Contains(stderr, "--credential") {
		t.Errorf("%d %s", code, stderr)
	}
	present := filepath.Join(t.TempDir(), "present")
	for content, want := range map[string]int{"not the present one": cli.ExitFailure, first + "\n": cli.ExitOk} {
		if err := os.WriteFile(present, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, stderr := runWith(t, second+"\n", "admin", "set-password", "--credential", present, "--dataDir", s.dir)
		if code != want {
			t.Errorf("with %q: %d %s", content, code, stderr)
		}
	}
	if log := s.out.String() + s.errs.String(); strings.Contains(log, first) || strings.Contains(log, second) {
		t.Error("the log holds a password")
	}
	// With the server stopped the present one may be forgotten.
	s.stop()
	ok(t, "a third one of my own\n", "admin", "set-password", "--dataDir", s.dir)
}

// A server that no agent needs a token for can be asked too; one that speaks stdio has no socket, and says so by
// the lock.
func TestNoSocketIsALock(t *testing.T) {
	t.Parallel()
	dir := made(t)
	lock, err := (&datadir.Dir{Root: dir}).Lock()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Release() })
	if code, _, stderr := run(t, "admin", "tokens", "list", "--dataDir", dir); code != cli.ExitRefused || !strings.Contains(stderr, "[DATA_DIR_LOCKED]") {
		t.Errorf("%d %s", code, stderr)
	}
}
