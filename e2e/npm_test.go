package e2e

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// packages is where the npm packages are that tests use.
func packages(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "tools", "npm", "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "@modelcontextprotocol")); err != nil {
		t.Fatalf("npm packages are missing; run: make deps (%v)", err)
	}
	return dir
}

// node runs a script and returns what it printed. The Node.js is the one among the packages, because the
// conformance suite needs a newer one than hosts have, or else the host's.
func node(t *testing.T, limit time.Duration, args ...string) (printed string, err error) {
	t.Helper()
	path, err := exec.LookPath(filepath.Join(packages(t), ".bin", "node"))
	if err != nil {
		if path, err = exec.LookPath("node"); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.WaitDelay = time.Second
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err = cmd.Run(); err != nil {
		t.Logf("node %v:\n%s", args, complaints.String())
	}
	return out.String(), err
}
