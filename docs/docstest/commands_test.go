package docstest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/cli"
	gen "github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/settings"
)

const root = "../.."

// documents are all pages that people write.
func documents(t *testing.T) []string {
	t.Helper()
	list := append(Guides(t, root), "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "contracts/README.md")
	more, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range more {
		list = append(list, "docs/"+filepath.Base(path))
	}
	return list
}

var (
	inline  = regexp.MustCompile("`([^`]+)`")
	fenced  = regexp.MustCompile("(?ms)^\\s*```.*?^\\s*```[^\\n]*$")
	program = regexp.MustCompile(`^(\S*/)?browserhive$`)
	// assigned is a variable that a shell sets for one command.
	assigned = regexp.MustCompile(`^([A-Z][A-Z0-9_]*)=`)
	ours     = regexp.MustCompile(`\bBROWSERHIVE_[A-Z0-9_]*[A-Z0-9]\b`)
	switches = regexp.MustCompile(`^--[a-z][A-Za-z]*`)
	// redirection is where a shell has a command read or write.
	redirection = regexp.MustCompile(`\s(\d?>{1,2}\s*\S+|<\s+\S+)`)
)

// inlines are the texts between backquotes of a document, without its blocks.
func inlines(text string) (list []string) {
	for _, m := range inline.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		list = append(list, strings.Join(strings.Fields(m[1]), " "))
	}
	return list
}

// words parts a command as a shell does, as far as documents go: single and double quotes.
func words(line string) (list []string) {
	word, quote, inWord := "", rune(0), false
	for _, r := range line + " " {
		switch {
		case quote == 0 && (r == '"' || r == '\''):
			quote, inWord = r, true
		case r == quote:
			quote = 0
		case quote == 0 && r == ' ':
			if inWord {
				list = append(list, word)
			}
			word, inWord = "", false
		default:
			word, inWord = word+string(r), true
		}
	}
	return list
}

// inner are the commands that a line runs: those of a pipe, those in $(…) and <(…), and what stands behind -- for
// another program to start.
func inner(line string) (list []string) {
	for _, opening := range []string{"$(", "<("} {
		for {
			before, rest, found := strings.Cut(line, opening)
			if !found {
				break
			}
			command, after, _ := strings.Cut(rest, ")")
			list = append(list, command)
			line = before + "text" + after
		}
	}
	for _, part := range regexp.MustCompile(`\||&&|;`).Split(redirection.ReplaceAllString(line, ""), -1) {
		if before, behind, found := strings.Cut(part, " -- "); found && !program.MatchString(strings.Fields(before)[0]) {
			part = behind
		}
		list = append(list, strings.TrimSpace(part))
	}
	return list
}

// fault says what is wrong with a command of ours, or "". What the command line would refuse only for the lack of
// a value, or of the file that a reader has to name, is named in a sentence and not meant to be typed as it is.
func fault(line string) string {
	args := words(strings.ReplaceAll(line, "<command>", cli.Commands[0].Name)) // Any of them will do.
	for len(args) > 0 && assigned.MatchString(args[0]) {
		args = args[1:]
	}
	switch {
	case len(args) == 0:
		return ""
	case program.MatchString(args[0]):
		if isGroup(args[1:]) {
			return ""
		}
		var err error
		for _, more := range [][]string{nil, {"value"}} {
			if _, err = settings.ParseArgs(append(slices.Clone(args[1:]), more...)); err == nil {
				return ""
			}
		}
		return err.Error()
	case args[0] == "make":
		return makeFault(args[1:])
	case args[0] == "go" && len(args) > 2 && args[1] == "run":
		return runFault(args[2], args[3:])
	}
	return "" // Another's program.
}

// isGroup reports whether words are what the names of several commands begin with.
func isGroup(words []string) bool {
	return slices.ContainsFunc(cli.Commands, func(c contract.Command) bool {
		return len(words) > 0 && strings.HasPrefix(c.Name, strings.Join(words, " ")+" ")
	})
}

func makeFault(args []string) string {
	content, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		return err.Error()
	}
	makefile := string(content)
	for _, arg := range args {
		name, value, isVariable := strings.Cut(arg, "=")
		switch {
		case !isVariable && !regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(arg)+`:`).MatchString(makefile):
			return "the Makefile has no target " + arg
		case isVariable && !strings.Contains(makefile, "$("+name+")"):
			return "the Makefile uses no variable " + name
		case name == "ARGS" && value != "…":
			return fault("browserhive " + value)
		}
	}
	return ""
}

