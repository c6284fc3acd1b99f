package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/docs/reference"
	"github.com/browserhive/browserhive/gen/cli"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// run runs the command line with an environment of its own.
func run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	p := &program{
		stdin: strings.NewReader(""), stdout: &out, stderr: &errs, dir: t.TempDir(), executable: "browserhive",
		env: map[string]string{"HOME": t.TempDir(), "PATH": os.Getenv("PATH")}, signals: make(chan os.Signal, 2),
	}
	code = p.run(context.Background(), args)
	return code, out.String(), errs.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	p := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(p)
	if err != nil {
		t.Fatalf("%v; run go test ./cmd/browserhive -update", err)
	}
	if got != string(want) {
		t.Errorf("%s differs; run go test ./cmd/browserhive -update and read the change", p)
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	code, root, _ := run(t, "help")
	if code != cli.ExitOk {
		t.Fatal(code)
	}
	golden(t, "help/browserhive", root)
	_, whole, _ := run(t, "--help")
	if !strings.HasPrefix(whole, root) {
		t.Error("the long help does not begin with the overview")
	}
	for _, topic := range cli.Topics {
		code, text, _ := run(t, "help", topic.Name)
		if code != cli.ExitOk || !strings.Contains(whole, text) {
			t.Errorf("help %s: exit %d", topic.Name, code)
		}
		golden(t, "help/"+topic.Name, text)
	}
	for _, c := range cli.Commands {
		if c.Name == "help" {
			continue
		}
		words := strings.Fields(c.Name)
		code, text, _ := run(t, append(words, "-h")...)
		if code != cli.ExitOk {
			t.Errorf("%s -h: exit %d", c.Name, code)
		}
		if _, more, _ := run(t, append(words, "--help")...); !strings.HasPrefix(more, text) {
			t.Errorf("%s --help does not begin as -h does", c.Name)
		}
		golden(t, "help/"+strings.ReplaceAll(c.Name, " ", "_"), text)
		if _, same, _ := run(t, append([]string{"help"}, words...)...); same != text {
			t.Errorf("help %s and %s -h differ", c.Name, c.Name)
		}
	}
	for _, args := range [][]string{{"-h"}, {"--nope", "-h"}, {"--version", "-h"}} {
		if code, text, _ := run(t, args...); code != cli.ExitOk || text != root {
			t.Errorf("%v: exit %d", args, code)
		}
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--maxSession", "2"}, cli.ExitUsage, "--maxSessions"},
		{[]string{"--max-sessions", "2"}, cli.ExitUsage, "--maxSessions"},
		{[]string{"--sessionLease", "2 hours"}, cli.ExitUsage, "sessionLease"},
		{[]string{"--admin", "false"}, cli.ExitUsage, "--admin=false"},
		{[]string{"version", "--port", "1"}, cli.ExitUsage, "--port"},
		{[]string{"config"}, cli.ExitUsage, "config"},
		{[]string{"--host", "0.0.0.0"}, cli.ExitRefused, "[INSECURE_BIND_REFUSED]"},
		{[]string{"--admin", "--transport", "stdio"}, cli.ExitRefused, "[ADMIN_REQUIRES_HTTP]"},
		{[]string{"--humanize", "--stealth", "off"}, cli.ExitUsage, "humanize"},
		{[]string{"admin", "nothing"}, cli.ExitUsage, "nothing"},
		{[]string{"config", "validate", "--port", "0"}, cli.ExitUsage, "port"},
		{[]string{"config", "validate"}, cli.ExitOk, ""},
		{[]string{"purge"}, cli.ExitOk, ""},
		{[]string{"purge", "--yes=maybe"}, cli.ExitUsage, "--yes"},
		{[]string{"db", "restore"}, cli.ExitUsage, "<file>"},
		{[]string{"db", "restore", "a", "b"}, cli.ExitUsage, "'b'"},
		{[]string{"db", "restore", "a"}, cli.ExitUsage, "--yes"},
		{[]string{"db", "restor", "a"}, cli.ExitUsage, "'db restore'"},
		{[]string{"reset-pasword"}, cli.ExitUsage, "'admin reset-password'"},
		{[]string{"db", "backup"}, cli.ExitFailure, "[DB_NOT_FOUND]"},
		{[]string{"--blocklist", "/nonexistent/list"}, cli.ExitRefused, "[BLOCKLIST_LOAD_FAILED]"},
		{[]string{"--stealthDriver", "patchright"}, cli.ExitFailure, "[BROWSER_NOT_INSTALLED]"},
		{[]string{"completion"}, cli.ExitUsage, "<shell>"},
		{[]string{"completion", "tcsh"}, cli.ExitUsage, "bash"},
		{[]string{"init", "--browsers", "firefox"}, cli.ExitUsage, "chromium"},
		{[]string{"doctor", "--port", "70000"}, cli.ExitFailure, ""},
	} {
		code, _, stderr := run(t, c.args...)
		if code != c.code || !strings.Contains(stderr, c.says) {
			t.Errorf("%v: exit %d, want %d\n%s", c.args, code, c.code, stderr)
		}
		// Each mistake ends with a command that helps.
		if _, help, found := strings.Cut(stderr, "  For help, run: browserhive "); found != (code == cli.ExitUsage) {
			t.Errorf("%v: %s", c.args, stderr)
		} else if found {
			if code, text, _ := run(t, strings.Fields(help)...); code != cli.ExitOk || text == "" {
				t.Errorf("%v leads to %s, which exits with %d", c.args, help, code)
			}
		}
	}
}

