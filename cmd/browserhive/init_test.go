package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/docs/reference"
	"github.com/browserhive/browserhive/gen/cli"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
)

var installed = regexp.MustCompile(`(✓ (?:Node.js|Chromium|driver|trial): ).*|(! Chromium's sandbox is off: ).*\n`)

func TestInit(t *testing.T) {
	t.Parallel()
	found := browsertest.Installation(t)
	work, err := os.MkdirTemp("", "bh") // Not t.TempDir, whose long path leaves no room for the browser's socket.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(work) })
	dir := filepath.Join(work, "data")
	initialized := func(args ...string) (int, string) {
		var out bytes.Buffer
		p := &program{
			stdin: strings.NewReader(""), stdout: &out, stderr: &out, dir: work, executable: "browserhive",
			env: map[string]string{
				"HOME": work, "PATH": os.Getenv("PATH"), "PLAYWRIGHT_DRIVER_PATH": found.DriverDir, "PLAYWRIGHT_NODEJS_PATH": found.Node,
				"PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1",
			},
			signals: make(chan os.Signal, 2),
		}
		code := p.run(context.Background(), append([]string{"init", "--dataDir", dir}, args...))
		text := installed.ReplaceAllStringFunc(out.String(), func(line string) string {
			if strings.HasPrefix(line, "!") {
				return "" // Only on some hosts.
			}
			return installed.FindStringSubmatch(line)[1] + "<varies>"
		})
		return code, strings.ReplaceAll(text, work, "<work>")
	}
	code, out := initialized("--writeSchema")
	if code != cli.ExitFailure || !strings.Contains(out, "✗ schema: there is no config file") || strings.Contains(out, "Ready") {
		t.Errorf("%d %s", code, out)
	}
	if err := os.WriteFile(filepath.Join(work, "browserhive.config.json"), []byte(`{"$schema": "./browserhive.schema.json"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out = initialized("--writeSchema")
	if code != cli.ExitOk {
		t.Error(code)
	}
	golden(t, "init/schema", out)
	if schema, err := os.ReadFile(filepath.Join(work, schemaName)); err != nil || !bytes.Equal(schema, reference.ConfigSchema) {
		t.Error("the schema is not the published one", err)
	}
	if code, out = initialized("--stealthDriver", "patchright"); code != cli.ExitFailure || !strings.Contains(out, "✗ Patchright: ") {
		t.Errorf("%d %s", code, out)
	}
}
