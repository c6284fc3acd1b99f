package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/cli"
	"github.com/browserhive/browserhive/internal/hosttest"
)

// asProgram makes the test binary be the program, for shells that call it.
const asProgram = "BE_THE_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// inShell runs a script in a shell that finds the program, in a directory with two files.
func inShell(t *testing.T, shell string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(shell)
	if err != nil {
		t.Skipf("there is no %s; apt-get install %s", shell, shell)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, d := range []string{"bin", "files", "home"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(self, filepath.Join(dir, "bin", "browserhive")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one backup.db", "two.db"} {
		if err := os.WriteFile(filepath.Join(dir, "files", name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), hosttest.Limit(time.Minute))
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = filepath.Join(dir, "files")
	cmd.Env = []string{
		asProgram + "=1", "HOME=" + filepath.Join(dir, "home"), "TERM=xterm", "LC_ALL=C.UTF-8",
		"PATH=" + filepath.Join(dir, "bin") + string(os.PathListSeparator) + os.Getenv("PATH"),
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", shell, err, out)
	}
	return string(out)
}

// completions are the same questions for every shell: the words before the cursor, and what comes.
var completions = []struct {
	name  string
	words []string
	want  []string
}{
	{"command", []string{"pur"}, []string{"purge"}},
	{"subcommand", []string{"db", ""}, []string{"backup", "migrate", "restore", "status"}},
	{"flag", []string{"purge", "--dr"}, []string{"--dryRun"}},
	{"value", []string{"--stealth", ""}, []string{"max", "off", "standard"}},
	{"joined value", []string{"--color=al"}, []string{"--color=always"}},
	{"argument", []string{"completion", "f"}, []string{"fish"}},
	{"file", []string{"db", "restore", "o"}, []string{"one backup.db"}},
	{"file of a flag", []string{"--config", "t"}, []string{"two.db"}},
	{"joined file", []string{"--config=t"}, []string{"--config=two.db"}},
	{"nothing", []string{"nonsense", "x"}, nil},
}

func TestCompletionInBash(t *testing.T) {
	t.Parallel()
	for _, c := range completions {
		// Bash gives the words as it breaks them, and completes the part behind the last break.
		words, want := []string{"browserhive"}, slices.Clone(c.want)
		for _, w := range c.words {
			if name, value, joined := strings.Cut(w, "="); joined {
				words = append(words, name, "=", value)
				for i := range want {
					_, want[i], _ = strings.Cut(want[i], "=")
				}
				continue
			}
			words = append(words, w)
		}
		script := `eval "$(browserhive completion bash)"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _browserhive; printf '%s\n' "${COMPREPLY[@]}"`
		out := inShell(t, "bash", append([]string{"--norc", "-c", script, "bash"}, words...)...)
		expectCompletions(t, "bash, "+c.name, out, want)
	}
}

func TestCompletionInFish(t *testing.T) {
	t.Parallel()
	for _, c := range completions {
		script := `browserhive completion fish | source; complete --do-complete "browserhive $argv[1]"`
		out := inShell(t, "fish", "--no-config", "-c", script, "--", strings.Join(c.words, " "))
		expectCompletions(t, "fish, "+c.name, out, c.want)
	}
}

// Zsh completes only on a terminal: it gets one, a tab is typed, and a key that tells what the line is then.
func TestCompletionInZsh(t *testing.T) {
	t.Parallel()
	const script = `
zmodload zsh/zpty || exit 1
zpty shell zsh -f -i
typed() { zpty -w -n shell "$1"; }
until_said() { local said; zpty -r -m shell said "*$1*"; }
typed $'PS1=; autoload -U compinit; compinit -u -D; eval "$(browserhive completion zsh)"\n'
typed $'tell() { print -r -- "$BUFFER" >>../told; print to""ld }; zle -N tell; bindkey "^T" tell; bindkey "^U" kill-whole-line; setopt no_beep no_list_ambiguous; print re""ady\n'
until_said ready
for line; do
  typed $'\x15'"browserhive $line"$'\t\x14'
  until_said told
done
cat ../told`
	args, want := []string{"-f", "-c", script, "zsh"}, []string(nil)
	for _, c := range completions {
		if len(c.want) > 1 {
			continue // It would list them; which there are, the other shells show.
		}
		line := append([]string{"browserhive"}, c.words...)
		args = append(args, strings.Join(c.words, " "))
		if len(c.want) == 1 {
			line[len(line)-1] = strings.ReplaceAll(c.want[0], " ", `\ `)
		}
		want = append(want, strings.Join(line, " "))
	}
	var got []string
	for line := range strings.Lines(inShell(t, "zsh", args...)) {
		got = append(got, strings.TrimSpace(line))
	}
	if !slices.Equal(got, want) {
		t.Errorf("zsh: %q\nwant %q", got, want)
	}
}

func expectCompletions(t *testing.T, what, out string, want []string) {
	t.Helper()
	var got []string
	for line := range strings.Lines(out) {
		word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if word != "" {
			got = append(got, word)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func TestCompletionScripts(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		code, out, stderr := run(t, "completion", shell)
		if code != cli.ExitOk || !strings.Contains(out, "complete --") {
			t.Errorf("%s: %d %s", shell, code, stderr)
		}
	}
	if code, _, stderr := run(t, "completion", "tcsh"); code != cli.ExitUsage || !strings.Contains(stderr, "bash, zsh, fish") {
		t.Errorf("%d %s", code, stderr)
	}
	if runtime.GOOS == "windows" {
		return
	}
	_, out, _ := run(t, "complete", "--", "browserhive\ndb\n")
	golden(t, "completion/db", out)
}
