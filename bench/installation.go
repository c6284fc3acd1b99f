package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/browserhive/browserhive/internal/browser/install"
)

// installation finds the driver and the Chromium of this host, and installs what is missing where tests
// have it too.
func installation(ctx context.Context, env map[string]string) (install.Installation, error) {
	look := func(name string) string { return env[name] }
	cache, err := os.UserCacheDir()
	if err != nil {
		return install.Installation{}, err
	}
	root := filepath.Join(cache, "browserhive-test")
	if found := install.Find(ctx, root, look); found.Missing() == nil && found.Patched {
		return found, nil
	}
	return install.Run(ctx, root, look, install.Options{}, func(s install.Step) {
		fmt.Fprintf(os.Stderr, "%s: %s\n", s.Name, s.Detail)
	})
}

// build builds the server.
func build(ctx context.Context, dir string) (program string, err error) {
	program = filepath.Join(dir, "browserhive")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", program, "github.com/browserhive/browserhive/cmd/browserhive")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
}
