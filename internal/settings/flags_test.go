package settings

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/cli"
	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
)

// parsed is a command line in one string: command, arguments, own flags, settings.
func parsed(inv *Invocation) string {
	s := inv.Command.Name
	for _, m := range []map[string]string{inv.Args, inv.Flags, inv.Settings} {
		var list []string
		for _, name := range slices.Sorted(maps.Keys(m)) {
			list = append(list, name+"="+m[name])
		}
		s += " [" + strings.Join(list, " ") + "]"
	}
	if inv.Help {
		s += " help"
	}
	if inv.Version {
		s += " version"
	}
	return s
}

func TestParseArgs(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"":                                   "serve [] [] []",
		"serve":                              "serve [] [] []",
		"--port 80":                          "serve [] [] [port=80]",
		"--port=80 --host=::1":               "serve [] [] [host=::1 port=80]",
		"serve --port= ":                     "serve [] [] [port=]",
		"--admin --port 80":                  "serve [] [] [admin=true port=80]",
		"--noAdmin":                          "serve [] [] [admin=false]",
		"--admin=False":                      "serve [] [] [admin=False]",
		"--otelHeaders=a=b,c=d":              "serve [] [] [otelHeaders=a=b,c=d]",
		"--otelServiceName -":                "serve [] [] [otelServiceName=-]",
		"--otelServiceName=-x":               "serve [] [] [otelServiceName=-x]",
		"--admin --":                         "serve [] [] [admin=true]",
		"--":                                 "serve [] [] []",
		"init --force --dataDir d":           "init [] [force=true] [dataDir=d]",
		"init --noForce --browsers chromium": "init [] [browsers=chromium force=false] []",
		"init --force=No":                    "init [] [force=false] []",
		"config show --json --port 1":        "config show [] [json=true] [port=1]",
		"config schema":                      "config schema [] [] []",
		"admin tokens list --url http://a":   "admin tokens list [] [url=http://a] []",
		"admin tokens create ci --json":      "admin tokens create [name=ci] [json=true] []",
		"admin tokens create --json ci":      "admin tokens create [name=ci] [json=true] []",
		"admin tokens create -- --json":      "admin tokens create [name=--json] [] []",
		"db restore a=b":                     "db restore [file=a=b] [] []",
		"db restore -":                       "db restore [file=-] [] []",
		"version --json":                     "version [] [json=true] []",
		"help":                               " [command=] [] [] help",
		"help init":                          "init [command=init] [] [] help",
		"help config show":                   "config show [command=config show] [] [] help",
		"help admin tokens":                  "admin tokens [command=admin tokens] [] [] help",
		"--help":                             " [] [] [] help",
		"-h":                                 " [] [] [] help",
		"help settings":                      "settings [command=settings] [] [] help",
		"help exit-codes":                    "exit-codes [command=exit-codes] [] [] help",
		"--nonsense -h --version":            " [] [] [] help",
		"init --nonsense --help":             "init [] [] [] help",
		"config --help":                      "config [] [] [] help",
		"config show extra --help":           "config show [] [] [] help",
		"confg --help":                       " [] [] [] help",
		"--port --help":                      " [] [] [] help",
		"--version":                          "serve [] [] [] version",
		"-v --nonsense":                      "serve [] [] [] version",
		"init --version --nonsense":          "init [] [] [] version",
		"version --help":                     "version [] [] [] help",
	} {
		inv, err := ParseArgs(strings.Fields(line))
		if err != nil {
			t.Errorf("%q: %v", line, err)
		} else if got := parsed(inv); got != want {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
	}
}

