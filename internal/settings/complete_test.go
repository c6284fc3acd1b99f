package settings

import (
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/config"
)

func TestComplete(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"|pur":                         "purge",
		"|db|":                         "status backup restore migrate",
		"|db|re":                       "restore",
		"|admin|tokens|cr":             "create",
		"|help|db|st":                  "status",
		"|help|set":                    "settings",
		"|help|ex":                     "exit-codes",
		"|db|nonsense|":                "",
		"|db|status|x":                 "",
		"|purge|--d":                   "--dataDir --dryRun",
		"|purge|--dryRun|--d":          "--dataDir",
		"|purge|--port|--dr":           "--dryRun",
		"|--noAd":                      "--noAdmin",
		"|serve|--admin|--noAdm":       "",
		"|--stealthDriver|":            "auto patchright playwright",
		"|serve|--stealthDriver=p":     "--stealthDriver=patchright --stealthDriver=playwright",
		"|--otelSignals|traces,me":     "traces,metrics",
		"|--logLevel|info,sessions=de": "info,sessions=debug",
		"|--admin=t":                   "--admin=true",
		"|--port|":                     "",
		"|--nope=":                     "",
		"|init|--browsers|":            "chromium",
		"|completion|z":                "zsh",
		"|completion|zsh|":             "--help --version",
		"|db|restore|":                 ":file",
		"|db|restore|--|--x":           ":file",
		"|db|backup|--out|":            ":file",
		"|--dataDir=/t":                "--dataDir= :file",
		"|doctor|--json|--json":        "",
	} {
		c := Complete(strings.Split(line, "|")[1:])
		var got []string
		for _, one := range c.Candidates {
			got = append(got, one.Text)
		}
		if c.Files {
			got = append(got, c.Prefix, ":file")
		}
		if s := strings.TrimSpace(strings.Join(got, " ")); s != want {
			t.Errorf("%s: %q, want %q", line, s, want)
		}
	}
}

// Whatever is completed is accepted: each flag that is offered parses, and so does each value.
func TestCompletionsParse(t *testing.T) {
	t.Parallel()
	for _, command := range commands {
		words := strings.Split(command.Name, " ")
		for _, c := range Complete(append(words, "--")).Candidates {
			f, ok := flagOf(&command, c.Text)
			if !ok && c.Text != "--help" && c.Text != "--version" {
				t.Errorf("%s %s is offered, and not known", command.Name, c.Text)
			}
			if !ok || f.negated {
				continue
			}
			for _, v := range Complete(append(words, c.Text, "")).Candidates {
				if f.boolean {
					break // Its value is never a word of its own.
				}
				if k := byName[f.name]; f.own == nil && k != nil {
					if _, fault := parseText(k, v.Text); fault != nil {
						t.Errorf("%s %s %s: %s", command.Name, c.Text, v.Text, fault.reason(k))
					}
				}
			}
		}
	}
	for i := range config.Keys {
		k := &config.Keys[i]
		if got := Complete([]string{k.Flag + "="}); len(k.Enum) > 0 && len(got.Candidates) != len(k.Enum) {
			t.Errorf("%s offers %d of %d values", k.Flag, len(got.Candidates), len(k.Enum))
		}
	}
}

func FuzzComplete(f *testing.F) {
	for _, s := range []string{"", "db\nrestore\n", "--stealth=\x00", "help\nhelp", "--\n--\n-", "--otelSignals\n,,=,"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words := strings.Split(line, "\n")
		word := words[len(words)-1]
		for _, c := range Complete(words).Candidates {
			if !strings.HasPrefix(c.Text, word) || strings.ContainsAny(c.Text+c.Doc, "\n\t") && !strings.ContainsAny(word, "\n\t") {
				t.Errorf("%q does not go on with %q", line, c)
			}
		}
	})
}
