package main

import (
	"context"
	"fmt"

	"github.com/browserhive/browserhive/gen/cli"
	gen "github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/config"
	"github.com/browserhive/browserhive/internal/datadir"
)

// initialize gets what a session needs. Each step is reported as it ends; running it again repairs what
// an interrupted run left.
func initialize(ctx context.Context, p *program, in *config.Invocation) (int, error) {
	set, err := p.settings(in)
	if err != nil {
		return 0, err
	}
	report := func(s browser.Step) {
		if s.OK {
			fmt.Fprintf(p.stdout, "✓ %s: %s\n", s.Name, s.Detail)
			return
		}
		fmt.Fprintf(p.stdout, "✗ %s: %s\n", s.Name, s.Detail)
		if s.Err != nil {
			fmt.Fprintf(p.stdout, "  %v\n", s.Err)
		}
	}
	dir, err := datadir.Open(set.Config.DataDir)
	if err != nil {
		report(browser.Step{Name: "data directory", Detail: set.Config.DataDir})
		return 0, err
	}
	lock, err := dir.Lock()
	if err != nil {
		return 0, err
	}
	defer func() { _ = lock.Release() }() // the process ends, and the lock with it
	env := func(name string) string { return p.env[name] }
	found, err := browser.Install(ctx, dir.Root, env, browser.InstallOptions{Force: in.Flags["force"] == "true"}, report)
	if err != nil {
		return 0, err
	}
	if missing := found.Missing(); len(missing) > 0 {
		for _, m := range missing {
			fmt.Fprintf(p.stdout, "✗ missing: %s\n", m)
		}
		return cli.ExitFailure, nil
	}
	if why := browser.SandboxProblem(); why != "" {
		fmt.Fprintf(p.stdout, "! Chromium's sandbox is off: %s\n", why)
	}
	start := p.executable
	for _, key := range []string{gen.KeyConfig, gen.KeyDataDir} {
		if v, given := in.Settings[key]; given {
			start += fmt.Sprintf(" --%s %s", key, v)
		}
	}
	fmt.Fprintf(p.stdout, "\nReady. Start the server with: %s\n", start)
	return cli.ExitOk, nil
}
