package main

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/docs/reference"
	"github.com/browserhive/browserhive/gen/cli"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/datadir/datadirtest"
)

var installed = regexp.MustCompile(`(✓ (?:Node.js|Chromium|driver|Patchright|trial): ).*|(! Chromium's sandbox is off: ).*\n`)

func TestInit(t *testing.T) {
	t.Parallel()
	found := browsertest.Installation(t)
	work, err := os.MkdirTemp("", "bh") // Not t.TempDir, whose long path leaves no room for the browser's socket.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(work) })
	dir := filepath.Join(work, "data")
	registry := "http://127.0.0.1:1" // Nobody is there.
	initialized := func(args ...string) (int, string) {
		var out bytes.Buffer
		p := &program{
			stdin: strings.NewReader(""), stdout: &out, stderr: &out, dir: work, executable: "browserhive",
			env: map[string]string{
				"HOME": work, "PATH": os.Getenv("PATH"), "PLAYWRIGHT_DRIVER_PATH": found.DriverDir, "PLAYWRIGHT_NODEJS_PATH": found.Node,
				"PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1", "npm_config_registry": registry,
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
	code, out = initialized("--writeSchema", "--stealthDriver", "playwright")
	if code != cli.ExitOk {
		t.Error(code)
	}
	golden(t, "init/schema", out)
	if schema, err := os.ReadFile(filepath.Join(work, schemaName)); err != nil || !bytes.Equal(schema, reference.ConfigSchema) {
		t.Error("the schema is not the published one", err)
	}
	// Without the registry there is no Patchright, which matters only to who asked for it.
	if code, out = initialized(); code != cli.ExitOk || !strings.Contains(out, "! Patchright: ") {
		t.Errorf("%d %s", code, out)
	}
	if code, out = initialized("--stealthDriver", "patchright"); code != cli.ExitFailure || !strings.Contains(out, "✗ Patchright: ") {
		t.Errorf("%d %s", code, out)
	}
	browsertest.PlacePatchright(t, dir)
	code, out = initialized("--stealthDriver", "patchright")
	if code != cli.ExitOk {
		t.Error(code)
	}
	golden(t, "init/patchright", out)
	_, checked := examined(t, "--dataDir", dir)
	if f := checked["stealth driver"]; f.Status != checkOK || !strings.HasPrefix(f.Detail, "Patchright ") {
		t.Error(f)
	}
}

// A schema that has no room leaves the old one as it was.
func TestSchemaOnAFullDisk(t *testing.T) {
	datadirtest.OnDisk(t, 1<<20, func(t *testing.T, disk *datadirtest.Disk) {
		file := filepath.Join(disk.Dir, "browserhive.config.json")
		if _, err := writeSchema(file); err != nil {
			t.Fatal(err)
		}
		before := datadirtest.Files(t, disk.Dir)
		disk.Fill()
		if _, err := writeSchema(file); !contract.DiskFault(err) {
			t.Errorf("%v", err)
		}
		if after := datadirtest.Files(t, disk.Dir); !maps.Equal(before, after) || len(after) != 1 {
			t.Errorf("%d files before, %d after", len(before), len(after))
		}
	})
}
