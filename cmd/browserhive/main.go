// Command browserhive gives AI agents isolated Chromium sessions over MCP.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"github.com/browserhive/browserhive/gen/cli"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/config"
	"github.com/browserhive/browserhive/internal/contract"
)

func main() {
	dir, err := os.Getwd()
	if err != nil {
		dir = string(os.PathSeparator)
	}
	p := &program{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: config.Environ(), dir: dir,
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
}

// command runs one command and returns its exit code, or an error that decides it.
type command func(ctx context.Context, p *program, in *config.Invocation) (int, error)

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
	"admin tokens list":    tokensList,
	"admin tokens create":  tokensCreate,
	"admin tokens revoke":  tokensRevoke,
}

// run parses the arguments, runs the command and returns the exit code.
func (p *program) run(ctx context.Context, args []string) int {
	in, err := config.ParseArgs(args)
	if err != nil {
		return p.fail(err)
	}
	switch {
	case in.Help:
		fmt.Fprint(p.stdout, in.Command.Help)
		return cli.ExitOk
	case in.Version:
		in.Flags = map[string]string{}
		return p.finish(version(ctx, p, in))
	}
	run := commands[in.Command.Name]
	if run == nil || in.Command.Planned {
		return p.fail(errcode.NotImplemented{Operation: "browserhive " + in.Command.Name}.Err())
	}
	if in.Command.Name != "serve" { // Which asks what runs to stop, and waits for it.
		var release context.CancelFunc
		ctx, release = p.interruptible(ctx)
		defer release()
	}
	return p.finish(run(ctx, p, in))
}

// interruptible is a context that the first interrupt ends. The second ends the process, as it would a
// program that knows of no signals.
func (p *program) interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-p.signals:
			signal.Stop(p.signals)
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

func (p *program) finish(code int, err error) int {
	if err != nil {
		return p.fail(err)
	}
	return code
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
			fmt.Fprintf(p.stderr, "  %s\n", info.Hint)
		}
	}
	return info.Exit
}

// settings resolves the configuration for a command.
func (p *program) settings(in *config.Invocation) (*config.Resolved, error) {
	return config.Resolve(p.input(in))
}

func (p *program) input(in *config.Invocation) config.Input {
	return config.Input{Flags: in.Settings, Env: p.env, Dir: p.dir, Host: config.DetectHost(p.env)}
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
