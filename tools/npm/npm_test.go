package npm

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// root is the repository.
const root = "../.."

// node runs a script with the packages of this directory and returns what it prints.
func node(t *testing.T, args ...string) []byte {
	t.Helper()
	if _, err := os.Stat("node_modules"); err != nil {
		t.Fatal("tools/npm/node_modules is missing: run `make deps`")
	}
	var out, problems bytes.Buffer
	cmd := exec.Command("node", args...)
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		t.Fatalf("node %v: %v\n%s%s", args, err, out.String(), problems.String())
	}
	return out.Bytes()
}

// TestAsyncAPIParses reads the published document with the parser that the AsyncAPI project publishes.
func TestAsyncAPIParses(t *testing.T) {
	t.Parallel()
	t.Logf("%s", node(t, "asyncapi.mjs", filepath.Join(root, "docs/reference/asyncapi.json")))
}

// TestTypesCompile compiles, at its strictest, the TypeScript that the contract compiler writes for the
// dashboard, and that which openapi-typescript makes of the published document.
func TestTypesCompile(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(root, "dashboard/src/gen/*.ts"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no TypeScript in dashboard/src/gen (%v)", err)
	}
	fromOpenAPI := filepath.Join(t.TempDir(), "openapi.ts")
	if err := os.WriteFile(fromOpenAPI, node(t, "openapi-types.mjs", filepath.Join(root, "docs/reference/openapi.json")), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"node_modules/typescript/bin/tsc", "--strict", "--noEmit", "--noUnusedLocals", "--skipLibCheck",
		"--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler"}
	node(t, append(append(args, fromOpenAPI), files...)...)
}
