package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/browserhive/browserhive/tools/contractgen/internal/generate"
)

// TestTypeScriptCompiles runs the TypeScript compiler over what every small contract makes. What the
// contract of this repository makes is compiled by the tests of tools/npm.
func TestTypeScriptCompiles(t *testing.T) {
	const compiler = root + "/tools/npm/node_modules/typescript/bin/tsc"
	if _, err := os.Stat(compiler); err != nil {
		t.Fatal("tools/npm/node_modules is missing: run `make deps`")
	}
	args := []string{compiler, "--strict", "--noEmit", "--noUnusedLocals", "--skipLibCheck", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler"}
	dir := t.TempDir()
	for _, c := range cases(t, "ok") {
		files, faults, err := generate.Run(c.contract())
		if err != nil || len(faults) > 0 {
			t.Fatalf("%s: %v %v", c.name, err, faults)
		}
		for name, b := range files {
			if filepath.Ext(name) != ".ts" {
				continue
			}
			to := filepath.Join(dir, c.name, filepath.Base(name))
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(to, b, 0o644); err != nil {
				t.Fatal(err)
			}
			args = append(args, to)
		}
	}
	if out, err := exec.Command("node", args...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
