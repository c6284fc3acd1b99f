package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/browserhive/browserhive/gen/cli"
	gen "github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/browser/install"
	"github.com/browserhive/browserhive/internal/datadir"
	"github.com/browserhive/browserhive/internal/server"
	"github.com/browserhive/browserhive/internal/settings"
)

func serve(ctx context.Context, p *program, in *settings.Invocation) (int, error) {
	set, err := p.settings(in)
	if err != nil {
		return 0, err
	}
	s, err := server.New(server.Options{
		Settings: set, Stdin: p.stdin, Stdout: p.stdout, Stderr: p.stderr, Terminal: p.terminal,
		Color: p.color(set.Config.Color), Env: p.env, Program: p.executable,
	})
	if err != nil {
		return 0, err
	}
	for _, n := range set.Notes {
		s.Log().Info(n)
	}
	if err := s.Start(ctx); err != nil {
		return 0, err
	}
	// Only frames may go to the stdout of a stdio transport.
	w := p.stdout
	if set.Config.Transport == gen.TransportStdio {
		w = p.stderr
	}
	damaged, _ := (&datadir.Dir{Root: set.Config.DataDir}).DamagedDatabases() // The server has just opened it.
	banner(w, set, running{
		url: s.URL(), engine: s.Engine(), database: databaseOf(ctx, s), missing: s.Missing(), damaged: damaged, program: p.executable,
		color: p.color(set.Config.Color),
	})
	firstTime(w, s.First(), p.propose("admin", "set-password"))
	var ended error
	asked := 0
	select {
	case ended = <-s.Done():
	case <-p.signals:
		asked++
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), set.Config.ShutdownTimeout)
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(stop) }()
	for {
		select {
		case err := <-stopped:
			if err != nil {
				s.Log().Warn("not everything stopped in time", "err", err)
			}
			if ended != nil {
				return 0, ended
			}
			return cli.ExitOk, nil
		case <-p.signals:
			// The first asks to stop, even when that is under way: clients close stdin and then send it. The
			// second insists.
			if asked++; asked > 1 {
				return cli.ExitInterrupted, nil
			}
		}
	}
}

// running is what a banner says of a server beside its settings.
type running struct {
	url      string // "" under stdio
	engine   types.Engine
	database string
	// missing is what no session starts without, damaged are the databases that were set aside.
	missing []string
	damaged []datadir.DamagedDatabase
	program string
	color   bool
}

// databaseOf describes the database that a server has opened.
func databaseOf(ctx context.Context, s *server.Server) string {
	d, err := s.Database(ctx)
	if err != nil {
		return "db not readable"
	}
	return fmt.Sprintf("db v%d, %s, %s", d.Version, size(d.Size), counted(int64(d.Backups), "backup"))
}

// feature is what a key turns on, as far as it is so: off, not built yet, or what is on.
func feature(key string, on bool, what string) string {
	if !on {
		return "off"
	}
	for _, k := range gen.Keys {
		if k.Name == key && k.Planned {
			return "not built yet"
		}
	}
	return what
}

// banner says what the server is and how to reach it.
func banner(w io.Writer, set *settings.Resolved, s running) {
	c, url, engine := set.Config, s.url, s.engine
	var b strings.Builder
	fmt.Fprintf(&b, " BrowserHive %s · %s · %s %s\n", server.Version, runtime.Version(), engine, install.VersionOf(engine))
	if url != "" {
		fmt.Fprintf(&b, " MCP        %s/mcp   (auth: %s)\n", url, c.Auth)
	} else {
		b.WriteString(" MCP        stdio\n")
	}
	fmt.Fprintf(&b, " Dashboard  %s\n", feature(gen.KeyAdmin, c.Admin, url+"/   (admin)"))
	fmt.Fprintf(&b, " Data dir   %s   (%s)\n", c.DataDir, s.database)
	fmt.Fprintf(&b, " Config     %s\n", sources(set))
	most := "without a cap"
	if c.MaxSessions > 0 {
		most = fmt.Sprintf("cap %d", c.MaxSessions)
	}
	fmt.Fprintf(&b, " Sessions   %s · lease %s · persistence %s\n", most, value(set, gen.KeySessionLease), c.Persistence)
	fmt.Fprintf(&b, " Stealth    %s · %s\n", c.Stealth, engine)
	fmt.Fprintf(&b, " Telemetry  %s\n", feature(gen.KeyOTel, c.OTel, fmt.Sprintf("otel → %s (%s)", c.OTelEndpoint, c.OTelProtocol)))
	fmt.Fprintf(&b, " Vault      %s\n", feature(gen.KeyVault, c.Vault != gen.VaultOff, c.Vault))
	for _, n := range set.Notes {
		fmt.Fprintf(&b, " %s\n", n)
	}
	warn := func(format string, args ...any) {
		warning := fmt.Sprintf("WARNING: "+format, args...)
		if s.color {
			warning = "\x1b[31m" + warning + "\x1b[0m"
		}
		b.WriteString(" " + warning + "\n")
	}
	if len(s.missing) > 0 {
		warn("no session can start, because this host lacks %s. Run: %s", strings.Join(s.missing, ", "), set.Command(s.program, "init"))
	}
	for _, one := range s.damaged {
		warn("the damaged database %s was set aside. To go back to a backup, stop the server and run: %s. Then move or remove the damaged one.",
			one.Path, set.Command(s.program, "db", "restore", backupToRestore(c.DataDir)))
	}
	if c.AllowInsecureBind {
		warn("anybody who reaches this address can use the browsers (allowInsecureBind).")
	}
	if url != "" {
		b.WriteString(" Press Ctrl-C to stop.\n")
	}
	_, _ = io.WriteString(w, b.String()) // a terminal that is gone cannot be told
}

// firstTime shows what the first start made. Nothing else ever shows it. change is the command that replaces the
// password.
func firstTime(w io.Writer, first auth.First, change string) {
	if first.Token != "" {
		fmt.Fprintf(w, " Token      %s: %s   (shown only now)\n", auth.FirstAgent, first.Token)
	}
	if first.Password != "" {
		fmt.Fprintf(w, " Password   %s: %s   (also in %s until you change it with: %s)\n", auth.Admin, first.Password, first.File, change)
	}
}

// value is a setting as the operator wrote it.
func value(set *settings.Resolved, key string) string {
	for _, p := range set.Provenance {
		if p.Key == key {
			return p.Value
		}
	}
	return ""
}

// sources counts where the settings come from.
func sources(set *settings.Resolved) string {
	n := map[settings.Source]int{}
	for _, p := range set.Provenance {
		n[p.Source]++
	}
	out := []string{fmt.Sprintf("env:%d", n[settings.FromEnv]+n[settings.FromOTel])}
	if set.File != "" {
		out = append(out, fmt.Sprintf("file:%s:%d", set.File, n[settings.FromFile]))
	}
	return strings.Join(append(out, fmt.Sprintf("cli:%d", n[settings.FromCLI])), "  ")
}
