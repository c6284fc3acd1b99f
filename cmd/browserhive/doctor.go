package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/browserhive/browserhive/gen/cli"
	gen "github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/blocklist"
	"github.com/browserhive/browserhive/internal/browser/install"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/datadir"
	"github.com/browserhive/browserhive/internal/settings"
	"github.com/browserhive/browserhive/internal/store"
)

// Statuses of a check.
const (
	checkOK   = "ok"
	checkWarn = "warning"
	checkFail = "failed"
)

// finding is the outcome of one check.
type finding struct {
	Check  string `json:"check"`
	Status string `json:"status"`
	Detail string `json:"detail"`
}

// doctorTime bounds all checks together, on a slow host too.
const doctorTime = 2 * time.Minute

// doctor looks at the host and the configuration, and starts the driver once. It changes nothing.
func doctor(ctx context.Context, p *program, in *settings.Invocation) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, doctorTime)
	defer cancel()
	set, errs := settings.ResolveAll(p.input(in))
	show := p.progress()
	defer show.end()
	show.begin("Looking at the host and the database")
	color := gen.ColorAuto
	var list []finding
	if len(errs) > 0 {
		for _, err := range errs {
			list = append(list, finding{"configuration", checkFail, sentence(err)})
		}
	} else {
		list, color = p.examine(ctx, set, show), set.Config.Color
	}
	show.pause()
	if in.Flags["json"] == "true" {
		e := json.NewEncoder(p.stdout)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		if err := e.Encode(list); err != nil {
			return 0, err
		}
	} else {
		marks := p.marks(color)
		for _, f := range list {
			fmt.Fprintf(p.stdout, "%s %-16s %s\n", marks[f.Status], f.Check, strings.ReplaceAll(f.Detail, "\n", "\n    "))
		}
	}
	code := cli.ExitOk
	for _, f := range list {
		if f.Status == checkFail {
			return cli.ExitFailure, nil
		}
		if f.Status == checkWarn {
			code = cli.ExitWarnings
		}
	}
	return code, nil
}

func sentence(err error) string {
	var e *contract.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

// examine runs the checks that need a valid configuration.
func (p *program) examine(ctx context.Context, set *settings.Resolved, show *progress) []finding {
	var out []finding
	add := func(check, status, format string, args ...any) {
		out = append(out, finding{check, status, fmt.Sprintf(format, args...)})
	}
	file := "no config file"
	if set.File != "" {
		file = set.File
	}
	add("configuration", checkOK, "valid (%s)", file)
	for _, n := range set.Notes {
		add("configuration", checkOK, "%s", strings.TrimPrefix(n, "config: "))
	}
	for _, k := range set.Planned() {
		add("not built yet", checkWarn, "%s is set, and nothing uses it yet", k)
	}
	dir := set.Config.DataDir
	out = append(out, dataDirCheck(dir), spaceCheck(dir), strangersCheck(set), databaseCheck(ctx, dir))
	out = append(out, p.damagedCheck(dir)...)
	out = append(out, secretsCheck(set))
	if set.Config.Blocklist != "" {
		out = append(out, blocklistCheck(set.Config.Blocklist))
	}
	env := func(name string) string { return p.env[name] }
	inst := install.Find(ctx, set.Config.DataDir, env)
	part := func(check, path, version string) {
		if path == "" {
			add(check, checkFail, "not found; run: %s", p.propose("init"))
			return
		}
		add(check, checkOK, "%s (%s)", version, path)
	}
	show.begin("Starting the driver")
	switch {
	case inst.DriverDir != "" && !inst.Patched:
		add("driver", checkFail, "%s lacks BrowserHive's patch; run: %s", inst.DriverDir, p.propose("init"))
	case inst.DriverDir != "" && inst.Node != "":
		out = append(out, p.startCheck(ctx, "driver", inst, types.EnginePlaywright))
	default:
		part("driver", inst.DriverDir, inst.DriverVersion)
	}
	part("node", inst.Node, inst.NodeVersion)
	part("chromium", inst.Chromium, inst.ChromiumVersion)
	out = append(out, p.stealthDriverCheck(ctx, set, inst))
	if why := install.SandboxProblem(); why != "" {
		add("sandbox", checkWarn, "off: %s", why)
	} else {
		add("sandbox", checkOK, "on")
	}
	server, serves := serverCheck(ctx, set)
	out = append(out, server)
	switch {
	case set.Config.Transport != gen.TransportHTTP:
	case serves:
		add("port", checkOK, "%s is that server's", at(set))
	default:
		out = append(out, portCheck(ctx, at(set)))
	}
	if set.Config.Vault != gen.VaultOff {
		out = append(out, p.vaultCheck())
	}
	if set.Config.OTel {
		out = append(out, collectorCheck(ctx, set.Config.OTelEndpoint))
	}
	out = append(out, memoryCheck(set.Config.MaxSessions, settings.DetectHost(p.env).MemoryBytes))
	return out
}

func dataDirCheck(dir string) finding {
	const check = "data directory"
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return finding{check, checkOK, dir + " will be created"}
	case err != nil:
		return finding{check, checkFail, err.Error()}
	case !info.IsDir():
		return finding{check, checkFail, dir + " is not a directory"}
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return finding{check, checkFail, fmt.Sprintf("%s can be entered by other users (mode %04o); run: chmod 700 %s", dir, info.Mode().Perm(), dir)}
	}
	f, err := os.CreateTemp(dir, ".write-*")
	if err != nil {
		return finding{check, checkFail, dir + " is not writable"}
	}
	_ = f.Close()
	_ = os.Remove(f.Name())
	return finding{check, checkOK, dir}
}

