// Command browserhive gives AI agents isolated Chromium sessions over MCP.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/browserhive/browserhive/gen/cli"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/settings"
)

func main() {
	dir, err := os.Getwd()
	if err != nil {
		dir = string(os.PathSeparator)
	}
	p := &program{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: settings.Environ(), dir: dir,
		terminal: isTerminal(os.Stdout), interactive: isTerminal(os.Stdin), executable: os.Args[0],
	}
	if isTerminal(os.Stderr) {
		p.screen = os.Stderr
	}
	// Two signals fit: the first asks to stop, the second insists.
	p.signals = make(chan os.Signal, 2)
	signal.Notify(p.signals, os.Interrupt, syscall.SIGTERM)
	os.Exit(p.run(context.Background(), os.Args[1:]))
}

// program is the command line apart from the process it runs in.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            map[string]string
	dir            string
	// terminal says that stdout is one, interactive that stdin is: somebody can answer.
	terminal, interactive bool
	// screen is where progress is shown; nil without a terminal.
	screen     io.Writer
	executable string
	signals    chan os.Signal
	// called is the command that runs.
	called *settings.Invocation
}

// command runs one command and returns its exit code, or an error that decides it.
type command func(ctx context.Context, p *program, in *settings.Invocation) (int, error)

var commands = map[string]command{
	"serve":           serve,
	"init":            initialize,
	"doctor":          doctor,
	"config show":     configShow,
	"config schema":   configSchema,
	"config validate": configValidate,
	"db status":       dbStatus,
	"db backup":       dbBackup,
	"db restore":      dbRestore,
	"db migrate":      dbMigrate,
	"purge":           purge,
	"completion":      completion,
	"complete":        complete,
	"version":         version,

	"admin reset-password": resetPassword,
	"admin set-password":   setPassword,
	"admin tokens list":    tokensList,
	"admin tokens create":  tokensCreate,
	"admin tokens revoke":  tokensRevoke,
}

// run parses the arguments, runs the command and returns the exit code.
func (p *program) run(ctx context.Context, args []string) int {
	in, err := settings.ParseArgs(args)
	if err != nil {
		return p.mistake(p.fail(err), settings.HelpTopic(args))
	}
	switch {
	case in.Help:
		fmt.Fprint(p.stdout, in.Command.Help)
		return cli.ExitOk
	case in.Version:
		in.Flags = map[string]string{}
		return p.finish(in, func() (int, error) { return version(ctx, p, in) })
	}
	run := commands[in.Command.Name]
	if run == nil || in.Command.Planned {
		return p.fail(errcode.NotImplemented{Operation: "browserhive " + in.Command.Name}.Err())
	}
	p.called = in
	if in.Command.Name == "serve" { // It asks what runs to stop, and waits for it.
		return p.finish(in, func() (int, error) { return run(ctx, p, in) })
	}
	ctx, release := p.interruptible(ctx)
	defer release()
	return p.finish(in, func() (int, error) {
		code, err := run(ctx, p, in)
		if errors.Is(context.Cause(ctx), errInterrupted) && (err != nil || code != cli.ExitOk) {
			return 0, errInterrupted
		}
		return code, err
	})
}

// errInterrupted is why a command ends that somebody has interrupted.
var errInterrupted = errors.New("interrupted")

// interruptible is a context that the first interrupt ends. The second ends the process, as it would a
// program that knows of no signals.
func (p *program) interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-p.signals:
			signal.Stop(p.signals)
			cancel(errInterrupted)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// usageError is a sentence about what a command was given.
type usageError string

func (e usageError) Error() string { return string(e) }

// finish runs a command and returns the exit code, after the error.
func (p *program) finish(in *settings.Invocation, run func() (int, error)) int {
	code, err := run()
	topic := settings.SettingsTopic
	var usage usageError
	switch {
	case errors.As(err, &usage):
		fmt.Fprintf(p.stderr, "browserhive: %s\n", usage)
		code, topic = cli.ExitUsage, in.Command.Name
	case errors.Is(err, errInterrupted):
		fmt.Fprintln(p.stderr, "Interrupted")
		code = cli.ExitInterrupted
	case err != nil:
		code = p.fail(err)
	}
	return p.mistake(code, topic)
}

// mistake leads whoever made one to the help that would have prevented it. It returns the code.
func (p *program) mistake(code int, topic string) int {
	if code == cli.ExitUsage {
		fmt.Fprintf(p.stderr, "  For help, run: %s\n", strings.TrimSpace(p.executable+" help "+topic))
	}
	return code
}

// propose is a command for the operator to run, on the data directory and the config file of this one.
func (p *program) propose(words ...string) string {
	if p.called == nil {
		p.called = &settings.Invocation{}
	}
	set, _ := settings.ResolveAll(p.input(p.called)) // What is wrong with it is told elsewhere.
	return set.Command(p.executable, words...)
}

// fail prints an error and returns the exit code that its code has. It is the one place where an error
// becomes a line of the command line.
func (p *program) fail(err error) int {
	var e *contract.Error
	if !errors.As(err, &e) {
		fmt.Fprintf(p.stderr, "browserhive: %v\n", err)
		return cli.ExitFailure
	}
	info, _ := errcode.Info(e.Code)
	if info.Exit == cli.ExitUsage {
		fmt.Fprintf(p.stderr, "browserhive: %s\n", e.Message)
	} else {
		fmt.Fprintf(p.stderr, "browserhive: [%s] %s\n", e.Code, e.Message)
		if info.Hint != "" {
			fmt.Fprintf(p.stderr, "  %s\n", p.located(info.Hint))
		}
	}
	return info.Exit
}

// proposal is a command in a hint of the contract, which knows neither the data directory nor the program's path.
var proposal = regexp.MustCompile(`'browserhive ([^']+)'`)

// located is a hint whose commands find what this one found.
func (p *program) located(hint string) string {
	return proposal.ReplaceAllStringFunc(hint, func(quoted string) string {
		return "'" + p.propose(strings.Fields(proposal.FindStringSubmatch(quoted)[1])...) + "'"
	})
}

// settings resolves the configuration for a command.
func (p *program) settings(in *settings.Invocation) (*settings.Resolved, error) {
	return settings.Resolve(p.input(in))
}

func (p *program) input(in *settings.Invocation) settings.Input {
	return settings.Input{Flags: in.Settings, Env: p.env, Dir: p.dir, Host: settings.DetectHost(p.env)}
}

// color decides whether output is coloured.
func (p *program) color(setting string) bool {
	switch setting {
	case "always":
		return true
	case "never":
		return false
	}
	switch force := p.env["FORCE_COLOR"]; {
	case p.env["NO_COLOR"] != "":
		return false
	case force != "":
		return force != "0" && force != "false"
	}
	return p.terminal && p.env["TERM"] != "dumb"
}

// marks are the signs of the outcomes of checks and steps.
func (p *program) marks(setting string) map[string]string {
	if !p.color(setting) {
		return map[string]string{checkOK: "✓", checkWarn: "!", checkFail: "✗"}
	}
	return map[string]string{checkOK: "\x1b[32m✓\x1b[0m", checkWarn: "\x1b[33m!\x1b[0m", checkFail: "\x1b[31m✗\x1b[0m"}
}

// isTerminal reports whether a person is at the other end.
func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
