package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
	"github.com/browserhive/browserhive/internal/hosttest"
)

// patience bounds every wait. It is long because tests share a machine; nothing waits for it to pass.
var patience = hosttest.Limit(60 * time.Second)

// brief is a timeout of calls, in milliseconds, that is to pass, and long enough for the answer to say why.
var brief = hosttest.Pause(300 * time.Millisecond).Milliseconds()

// ample is a timeout of calls, in milliseconds, for what works.
var ample = hosttest.Milliseconds(10 * time.Second)

// setup is how a test starts the program. The zero value serves HTTP on a free port.
type setup struct {
	dataDir string // "" for a new one
	args    []string
	env     []string
	stdio   bool
	spare   bool // Whether it keeps a browser ready, which takes the cores of other tests.
}

// product is a running browserhive.
type product struct {
	t       testing.TB
	cmd     *exec.Cmd
	dataDir string
	tempDir string // its TMPDIR
	url     string // "" under stdio
	token   string // what agents show, "" for nothing
	// principal is whose token it is.
	principal string
	stdin     io.WriteCloser
	stdout    *os.File    // under stdio, for one reader
	log       *transcript // everything it wrote to stderr, and under HTTP to stdout
	mark      int         // how much of it was written before the test
	exited    chan struct{}
	code      int // once exited is closed
}

// start starts the program and waits until it takes calls. When the test ends it is stopped, has to exit
// cleanly, and must not have logged a breach of the contract.
func start(t testing.TB, s setup) *product {
	t.Helper()
	for try := 1; ; try++ {
		p := launch(t, s)
		if p.await(`"msg":"ready"`) {
			t.Cleanup(p.finish)
			return p
		}
		// Somebody else may have taken the free port between our look and its use.
		if try == 3 || p.code != 3 || !strings.Contains(p.log.String(), "PORT_IN_USE") {
			t.Fatalf("browserhive did not start (exit %d):\n%s", p.code, p.log)
		}
	}
}

// refusal starts the program, which has to give up, and returns its exit code and what it said.
func refusal(t testing.TB, s setup) (code int, output string) {
	t.Helper()
	p := launch(t, s)
	select {
	case <-p.exited:
	case <-time.After(patience):
		_ = p.cmd.Process.Kill()
		t.Fatalf("browserhive did not give up:\n%s", p.log)
	}
	return p.code, p.log.String()
}

func launch(t testing.TB, s setup) *product {
	t.Helper()
	p := &product{t: t, dataDir: s.dataDir, tempDir: shortDir(t), log: newTranscript(), exited: make(chan struct{})}
	if p.dataDir == "" {
		p.dataDir = filepath.Join(shortDir(t), "data")
		browsertest.TakeEngine(t, p.dataDir)
	}
	args := []string{"--dataDir", p.dataDir, "--logFormat", "json", fmt.Sprintf("--%s=%v", config.KeySpareBrowser, s.spare)}
	if s.stdio {
		args = append(args, "--transport", "stdio")
	} else if !slices.Contains(s.args, "--port") {
		port := freePort(t)
		args = append(args, "--port", strconv.Itoa(port))
		p.url = fmt.Sprintf("http://127.0.0.1:%d", port)
	}
	p.cmd = exec.Command(browserhive, append(args, s.args...)...)
	endWithTests(p.cmd)
	p.cmd.Dir = t.TempDir()
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "TMPDIR=" + p.tempDir}, installation(t)...)
	p.cmd.Env = append(p.cmd.Env, s.env...)
	// Pipes of our own: children that inherit them must not keep Wait from returning.
	errR, errW := pipe(t)
	outR, outW := pipe(t)
	p.cmd.Stderr, p.cmd.Stdout = errW, outW
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = errW.Close(), outW.Close()
	read := make(chan struct{})
	go func() { _, _ = io.Copy(p.log, errR); close(read) }()
	if s.stdio {
		p.stdout = outR
	} else {
		go func() { _, _ = io.Copy(p.log, outR) }()
	}
	go func() {
		err := p.cmd.Wait()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			p.log.line("wait: " + err.Error())
		}
		p.code = p.cmd.ProcessState.ExitCode()
		select { // its last words
		case <-read:
		case <-time.After(hosttest.Limit(5 * time.Second)):
		}
		close(p.exited)
		p.log.line("") // wakes those who wait for a line
	}()
	return p
}

// output is what the program has written since the test began to use it.
func (p *product) output() string { return p.log.since(p.mark) }

// await waits until the program has logged a line that holds the texts, and reports false when it exited instead.
func (p *product) await(texts ...string) bool {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		changed := p.log.changes()
		if p.logged(texts...) {
			return true
		}
		select {
		case <-p.exited:
			return p.logged(texts...)
		case <-changed:
		case <-ctx.Done():
			p.t.Fatalf("not logged: %q\n%s", texts, p.output())
		}
	}
}

// logged reports whether a line of the log holds the texts.
func (p *product) logged(texts ...string) bool {
	for line := range strings.Lines(p.output()) {
		holds := true
		for _, text := range texts {
			holds = holds && strings.Contains(line, text)
		}
		if holds {
			return true
		}
	}
	return false
}

// stop asks the program to stop in one of the ways that there are, and returns its exit code.
func (p *product) stop(ask func() error) int {
	p.t.Helper()
	if err := ask(); err != nil {
		p.t.Fatal(err)
	}
	select {
	case <-p.exited:
	case <-time.After(patience):
		p.t.Fatalf("browserhive does not stop:\n%s", p.log)
	}
	return p.code
}

// The ways to ask.
func (p *product) terminate() error  { return p.cmd.Process.Signal(syscall.SIGTERM) }
func (p *product) interrupt() error  { return p.cmd.Process.Signal(os.Interrupt) }
func (p *product) kill() error       { return p.cmd.Process.Kill() }
func (p *product) closeStdin() error { return p.stdin.Close() }

// finish stops what still runs and holds the program to its promises.
func (p *product) finish() {
	select {
	case <-p.exited:
	default:
		if err := p.terminate(); err != nil {
			p.t.Error(err)
		}
		select {
		case <-p.exited:
			if p.code != 0 {
				p.t.Errorf("browserhive exited with %d", p.code)
			}
		case <-time.After(patience):
			p.t.Error("browserhive does not stop")
			_ = p.cmd.Process.Kill()
			<-p.exited
		}
	}
	for line := range strings.Lines(p.log.String()) {
		for _, fault := range []string{"the answer breaks the contract", "panic", "INTERNAL_ERROR", "DATA RACE"} {
			if strings.Contains(line, fault) {
				p.t.Errorf("logged: %s", line)
			}
		}
	}
	if p.t.Failed() {
		p.t.Logf("log of browserhive:\n%s", p.log)
	}
}

func pipe(t testing.TB) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r, w
}

// shortDir is a temporary directory with a short path: sockets of browsers have to fit below it.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bh")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// ports counts the ports that were given out, so that no two tests of this process get the same one.
var ports atomic.Int64

// freePort is a port below those that systems hand out by themselves, 32768 and up on Linux: one of those,
// once let go of, may be somebody's connection by the time that a program listens on it.
func freePort(t testing.TB) int {
	t.Helper()
	const first, count = 20000, 12000
	for range 100 {
		// Test processes that run beside this one begin elsewhere.
		port := first + (os.Getpid()*61+int(ports.Add(1)))%count
		if l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatal("no free port")
	return 0
}

// eventually polls a condition that no event announces.
func eventually(t testing.TB, ok func() bool, otherwise func() string) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal(otherwise())
		}
	}
}
