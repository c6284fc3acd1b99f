package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/browserhive/browserhive/gen/cli"
	"github.com/browserhive/browserhive/internal/datadir"
	"github.com/browserhive/browserhive/internal/server"
	"github.com/browserhive/browserhive/internal/settings"
	"github.com/browserhive/browserhive/internal/store"
)

// clock is how times are printed: in UTC, as in the names of backups.
const clock = "2006-01-02 15:04:05 UTC"

func dbStatus(ctx context.Context, p *program, in *settings.Invocation) (int, error) {
	set, err := p.settings(in)
	if err != nil {
		return 0, err
	}
	show := p.progress()
	show.begin("Checking the database")
	st, err := store.Inspect(ctx, set.Config.DataDir)
	show.end()
	if err != nil {
		return 0, err
	}
	p.printStatus(st)
	if st.Damage != "" {
		return cli.ExitFailure, nil
	}
	return cli.ExitOk, nil
}

func (p *program) printStatus(st store.Status) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(p.stdout, "%-10s %s\n", name, fmt.Sprintf(format, args...))
	}
	if !st.Exists {
		line("Database", "%s (none yet; the first start makes it)", st.Path)
		return
	}
	line("Database", "%s (%s)", st.Path, size(st.Size))
	line("Schema", "v%d, readable from v%d on; this program knows v%d", st.Version, st.Reader, st.Newest)
	for _, a := range st.History {
		line("", "v%d %s, %s by %s", a.Version, a.Name, a.At.Format(clock), a.By)
	}
	pending := "none"
	if len(st.Pending) > 0 {
		var names []string
		for _, m := range st.Pending {
			names = append(names, fmt.Sprintf("v%d %s", m.Version, m.Name))
		}
		pending = strings.Join(names, ", ")
	}
	line("Pending", "%s", pending)
	if len(st.Backups) == 0 {
		line("Backups", "none")
	} else {
		newest := st.Backups[0]
		line("Backups", "%d, the last at %s (%s)", len(st.Backups), newest.At.Format(clock), newest.Path)
	}
	if st.Damage == "" {
		line("Integrity", "ok")
	} else {
		line("Integrity", "damaged: %s", st.Damage)
	}
}

// size is a number of bytes as people read it.
func size(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	v, unit := float64(n), 0
	for v >= 1024 && unit < len(units)-1 {
		v, unit = v/1024, unit+1
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", v, units[unit])
}

func dbBackup(ctx context.Context, p *program, in *settings.Invocation) (int, error) {
	set, err := p.settings(in)
	if err != nil {
		return 0, err
	}
	show := p.progress()
	show.begin("Copying the database")
	written, err := store.CopyTo(ctx, set.Config.DataDir, p.absolute(in.Flags["out"]))
	show.end()
	if err != nil {
		return 0, err
	}
	fmt.Fprintln(p.stdout, written)
	return cli.ExitOk, nil
}

func dbRestore(ctx context.Context, p *program, in *settings.Invocation) (int, error) {
	yes := in.Flags["yes"] == "true"
	if !yes && !p.interactive {
		return 0, usageError("db restore asks before it replaces the database, and there is no terminal to ask on; give --yes")
	}
	set, release, err := p.maintain(in)
	if err != nil {
		return 0, err
	}
	defer release()
	file := p.absolute(in.Args["file"])
	if !yes && !p.agreed(ctx, fmt.Sprintf("Replace the database in %s with %s? What was recorded since is not in it. Type YES: ", set.Config.DataDir, file)) {
		return cli.ExitFailure, nil
	}
	show := p.progress()
	show.begin("Restoring the database")
	aside, err := store.Restore(ctx, set.Config.DataDir, file)
	show.end()
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(p.stdout, "Restored %s\n", file)
	if aside != "" {
		fmt.Fprintf(p.stdout, "The database that was there is now %s\n", aside)
	}
	return cli.ExitOk, nil
}

func dbMigrate(ctx context.Context, p *program, in *settings.Invocation) (int, error) {
	set, release, err := p.maintain(in)
	if err != nil {
		return 0, err
	}
	defer release()
	st, err := store.Inspect(ctx, set.Config.DataDir)
	if err != nil {
		return 0, err
	}
	if len(st.Pending) == 0 && st.Damage == "" {
		fmt.Fprintf(p.stdout, "Nothing to do: the schema is v%d\n", st.Version)
		return cli.ExitOk, nil
	}
	for _, m := range st.Pending {
		fmt.Fprintf(p.stdout, "v%d %s\n", m.Version, m.Name)
	}
	if in.Flags["dryRun"] == "true" {
		return cli.ExitOk, nil
	}
	show := p.progress()
	show.begin("Migrating the database")
	err = store.Migrate(ctx, store.Options{
		Dir: set.Config.DataDir, BackupsKeep: set.Config.BackupsKeep, AppVersion: server.Version, Now: time.Now,
	})
	show.end()
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(p.stdout, "The schema is v%d\n", st.Newest)
	return cli.ExitOk, nil
}

// maintain is settings for a command that must have the data directory for itself, until release.
func (p *program) maintain(in *settings.Invocation) (set *settings.Resolved, release func(), err error) {
	if set, err = p.settings(in); err != nil {
		return nil, nil, err
	}
	dir, err := datadir.Open(set.Config.DataDir)
	if err != nil {
		return nil, nil, err
	}
	lock, err := dir.Lock()
	if err != nil {
		return nil, nil, err
	}
	return set, func() { _ = lock.Release() }, nil // The process ends, and the lock with it.
}

// absolute is a path as the caller's working directory has it; "" stays.
func (p *program) absolute(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(p.dir, path)
}
