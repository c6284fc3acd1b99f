package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/browserhive/browserhive/docs/reference"
	"github.com/browserhive/browserhive/gen/cli"
	gen "github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/install"
	"github.com/browserhive/browserhive/internal/datadir"
	"github.com/browserhive/browserhive/internal/server"
	"github.com/browserhive/browserhive/internal/settings"
	"github.com/browserhive/browserhive/internal/store"
)

// initialize gets what a session needs. Each step is reported as it ends; running it again repairs what
// an interrupted run left.
func initialize(ctx context.Context, p *program, in *settings.Invocation) (int, error) {
	set, err := p.settings(in)
	if err != nil {
		return 0, err
	}
	show := p.progress()
	defer show.end()
	marks := p.marks(set.Config.Color)
	failed := false
	report := func(s install.Step) {
		show.pause()
		mark := marks[checkOK]
		if s.Err != nil {
			s.Detail = sentence(s.Err)
		}
		switch {
		case s.OK:
		case s.Optional:
			mark = marks[checkWarn]
		default:
			mark, failed = marks[checkFail], true
		}
		fmt.Fprintf(p.stdout, "%s %s: %s\n", mark, s.Name, strings.ReplaceAll(s.Detail, "\n", "\n    "))
	}
	dir, err := datadir.Open(set.Config.DataDir)
	if err != nil {
		report(install.Step{Name: "data directory", Detail: set.Config.DataDir})
		return 0, err
	}
	lock, err := dir.Lock()
	if err != nil {
		return 0, err
	}
	defer func() { _ = lock.Release() }() // the process ends, and the lock with it
	env := func(name string) string { return p.env[name] }
	// What fails is reported; the steps after it are tried all the same.
	patchright := server.PatchrightUse(set.Config.StealthDriver)
	found, _ := install.Run(ctx, dir.Root, env, install.Options{
		Patchright: patchright, Force: in.Flags["force"] == "true", Begin: show.begin, Progress: show.at,
		Trial: browser.Trial(dir.Root, env, patchright),
	}, report)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	step := func(name string, do func() (string, error)) {
		show.begin(name)
		detail, err := do()
		report(install.Step{Name: name, Detail: detail, OK: err == nil, Err: err})
	}
	step("database", func() (string, error) { return prepareDatabase(ctx, set) })
	if in.Flags["writeSchema"] == "true" {
		step("schema", func() (string, error) { return writeSchema(set.File) })
	}
	if missing := found.Missing(); len(missing) > 0 || failed {
		for _, m := range missing {
			fmt.Fprintf(p.stdout, "%s missing: %s\n", marks[checkFail], m)
		}
		return cli.ExitFailure, nil
	}
	if why := install.SandboxProblem(); why != "" {
		fmt.Fprintf(p.stdout, "%s Chromium's sandbox is off: %s\n", marks[checkWarn], why)
	}
	if found.PatchrightDir != "" && set.Config.StealthDriver != gen.StealthDriverPlaywright {
		fmt.Fprintf(p.stdout, "\nStealth sessions run on Patchright. %s\n", patchrightNote())
	}
	fmt.Fprintf(p.stdout, "\nReady. Start the server with: %s\n", p.propose())
	return cli.ExitOk, nil
}

// patchrightNote is what the contract says about sessions on Patchright, behind what the setting is for.
func patchrightNote() string {
	var note string
	for _, k := range gen.Keys {
		if k.Name == gen.KeyStealthDriver {
			_, note, _ = strings.Cut(k.Doc, ". ")
		}
	}
	return note
}

// prepareDatabase creates or migrates the database, and says what it did.
func prepareDatabase(ctx context.Context, set *settings.Resolved) (string, error) {
	before, err := store.Inspect(ctx, set.Config.DataDir)
	if err != nil {
		return "", err
	}
	err = store.Migrate(ctx, store.Options{
		Dir: set.Config.DataDir, BackupsKeep: set.Config.BackupsKeep, AppVersion: server.Version, Now: time.Now,
	})
	if err != nil {
		return "", err
	}
	switch {
	case !before.Exists:
		return fmt.Sprintf("schema v%d, new", before.Newest), nil
	case len(before.Pending) > 0:
		return fmt.Sprintf("schema v%d, migrated from v%d", before.Newest, before.Version), nil
	}
	return fmt.Sprintf("schema v%d", before.Version), nil
}

var errNoFile = errors.New("there is no config file to write it beside; browserhive config schema prints it")

// schemaName is the name of the JSON Schema that editors check a config file with.
const schemaName = "browserhive.schema.json"

// writeSchema writes the schema beside the config file and returns its path.
func writeSchema(file string) (string, error) {
	if file == "" {
		return "", errNoFile
	}
	path := filepath.Join(filepath.Dir(file), schemaName)
	tmp, err := os.CreateTemp(filepath.Dir(file), ".schema-*.tmp")
	if err != nil {
		return "", err
	}
	defer os.Remove(tmp.Name()) // Fails, as it should, once it has its name.
	_, err = tmp.Write(reference.ConfigSchema)
	if err = errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err != nil { // No secret, and editors may be others'.
		return "", err
	}
	return path, os.Rename(tmp.Name(), path)
}
