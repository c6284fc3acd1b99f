package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/cli"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/auth/authtest"
	"github.com/browserhive/browserhive/internal/datadir"
	"github.com/browserhive/browserhive/internal/httpapi"
)

var generated = regexp.MustCompile(`bh_[a-z2-7]{52}|bh_[a-z2-7]{5}|[A-Z2-7]{24}|[0-9a-f]{8}-[0-9a-f-]{27}|\d{13}`)

// masked is output without what differs from run to run.
func masked(text, dir string) string {
	return generated.ReplaceAllString(steady(text, dir), "<varies>")
}

// runWith is run with something on standard input.
func runWith(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	p := &program{
		stdin: strings.NewReader(stdin), stdout: &out, stderr: &errs, dir: t.TempDir(), executable: "browserhive",
		env: map[string]string{"HOME": t.TempDir()}, signals: make(chan os.Signal, 2),
	}
	code = p.run(context.Background(), args)
	return code, out.String(), errs.String()
}

func TestTokenCommands(t *testing.T) {
	t.Parallel()
	dir := made(t)
	golden(t, "admin/none", ok(t, "", "admin", "tokens", "list", "--dataDir", dir))
	token := ok(t, "", "admin", "tokens", "create", "ci-runner", "--dataDir", dir)
	golden(t, "admin/create", masked(token, dir))
	golden(t, "admin/create_json", masked(ok(t, "", "admin", "tokens", "create", "other", "--json", "--dataDir", dir), dir))
	golden(t, "admin/list", masked(ok(t, "", "admin", "tokens", "list", "--dataDir", dir), dir))
	listed := ok(t, "", "admin", "tokens", "list", "--json", "--dataDir", dir)
	golden(t, "admin/list_json", masked(listed, dir))
	if strings.Contains(listed, strings.TrimSpace(token)) {
		t.Error("a token is shown again")
	}
	golden(t, "admin/revoke", masked(ok(t, "", "admin", "tokens", "revoke", "ci-runner", "--dataDir", dir), dir))

	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"create", "other"}, cli.ExitFailure, "already"},
		{[]string{"create", "admin"}, cli.ExitFailure, "already"},
		{[]string{"create", "a b"}, cli.ExitUsage, "must match"},
		{[]string{"create"}, cli.ExitUsage, "name"},
		{[]string{"revoke", "ci-runner"}, cli.ExitFailure, "no valid token"},
	} {
		code, _, stderr := run(t, append(append([]string{"admin", "tokens"}, c.args...), "--dataDir", dir)...)
		if code != c.code || !strings.Contains(stderr, c.says) {
			t.Errorf("%v: %d %s", c.args, code, stderr)
		}
	}
}

// ok runs a command that succeeds.
func ok(t *testing.T, stdin string, args ...string) (stdout string) {
	t.Helper()
	code, stdout, stderr := runWith(t, stdin, args...)
	if code != cli.ExitOk {
		t.Fatalf("%v: exit %d\n%s", args, code, stderr)
	}
	return stdout
}

func TestResetPassword(t *testing.T) {
	t.Parallel()
	dir := made(t)
	first := ok(t, "", "admin", "reset-password", "--dataDir", dir)
	golden(t, "admin/reset", masked(first, dir))
	second := ok(t, "", "admin", "reset-password", "--dataDir", dir)
	if first == second {
		t.Error("the same password again")
	}
	file, err := os.ReadFile(filepath.Join(dir, "admin", "credentials.txt"))
	if err != nil || !strings.HasPrefix(second, string(file)) {
		t.Errorf("%s, %v", file, err)
	}
	a := authtest.OpenIn(t, &datadir.Dir{Root: dir}, auth.Options{})
	password := strings.Fields(second)[4]
	if _, c, err := a.Login(t.Context(), auth.Origin{}, auth.Admin, password); err != nil || !c.MustChangePassword {
		t.Errorf("%+v, %v", c, err)
	}
}

