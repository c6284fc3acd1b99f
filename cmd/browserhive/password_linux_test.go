package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/browserhive/browserhive/gen/cli"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/auth/authtest"
	"github.com/browserhive/browserhive/internal/datadir"
	"github.com/browserhive/browserhive/internal/hosttest"
)

// openTerminal is a terminal: what is typed goes into keys, and what it shows comes out of there.
func openTerminal(t *testing.T) (keys, terminal *os.File) {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("this host has no pseudo terminals: ", err)
	}
	t.Cleanup(func() { _ = keys.Close() })
	n, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	if terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	return keys, terminal
}

func echoes(t *testing.T, terminal *os.File) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

// typing runs set-password at a terminal and types a line at each question. It returns what was printed and shown.
func typing(t *testing.T, dir string, interrupt bool, lines ...string) (code int, text string) {
	t.Helper()
	keys, terminal := openTerminal(t)
	var out bytes.Buffer
	asks := &awaited{text: ": ", came: make(chan struct{})}
	p := &program{
		stdin: terminal, stdout: &out, stderr: asks, dir: dir, executable: "browserhive", interactive: isTerminal(terminal),
		env: map[string]string{"HOME": dir}, signals: make(chan os.Signal, 2),
	}
	ended := make(chan int, 1)
	go func() { ended <- p.run(context.Background(), []string{"admin", "set-password", "--dataDir", dir}) }()
	select {
	case <-asks.came:
	case <-time.After(hosttest.Limit(time.Minute)):
		t.Fatal("it does not ask")
	}
	if interrupt {
		p.signals <- os.Interrupt
	} else {
		poll := time.NewTicker(time.Millisecond)
		defer poll.Stop()
		for i, line := range lines {
			// As a person does: once it is asked for, and would not be shown.
			for strings.Count(asks.String(), ": ") <= i || echoes(t, terminal) {
				<-poll.C
			}
			if _, err := keys.WriteString(line + "\n"); err != nil {
				t.Fatal(err)
			}
		}
	}
	select {
	case code = <-ended:
	case <-time.After(hosttest.Limit(time.Minute)):
		t.Fatal("it does not end")
	}
	if !echoes(t, terminal) {
		t.Error("the terminal no longer shows what is typed")
	}
	if interrupt {
		return code, out.String() + asks.String() // The read that nothing can take back keeps the terminal open.
	}
	_ = terminal.Close()
	shown, _ := io.ReadAll(keys) // Up to the error that a terminal without an other end gives.
	return code, out.String() + asks.String() + string(shown)
}

func TestSetPasswordAtATerminal(t *testing.T) {
	t.Parallel()
	dir := made(t)
	const password = "a password of my own"
	for _, c := range []struct {
		lines []string
		code  int
		says  string
	}{
		{[]string{password, "something else"}, cli.ExitFailure, "not the same"},
		{[]string{"short"}, cli.ExitUsage, "the new password"},
		{[]string{password, password}, cli.ExitOk, "is set"},
	} {
		code, text := typing(t, dir, false, c.lines...)
		if code != c.code || !strings.Contains(text, c.says) || !strings.Contains(text, "New password: ") {
			t.Errorf("%q: %d %s", c.lines, code, text)
		}
		for _, line := range c.lines {
			if strings.Contains(text, line) {
				t.Errorf("%q was printed: %s", line, text)
			}
		}
	}
	if code, text := typing(t, dir, true); code != cli.ExitInterrupted || !strings.Contains(text, "Interrupted\n") {
		t.Errorf("an interrupt: %d %s", code, text)
	}
	a := authtest.OpenIn(t, &datadir.Dir{Root: dir}, auth.Options{Dashboard: true})
	if _, c, err := a.Login(t.Context(), auth.Origin{}, auth.Admin, password); err != nil || c.MustChangePassword || a.First.Password != "" {
		t.Errorf("%+v, %v", c, err)
	}
}