// runFault looks for the flags of a program of the repository in its source.
func runFault(dir string, args []string) string {
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.go"))
	if err != nil || len(files) == 0 {
		return dir + " is no program"
	}
	source := ""
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return err.Error()
		}
		source += string(content)
	}
	for _, arg := range args {
		name, found := strings.CutPrefix(arg, "-")
		if found && !regexp.MustCompile(`flag\.\w+\((&[\w.]+, )?"`+regexp.QuoteMeta(strings.TrimLeft(name, "-"))+`"`).MatchString(source) {
			return dir + " has no flag " + arg
		}
	}
	return ""
}

// What documents tell a reader to type is what the command line takes.
func TestCommandsParse(t *testing.T) {
	t.Parallel()
	checked := 0
	check := func(file, line string) {
		for _, one := range Spelled(line) {
			for _, command := range inner(one) {
				checked++
				if why := fault(command); why != "" {
					t.Errorf("%s: %s: %s", file, command, why)
				}
			}
		}
	}
	for _, file := range documents(t) {
		for _, block := range Blocks(t, root, file) {
			for _, line := range block.Lines() {
				first := strings.Fields(line)[0]
				if block.Language == "bash" || block.Language == "" && (program.MatchString(first) || first == "source") {
					// What is explained in a second column is no part of it.
					command, _, _ := strings.Cut(line, "    ")
					check(file, command)
				}
			}
		}
		for _, text := range inlines(Read(t, root, file)) {
			if at := strings.Fields(text); len(at) > 1 && (program.MatchString(at[0]) && !isDigit(at[1]) || at[0] == "make" || assigned.MatchString(at[0])) {
				check(file, text)
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d commands are found", checked)
	}
}

// isDigit tells what the program prints of its version from a command.
func isDigit(word string) bool { return word[0] >= '0' && word[0] <= '9' }

// Flags and variables that documents name exist.
func TestFlagsAndVariablesExist(t *testing.T) {
	t.Parallel()
	flags, variables := map[string]bool{"--help": true, "--version": true}, map[string]bool{}
	for _, command := range cli.Commands {
		for _, own := range command.Flags {
			flags["--"+own.Name] = true
		}
	}
	for _, key := range gen.Keys {
		flags[key.Flag], variables[key.Env] = true, true
		if key.Grammar == "boolean" {
			flags["--no"+strings.ToUpper(key.Name[:1])+key.Name[1:]] = true
		}
	}
	// Those of other programs, and those that are named because they do not exist.
	for _, other := range []string{"--max", "--header", "--transport", "--name"} {
		flags[other] = true
	}
	for name, why := range map[string]string{
		"BROWSERHIVE_TOKEN":       "an example of an unknown one",
		"BROWSERHIVE_TEST_ENGINE": "of the tests, in browsertest",
	} {
		if variables[name] {
			t.Errorf("%s is a setting, and not %s", name, why)
		}
		variables[name] = true
	}
	for _, file := range documents(t) {
		text := Read(t, root, file)
		for _, code := range inlines(text) {
			if name := switches.FindString(code); name != "" && !flags[name] {
				t.Errorf("%s: there is no flag %s", file, name)
			}
		}
		for _, name := range ours.FindAllString(text, -1) {
			if !variables[name] {
				t.Errorf("%s: there is no variable %s", file, name)
			}
		}
	}
}

// Each fault is seen, or the tests above would pass on anything.
func TestFaultsAreSeen(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"browserhive initialise", "browserhive init --colour", "bin/browserhive doctor --yes", "browserhive config edit", "browserhive --max-sessions 4",
		"make everything", "make run SPEED=9", `make run ARGS="--prt 9900"`, "go run ./nothing", "go run ./bench -fast",
		"BROWSERHIVE_PORT=1 browserhive serv", "browserhive admin tokens create",
	} {
		want := line == "browserhive admin tokens create" // It lacks a name, which a sentence may leave out.
		if why := fault(line); (why == "") != want {
			t.Errorf("%s: %q", line, why)
		}
	}
	for line, want := range map[string][]string{
		"browserhive config show|schema [flags]":                         {"browserhive config show", "browserhive config schema"},
		"browserhive [serve] [flags]":                                    {"browserhive serve"},
		`claude mcp add x -- browserhive --transport stdio`:              {"browserhive --transport stdio"},
		`echo x | browserhive admin tokens create a > file 2> /dev/null`: {"echo x", "browserhive admin tokens create a"},
		`source <(browserhive completion bash)`:                          {"browserhive completion bash", "source text"},
		`BROWSERHIVE_PORT="1:$(openssl rand)" browserhive --auth token`:  {"openssl rand", `BROWSERHIVE_PORT="1:text" browserhive --auth token`},
	} {
		var got []string
		for _, one := range Spelled(line) {
			got = append(got, inner(one)...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q", line, got, want)
		}
	}
}