// Commands leave the data directory to a server that runs, and ask it when they are told its address.
func TestAdminBesideAServer(t *testing.T) {
	t.Parallel()
	a := authtest.Open(t, auth.Options{Dashboard: true})
	lock, err := a.Dir.Lock()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Release() })
	for _, args := range [][]string{{"reset-password"}, {"set-password"}, {"tokens", "list"}, {"tokens", "create", "x"}, {"tokens", "revoke", "x"}} {
		code, _, stderr := run(t, append(append([]string{"admin"}, args...), "--dataDir", a.Dir.Root)...)
		if code == cli.ExitOk || !strings.Contains(stderr, "[DATA_DIR_LOCKED]") {
			t.Errorf("%v: %d %s", args, code, stderr)
		}
	}

	served := func(admin bool) string {
		s := httpapi.New(httpapi.Options{
			Host: "127.0.0.1", Identity: a.Authority, Resources: a.Store, Admin: admin, Started: time.Now(), Log: slog.New(slog.DiscardHandler),
		})
		s.SetPhase(httpapi.Ready)
		listening := httptest.NewServer(s.Handler())
		t.Cleanup(listening.Close)
		return listening.URL
	}
	url := served(true)
	tokens := func(args ...string) []string {
		return append(append([]string{"admin", "tokens"}, args...), "--url", url)
	}
	code, _, stderr := runWith(t, a.First.Password, tokens("list")...)
	if code != cli.ExitFailure || !strings.Contains(stderr, "[PASSWORD_CHANGE_REQUIRED]") || !strings.Contains(stderr, "admin set-password") {
		t.Errorf("the generated password: %d %s", code, stderr)
	}
	// The file that the server wrote is a credential as it is.
	if code, _, stderr := run(t, tokens("list", "--credential", a.First.File)...); code != cli.ExitFailure || !strings.Contains(stderr, "[PASSWORD_CHANGE_REQUIRED]") {
		t.Errorf("the file of the generated password: %d %s", code, stderr)
	}
	const password = "a password of my own"
	set := func(stdin string, args ...string) (int, string) {
		code, out, stderr := runWith(t, stdin, append([]string{"admin", "set-password", "--url", url}, args...)...)
		return code, out + stderr
	}
	if code, out := set("short\n", "--credential", a.First.File); code != cli.ExitUsage || !strings.Contains(out, "the new password ") || strings.Contains(out, "short") {
		t.Errorf("a weak password: %d %s", code, out)
	}
	if code, out := set(password + "\n"); code != cli.ExitUsage || !strings.Contains(out, "--credential") {
		t.Errorf("without the present password: %d %s", code, out)
	}
	if code, out := set(password+"\n", "--credential", a.First.File); code != cli.ExitOk {
		t.Fatalf("the first password of one's own: %d %s", code, out)
	}
	if _, err := os.Stat(a.First.File); !os.IsNotExist(err) {
		t.Errorf("the file of the generated password is there: %v", err)
	}
	_, c, err := a.Login(t.Context(), auth.Origin{Address: "127.0.0.1"}, auth.Admin, password)
	if err != nil {
		t.Fatal(err)
	}
	operator, _, err := a.CreateToken(t.Context(), auth.Actor{}, "script", types.PrincipalKindOperator)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "credential")
	if err := os.WriteFile(file, []byte(operator+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	golden(t, "admin/create", masked(ok(t, password+"\n", tokens("create", "ci-runner")...), a.Dir.Root))
	ok(t, "", tokens("create", "other", "--credential", file)...)
	golden(t, "admin/list", masked(ok(t, operator, tokens("list")...), a.Dir.Root))
	var list []types.APIToken
	if err := json.Unmarshal([]byte(ok(t, operator, tokens("list", "--json", "--credential", "-")...)), &list); err != nil || len(list) != 2 {
		t.Errorf("%v, %v", list, err)
	}
	golden(t, "admin/revoke", masked(ok(t, operator, tokens("revoke", "ci-runner")...), a.Dir.Root))
	if sessions := a.Sessions(c); len(sessions) != 1 {
		t.Errorf("commands left %d sessions beside the one", len(sessions)-1)
	}

	for _, c := range []struct {
		stdin string
		args  []string
		says  string
	}{
		{"wrong", tokens("list"), "[INVALID_CREDENTIALS]"},
		{operator[:len(operator)-1] + "1", tokens("list"), "[UNAUTHORIZED]"},
		{"", tokens("list"), "empty"},
		{operator, tokens("create", "other"), "taken"},
		{operator, tokens("revoke", "nobody"), "no valid token"},
		{operator, []string{"admin", "tokens", "list", "--url", served(false)}, "--admin"},
		{operator, []string{"admin", "tokens", "list", "--url", "http://127.0.0.1:1"}, "nothing listens at http://127.0.0.1:1; start the server there, for example with: browserhive --admin"},
		{operator, tokens("list", "--credential", filepath.Join(t.TempDir(), "missing")), "missing"},
	} {
		code, _, stderr := runWith(t, c.stdin, c.args...)
		if code != cli.ExitFailure || !strings.Contains(stderr, c.says) || strings.Contains(stderr, operator) {
			t.Errorf("%v: %d %s, want %q", c.args, code, stderr, c.says)
		}
	}
}

// A credential is not asked for where it would be shown.
func TestNoCredentialOnATerminal(t *testing.T) {
	t.Parallel()
	p := &program{stdin: strings.NewReader("x"), interactive: true}
	if _, err := p.credential(""); err == nil || !strings.Contains(err.Error(), "--credential") {
		t.Error(err)
	}
}

// What the first start made is shown, and nothing when it made nothing.
func TestFirstTime(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	firstTime(&out, auth.First{}, "")
	if out.Len() > 0 {
		t.Error(out.String())
	}
	firstTime(&out, auth.First{Token: "bh_token", Password: "PASSWORD", File: "/data/admin/credentials.txt"}, "browserhive admin set-password --dataDir /data")
	golden(t, "admin/first", out.String())
}
