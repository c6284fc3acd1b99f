package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/browserhive/browserhive/gen/cli"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/datadir"
	"github.com/browserhive/browserhive/internal/settings"
)

// setPassword sets the operator's password: in the database, or, while a server holds it, over its socket or at
// its address, which takes the present password.
func setPassword(ctx context.Context, p *program, in *settings.Invocation) (int, error) {
	url := in.Flags["url"]
	if url == "" {
		a, release, err := p.authority(ctx, in)
		if err == nil {
			defer release()
			next, err := p.newPassword(ctx)
			if err != nil {
				return 0, err
			}
			if err := a.SetPassword(ctx, next); err != nil {
				return 0, err
			}
			return p.passwordSet(), nil
		}
		if contract.CodeOf(err) != errcode.CodeDataDirLocked {
			return 0, err
		}
		r, err := p.overSocket(ctx, in, err)
		if err != nil {
			return 0, err
		}
		return p.changePassword(ctx, in, func(string) (*remote, error) { return r, nil })
	}
	return p.changePassword(ctx, in, func(present string) (*remote, error) { return p.signIn(ctx, url, present) })
}

// changePassword sets the password of a running server, which reach reaches.
func (p *program) changePassword(ctx context.Context, in *settings.Invocation, reach func(present string) (*remote, error)) (int, error) {
	present, err := p.presentPassword(ctx, in)
	if err != nil {
		return 0, err
	}
	if auth.IsToken(present) {
		return 0, usageError("set-password needs the present password in the file of --credential, and that holds a token")
	}
	next, err := p.newPassword(ctx)
	if err != nil {
		return 0, err
	}
	r, err := reach(present)
	if err != nil {
		return 0, err
	}
	defer r.close(ctx)
	if err := r.changePassword(ctx, present, next); err != nil {
		return 0, err
	}
	return p.passwordSet(), nil
}

func (p *program) passwordSet() int {
	fmt.Fprintf(p.stdout, "The password of %s is set.\n", auth.Admin)
	return cli.ExitOk
}

// presentPassword is that of a running server: of the file that --credential names, of the one that the server
// wrote, or what somebody types.
func (p *program) presentPassword(ctx context.Context, in *settings.Invocation) (string, error) {
	file := in.Flags["credential"]
	if file == "-" {
		return "", usageError("standard input is for the new password; name a file with --credential")
	}
	if file == "" && in.Flags["url"] == "" {
		set, err := p.settings(in)
		if err != nil {
			return "", err
		}
		seed := (&datadir.Dir{Root: set.Config.DataDir}).SeedFile().Path()
		if _, err := os.Stat(seed); err == nil {
			file = seed
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	switch {
	case file != "":
		return p.credential(file)
	case p.interactive:
		return p.hidden(ctx, "Present password: ")
	}
	return "", usageError("the server is running, so the present password is needed: name its file with --credential, or stop the server")
}

// newPassword asks for a password twice at a terminal; elsewhere it is the first line of standard input.
func (p *program) newPassword(ctx context.Context) (next string, err error) {
	if !p.interactive {
		if next, err = readLine(p.stdin, maxCredential); next == "" && err != nil {
			return "", usageError("there is no new password on standard input")
		}
		next = strings.TrimSuffix(next, "\r")
		return next, weakness(next)
	}
	if next, err = p.hidden(ctx, "New password: "); err != nil {
		return "", err
	}
	if err := weakness(next); err != nil {
		return "", err
	}
	again, err := p.hidden(ctx, "The same again: ")
	if err != nil {
		return "", err
	}
	if again != next {
		return "", errors.New("the two are not the same; nothing was changed")
	}
	return next, nil
}

// weakness is what the contract finds wrong with a new password.
func weakness(next string) error {
	fault, err := bodyFault("changePassword", map[string]any{"current_password": "-", "new_password": next})
	if err == nil && fault != "" {
		err = usageError("the new password " + fault)
	}
	return err
}

// hidden asks for a line that the terminal does not show. An interrupt ends the question, and the terminal shows
// again what is typed.
func (p *program) hidden(ctx context.Context, question string) (string, error) {
	terminal, ok := p.stdin.(*os.File)
	if !ok {
		return "", errors.New("there is no terminal to ask on")
	}
	fd := int(terminal.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", fmt.Errorf("the terminal cannot be kept from showing what is typed: %w", err)
	}
	fmt.Fprint(p.stderr, question)
	defer fmt.Fprintln(p.stderr)
	type read struct {
		line []byte
		err  error
	}
	done := make(chan read, 1)
	// Nothing can take back a read of a terminal. After an interrupt the process ends, and this with it.
	go func() {
		line, err := term.ReadPassword(fd)
		done <- read{line, err}
	}()
	select {
	case r := <-done:
		return string(r.line), r.err
	case <-ctx.Done():
		return "", errors.Join(ctx.Err(), term.Restore(fd, before))
	}
}