func TestUsageErrors(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"--max-sessions 8":           "There is no setting '--max-sessions' (flag). Did you mean '--maxSessions'?",
		"--maxsessions=8":            "There is no setting '--maxsessions' (flag). Did you mean '--maxSessions'?",
		"--no-admin":                 "There is no setting '--no-admin' (flag). Did you mean '--noAdmin'?",
		"--noPort":                   "There is no setting '--noPort' (flag). Did you mean '--port'?",
		"--noadmin":                  "There is no setting '--noadmin' (flag). Did you mean '--noAdmin'?",
		"-port 8":                    "There is no setting '-port' (flag). Did you mean '--port'?",
		"-p 8":                       "There is no setting '-p' (flag).",
		"--=x":                       "There is no setting '--' (flag).",
		"--admin false":              "Setting --admin is not valid: its value has to be part of it; write --admin=false",
		"--admin YES":                "Setting --admin is not valid: its value has to be part of it; write --admin=YES",
		"--noAdmin 1":                "Setting --noAdmin is not valid: it takes no value",
		"--noAdmin=true":             "Setting --noAdmin is not valid: it takes no value",
		"--help=yes":                 "Setting --help is not valid: it takes no value",
		"--port 1 --port 2":          "Setting --port is not valid: it is there twice",
		"--port=1 --port=1":          "Setting --port is not valid: it is there twice",
		"--admin --noAdmin":          "Setting --noAdmin is not valid: --admin is there too; give one of them",
		"init --force --force":       "Setting --force is not valid: it is there twice",
		"--port":                     "Setting --port is not valid: it needs a value; write --port=VALUE",
		"--port --admin":             "Setting --port is not valid: it needs a value; write --port=VALUE",
		"--port -x":                  "Setting --port is not valid: it needs a value; write --port=VALUE",
		"--port --":                  "Setting --port is not valid: it needs a value; write --port=VALUE",
		"init --port 1":              "init does not take --port, which is a flag of serve, doctor, config show and config validate.",
		"purge --admin":              "purge does not take --admin, which is a flag of serve, doctor, config show and config validate.",
		"purge --noAdmin":            "purge does not take --noAdmin, which is a flag of serve, doctor, config show and config validate.",
		"--dryRun":                   "serve does not take --dryRun, which is a flag of purge and db migrate.",
		"--json":                     "serve does not take --json, which is a flag of doctor, config show, admin tokens list, admin tokens create and other commands.",
		"config schema --out x":      "config schema does not take --out, which is a flag of db backup.",
		"init --browsers firefox":    "Setting --browsers is not valid: 'firefox' is not accepted; expected one of: chromium",
		"init --force=maybe":         "Setting --force is not valid: 'maybe' is not accepted; expected true, false, 1, 0, yes or no",
		"db backup --out=":           "Setting --out is not valid: it is empty; give it a value or leave it out",
		"db backup --ot x":           "There is no setting '--ot' (flag). Did you mean '--out'?",
		"confg show":                 "There is no command 'confg'. Did you mean 'config'?",
		"quite":                      "There is no command 'quite'.",
		"backup":                     "There is no command 'backup'. Did you mean 'db backup'?",
		"set-pasword":                "There is no command 'set-pasword'. Did you mean 'admin set-password'?",
		"config":                     "config needs one of: show, schema, validate.",
		"admin":                      "admin needs one of: reset-password, set-password, tokens.",
		"admin tokens --json":        "admin tokens needs one of: list, create, revoke.",
		"config shw":                 "config has no command 'shw'. Did you mean 'config show'?",
		"db quite":                   "db has no command 'quite'. It has: status, backup, restore, migrate.",
		"admin tokens mint ci":       "admin tokens has no command 'mint'. It has: list, create, revoke.",
		"--admin init":               "The command 'init' has to come before the flags.",
		"db restore":                 "db restore needs the argument <file>.",
		"db restore a b":             "db restore does not take the argument 'b'.",
		"serve here":                 "serve does not take the argument 'here'.",
		"version now":                "version does not take the argument 'now'.",
		"help nothing":               "There is no command 'nothing'.",
		"help config shw":            "config has no command 'shw'. Did you mean 'config show'?",
		"help init now":              "init has no command 'now'.",
		"help --json":                "help does not take --json, which is a flag of doctor, config show, admin tokens list, admin tokens create and other commands.",
		"--authTokens a:b, c:d/e+f":  "There is no command of 7 characters.",
		"admin tokens create ci a:b": "admin tokens create does not take the argument of 3 characters.",
	} {
		_, err := ParseArgs(strings.Split(line, " "))
		if err == nil {
			t.Errorf("%q is accepted", line)
			continue
		}
		code, _, _, _, _ := detail(t, err)
		if info, _ := errcode.Info(code); info.Exit != 64 {
			t.Errorf("%q exits with %d", line, info.Exit)
		}
		if got := err.(*contract.Error).Message; got != want {
			t.Errorf("%q:\n got %s\nwant %s", line, got, want)
		}
	}
	if _, err := ParseArgs([]string{"db", "restore", " "}); err == nil {
		t.Error("an empty argument is accepted")
	}
	if inv, err := ParseArgs([]string{"--port", ""}); err != nil || inv.Settings["port"] != "" {
		t.Error(inv, err)
	}
}