func TestConfigSchemaIsThePublishedOne(t *testing.T) {
	t.Parallel()
	if _, out, _ := run(t, "config", "schema"); out != string(reference.ConfigSchema) {
		t.Error("config schema prints something else than what is published")
	}
}

func TestConfigShow(t *testing.T) {
	t.Parallel()
	token := "S3CR3T" + strings.Repeat("x", 32)
	code, out, stderr := run(t, "config", "show", "--json", "--authTokens", "ci:"+token, "--auth", "token", "--maxSessions", "4")
	if code != cli.ExitOk {
		t.Fatal(stderr)
	}
	if strings.Contains(out, "S3CR3T") {
		t.Error("a secret is shown")
	}
	var v map[string]struct {
		Value    any
		Source   string
		Shadowed []any
	}
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatal(err)
	}
	if v["maxSessions"].Source != "cli" || v["port"].Source != "default" || v["port"].Value != 9876.0 || v["admin"].Value != false {
		t.Errorf("%v", v)
	}
	if v["sessionLease"].Value != "2h" || v["blocklist"].Value != nil || v["authTokens"].Value != "<redacted>" {
		t.Errorf("%v %v %v", v["sessionLease"], v["blocklist"], v["authTokens"])
	}
	if _, text, _ := run(t, "config", "show"); !strings.Contains(text, "maxSessions") {
		t.Error("the table lacks a key")
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"version"}, {"--version"}, {"-v"}} {
		if code, out, _ := run(t, args...); code != cli.ExitOk || !strings.HasPrefix(out, "browserhive ") {
			t.Errorf("%v: %d %q", args, code, out)
		}
	}
	_, out, _ := run(t, "version", "--json")
	var v map[string]string
	if err := json.Unmarshal([]byte(out), &v); err != nil || v["browserhive"] == "" || v["playwright"] == "" || v["patchright"] == "" || v["modified"] == "" {
		t.Errorf("%q %v", out, err)
	}
}

func TestRevision(t *testing.T) {
	t.Parallel()
	const commit = "0123456789abcdef0123456789abcdef01234567"
	for r, want := range map[revision]string{
		{}: "commit unknown", {commit: commit}: "commit 0123456789ab", {commit: commit, modified: true}: "commit 0123456789ab, modified", {commit: "1"}: "commit 1",
	} {
		if got := r.String(); got != want {
			t.Errorf("%+v: %s", r, got)
		}
	}
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	code, out, _ := run(t, "doctor", "--json", "--otel", "--port", "1")
	var list []finding
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range list {
		got[f.Check] = f.Status
	}
	if code != cli.ExitFailure || got["driver"] != checkFail || got["not built yet"] != checkWarn || got["configuration"] != checkOK {
		t.Errorf("exit %d: %v", code, got)
	}
	for content, want := range map[string]string{"a.example\n": checkOK, "a.example\n*\n": checkWarn, "": checkFail} {
		path := filepath.Join(t.TempDir(), "list.txt")
		if content != "" {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if f := blocklistCheck(path); f.Status != want {
			t.Errorf("a blocklist of %q: %v", content, f)
		}
	}
	code, out, _ = run(t, "doctor", "--humanize", "--stealth", "off", "--port", "70000")
	if code != cli.ExitFailure || strings.Count(out, "✗") < 2 {
		t.Errorf("every fault of a configuration is named: %d\n%s", code, out)
	}
}

// ofAHost is what the values of settings have from the host, or from the build.
var ofAHost = regexp.MustCompile(`(?m)^(maxSessions +)\d+( +derived)|^(browserhive ).*`)

func TestOutputOfConfigAndVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "c.json")
	if err := os.WriteFile(file, []byte(`{"maxSessions": 4, "logLevel": "debug", "authTokens": ["ci:`+strings.Repeat("x", 40)+`"], "auth": "token"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"config/show":     {"config", "show", "--dataDir", filepath.Join(dir, "data"), "--stealthDriver", "playwright"},
		"config/validate": {"config", "validate", "--config", file, "--maxSessions", "8"},
		"version":         {"version"},
	} {
		code, out, stderr := run(t, args...)
		if code != cli.ExitOk {
			t.Errorf("%s: %d %s", name, code, stderr)
		}
		out = ofAHost.ReplaceAllString(gaps.ReplaceAllString(strings.ReplaceAll(out, dir, "<dir>"), "  "), "$1$3<varies>$2")
		golden(t, name, out)
	}
}

// What a scheduler gives a program for its input is no terminal, or purge would ask nobody.
func TestNullDeviceIsNoTerminal(t *testing.T) {
	t.Parallel()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if isTerminal(null) {
		t.Error("it is taken for one")
	}
}
