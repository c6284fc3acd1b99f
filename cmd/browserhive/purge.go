package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/browserhive/browserhive/gen/cli"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/datadir"
	"github.com/browserhive/browserhive/internal/settings"
	"github.com/browserhive/browserhive/internal/store"
)

// purge deletes what was recorded; with --all also what cannot be made again. It touches nothing that is not
// of the data directory's layout.
func purge(ctx context.Context, p *program, in *settings.Invocation) (int, error) {
	set, err := p.settings(in)
	if err != nil {
		return 0, err
	}
	dir := &datadir.Dir{Root: set.Config.DataDir}
	all, yes, dry := in.Flags["all"] == "true", in.Flags["yes"] == "true", in.Flags["dryRun"] == "true"
	if _, err := os.Stat(dir.Root); errors.Is(err, os.ErrNotExist) {
		fmt.Fprintf(p.stdout, "Nothing to delete: there is no %s\n", dir.Root)
		return cli.ExitOk, nil
	}
	if !dir.Ours() {
		return 0, fmt.Errorf("%s is no data directory: it has neither a database nor a lock of BrowserHive", dir.Root)
	}
	if !dry {
		if !yes && !p.interactive {
			return 0, usageError("purge asks before it deletes, and there is no terminal to ask on; give --yes, or --dryRun to look")
		}
		lock, err := dir.Lock()
		if err != nil {
			return 0, err
		}
		defer func() { _ = lock.Release() }() // The process ends, and the lock with it.
	}
	going, err := p.inventory(ctx, dir, all)
	if err != nil {
		return 0, errcode.DataDirUnwritable{Path: dir.Root, Reason: contract.Reason(err)}.Err().Because(err)
	}
	switch {
	case len(going) == 0:
		fmt.Fprintln(p.stdout, "Nothing to delete.")
		return cli.ExitOk, nil
	case dry:
		return cli.ExitOk, nil
	case yes:
	case !p.agreed(ctx, "Delete this? Type YES: "):
		return cli.ExitFailure, nil
	case all && !p.agreed(ctx, "Saved logins, uploads, backups and the operator's password cannot be had back. Type YES again: "):
		return cli.ExitFailure, nil
	}
	return p.remove(ctx, dir, going)
}

// inventory prints what would go, and returns it.
func (p *program) inventory(ctx context.Context, dir *datadir.Dir, all bool) ([]datadir.Part, error) {
	show := p.progress()
	defer show.end()
	show.begin("Measuring " + dir.Root)
	kinds := []datadir.Kind{datadir.Record}
	if all {
		kinds = append(kinds, datadir.Irreplaceable)
	}
	census, uncounted := store.Count(ctx, dir.Root) // First: it may leave a log beside the database, or take one away.
	going, err := dir.Parts(kinds...)
	if err != nil {
		return nil, err
	}
	show.pause()
	if len(going) > 0 {
		fmt.Fprintln(p.stdout, "What goes:")
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	var bytes int64
	for _, part := range going {
		bytes += part.Bytes
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", part.What, filepath.Join(dir.Root, part.Name), counted(int64(part.Files), "file"), size(part.Bytes))
		if part.Name != store.FileName {
			continue
		}
		for _, t := range census.Tables {
			fmt.Fprintf(w, "\t  %s\t%s\t\n", t.Name, counted(t.Rows, "row"))
		}
		if uncounted != nil {
			fmt.Fprintf(w, "\t  its rows cannot be counted: %s\t\t\n", sentence(uncounted))
		}
	}
	if len(going) > 0 {
		fmt.Fprintf(w, "together\t\t\t%s\n", size(bytes))
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	if open := census.OpenSessions; open > 0 {
		fmt.Fprintf(p.stdout, "! The database lists %s: a server is running, or was killed.\n", counted(int64(open), "open session"))
	}
	return going, nil
}

// remove deletes the parts in their order. After an interrupt it says what is left.
func (p *program) remove(ctx context.Context, dir *datadir.Dir, going []datadir.Part) (int, error) {
	show := p.progress()
	defer show.end()
	for _, part := range going {
		if ctx.Err() != nil {
			fmt.Fprintf(p.stdout, "%s is left, and what comes after it.\n", part.Name)
			return 0, ctx.Err()
		}
		show.begin("Deleting " + part.Name)
		if err := dir.Remove(part, show.tick); err != nil {
			return 0, unremoved(dir, part, err)
		}
	}
	show.pause()
	fmt.Fprintln(p.stdout, "Deleted.")
	return cli.ExitOk, nil
}

func unremoved(dir *datadir.Dir, part datadir.Part, err error) *contract.Error {
	return errcode.DataDirUnwritable{Path: filepath.Join(dir.Root, part.Name), Reason: sentence(err)}.Err().Because(err)
}

// counted is a number of things in words.
func counted(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