// Every command takes its own flags and settings, no others, and has help.
func TestEveryCommand(t *testing.T) {
	t.Parallel()
	for _, c := range cli.Commands {
		words := strings.Split(c.Name, " ")
		var args []string
		for _, a := range c.Args {
			switch {
			case len(a.Enum) > 0:
				args = append(args, a.Enum[0].Value)
			case !a.Optional:
				args = append(args, a.Name)
			}
		}
		inv, err := ParseArgs(slices.Concat(words, args))
		if err != nil || inv.Command.Name != c.Name && c.Name != "help" {
			t.Errorf("%s: %+v %v", c.Name, inv, err)
		}
		for _, help := range [][]string{slices.Concat(words, []string{"-h"}), slices.Concat([]string{"help"}, words)} {
			if inv, err := ParseArgs(help); err != nil || !inv.Help || inv.Command.Help != c.Help {
				t.Errorf("%q: %+v %v", help, inv, err)
			}
		}
		for _, f := range c.Flags {
			value := "x"
			switch {
			case f.Kind == "boolean":
				value = "true"
			case len(f.Enum) > 0:
				value = f.Enum[0].Value
			}
			inv, err := ParseArgs(slices.Concat(words, []string{"--" + f.Name + "=" + value}, args))
			if err != nil || inv.Flags[f.Name] != value {
				t.Errorf("%s --%s: %+v %v", c.Name, f.Name, inv, err)
			}
		}
		for _, key := range keyNames() {
			inv, err := ParseArgs(slices.Concat(words, []string{"--" + key + "=1"}, args))
			if takes := c.AllKeys || slices.Contains(c.Keys, key); takes != (err == nil) {
				t.Errorf("%s --%s: %v", c.Name, key, err)
			} else if takes && inv.Settings[key] != "1" {
				t.Errorf("%s --%s: %+v", c.Name, key, inv)
			}
		}
	}
	if inv, _ := ParseArgs([]string{"config", "--help"}); strings.Count(inv.Command.Help, "Usage: ") != 3 {
		t.Errorf("help of a group: %s", inv.Command.Help)
	}
	if inv, _ := ParseArgs([]string{"--help"}); !strings.HasPrefix(inv.Command.Help, cli.Help) {
		t.Error("no help of the whole")
	}
}

func FuzzParseArgs(f *testing.F) {
	for _, seed := range []string{"", "--port\x0080", "config\x00show\x00--json", "--admin\x00false", "db\x00restore\x00--\x00-x", "help\x00config\x00x", "--noAdmin=1", "-h", "--authTokens=\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		const planted = "planted/secret+0123456789abcdefghijk"
		for _, args := range [][]string{strings.Split(line, "\x00"), append(strings.Split(line, "\x00"), "--authTokens=ci:"+planted, "ci:"+planted)} {
			inv, err := ParseArgs(args)
			if err != nil {
				if info, _ := errcode.Info(contract.CodeOf(err)); info.Exit != 64 {
					t.Errorf("%q: %v", args, err)
				}
				text := err.Error() + string(err.(*contract.Error).Details)
				if strings.Contains(text, planted) && !strings.Contains(line, "planted") || strings.ContainsAny(err.Error(), "\n\r\x1b") {
					t.Errorf("%q: %q", args, text)
				}
				continue
			}
			for name := range inv.Settings {
				if byName[name] == nil {
					t.Errorf("%q: %v", args, inv.Settings)
				}
			}
		}
	})
}

// Help is short where it is asked for shortly, and every mistake leads to a text that is there.
func TestHelpIsShortAndLong(t *testing.T) {
	t.Parallel()
	text := func(args ...string) string {
		inv, err := ParseArgs(args)
		if err != nil || !inv.Help {
			t.Fatalf("%q: %+v %v", args, inv, err)
		}
		return inv.Command.Help
	}
	const screen = 40 // lines of a terminal that nobody made larger, and some
	for _, args := range [][]string{{"help"}, {"-h"}, {"help", "serve"}, {"doctor", "-h"}} {
		if n := strings.Count(text(args...), "\n"); n > screen {
			t.Errorf("%q: %d lines", args, n)
		}
	}
	for _, args := range [][]string{{"--help"}, {"serve", "--help"}, {"doctor", "--help"}, {"help", "settings"}} {
		for _, k := range config.Keys {
			if all := text(args...); !strings.Contains(all, "--"+k.Name+"\n") && !strings.Contains(all, "--"+k.Name+" ") || !strings.Contains(all, k.Env) {
				t.Errorf("%q does not explain %s", args, k.Name)
			}
		}
	}
	for line, want := range map[string]string{
		"--nope": "settings", "serve --nope": "settings", "db restore": "db restore", "db": "db", "db nope": "db", "nope": "", "help nope": "",
		"admin tokens mint": "admin tokens", "init --nope": "init",
	} {
		if got := HelpTopic(strings.Fields(line)); got != want {
			t.Errorf("%q leads to %q, want %q", line, got, want)
		} else if got != "" {
			text(append([]string{"help"}, strings.Fields(got)...)...)
		}
	}
}