// databaseCheck reads every page of the database.
func databaseCheck(ctx context.Context, dir string) finding {
	const check = "database"
	st, err := store.Inspect(ctx, dir)
	switch {
	case err != nil:
		return finding{check, checkFail, sentence(err)}
	case !st.Exists:
		return finding{check, checkOK, "none yet; the first start makes it"}
	case st.Damage != "":
		return finding{check, checkFail, fmt.Sprintf("%s is damaged: %s", st.Path, st.Damage)}
	case st.Version > st.Newest && st.Reader > st.Newest:
		return finding{check, checkFail, fmt.Sprintf("schema v%d is newer than this program, which knows v%d", st.Version, st.Newest)}
	}
	backup := "no backup"
	if len(st.Backups) > 0 {
		backup = "last backup " + st.Backups[0].At.Format(clock)
	}
	return finding{check, checkOK, fmt.Sprintf("schema v%d, %d migrations pending, %s, %s", st.Version, len(st.Pending), size(st.Size), backup)}
}

// damagedCheck tells of databases that were set aside as damaged and that nobody has dealt with yet.
func (p *program) damagedCheck(dir string) (out []finding) {
	const check = "damaged database"
	list, err := (&datadir.Dir{Root: dir}).DamagedDatabases()
	if err != nil {
		return nil // The data directory has a check of its own.
	}
	for _, one := range list {
		out = append(out, finding{check, checkWarn, fmt.Sprintf("%s was set aside, and an empty one took its place. To go back to a backup, run: %s. Then move or remove the damaged one",
			one.Path, p.propose("db", "restore", backupToRestore(dir)))})
	}
	return out
}

// backupToRestore is the newest backup that can be restored, or a word for one.
func backupToRestore(dir string) string { return cmp.Or(store.NewestBackup(dir), "<backup>") }

// blocklistCheck reads the blocklist as a start would, and warns of lines that do nothing.
func blocklistCheck(path string) finding {
	const check = "blocklist"
	source, err := blocklist.Load(path, slog.New(slog.DiscardHandler))
	if err != nil {
		return finding{check, checkFail, sentence(err)}
	}
	list := source.List()
	if skipped := list.Skipped(); len(skipped) > 0 {
		return finding{check, checkWarn, fmt.Sprintf("%d lines of %s do nothing; the first is line %d, which %s", len(skipped), path, skipped[0].Line, skipped[0].Reason)}
	}
	return finding{check, checkOK, fmt.Sprintf("%d rules (%s)", len(list.Rules()), path)}
}

// secretsCheck warns of a config file with tokens that others can read.
func secretsCheck(set *settings.Resolved) finding {
	const check = "secrets"
	if set.File == "" || runtime.GOOS == "windows" {
		return finding{check, checkOK, "none in a file that others can read"}
	}
	holds := false
	for _, pr := range set.Provenance {
		for _, k := range gen.Keys {
			holds = holds || (k.Name == pr.Key && k.Secret && pr.Source == settings.FromFile)
		}
	}
	info, err := os.Stat(set.File)
	if holds && err == nil && info.Mode().Perm()&0o077 != 0 {
		return finding{check, checkWarn, fmt.Sprintf("%s holds secrets and others can read it; run: chmod 600 %s", set.File, filepath.Base(set.File))}
	}
	return finding{check, checkOK, "none in a file that others can read"}
}

// at is the address of the port.
func at(set *settings.Resolved) string {
	return net.JoinHostPort(strings.Trim(set.Config.Host, "[]"), strconv.Itoa(set.Config.Port))
}

func portCheck(ctx context.Context, at string) finding {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", at)
	if err != nil {
		return finding{"port", checkFail, fmt.Sprintf("%s cannot be had: %s", at, contract.NetworkReason(err))}
	}
	_ = l.Close()
	return finding{"port", checkOK, at + " is free"}
}

// sessionBytes is what one Chromium of a session takes: 380 MB measured for an empty page, with room for
// real ones.
const sessionBytes = 3 << 29 // 1.5 GiB, the figure that the default of maxSessions uses

func memoryCheck(most int, memory uint64) finding {
	const check = "maxSessions"
	if memory == 0 {
		return finding{check, checkOK, "the host's memory is not known"}
	}
	gib := float64(memory) / (1 << 30)
	if most == 0 {
		return finding{check, checkWarn, fmt.Sprintf("unbounded on a host with %.1f GiB", gib)}
	}
	if uint64(most)*sessionBytes > memory && most > 1 {
		return finding{check, checkWarn, fmt.Sprintf("%d sessions may not fit into %.1f GiB", most, gib)}
	}
	return finding{check, checkOK, fmt.Sprintf("%d on a host with %.1f GiB", most, gib)}
}
