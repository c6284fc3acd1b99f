package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/browserhive/browserhive/internal/browser"
)

// era is the version of the protocol that today's agents speak.
const era = "2025-11-25"

// product is the built server in a process of its own, and a client of it.
type product struct {
	cmd     *exec.Cmd
	session *mcp.ClientSession
}

func startProduct(ctx context.Context, dir string, found browser.Installation, env map[string]string) (*product, error) {
	program := filepath.Join(dir, "browserhive")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", program, "github.com/browserhive/browserhive/cmd/browserhive")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	p := &product{cmd: exec.CommandContext(ctx, program, "--dataDir", filepath.Join(dir, "data"), "--port", strconv.Itoa(port), "--logFormat", "json")}
	p.cmd.Dir = dir
	p.cmd.Env = []string{
		"PATH=" + env["PATH"], "HOME=" + env["HOME"],
		"PLAYWRIGHT_DRIVER_PATH=" + found.DriverDir, "PLAYWRIGHT_NODEJS_PATH=" + found.Node,
	}
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(os.Interrupt) }
	p.cmd.WaitDelay = 30 * time.Second
	log, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	if err := ready(log); err != nil {
		return nil, errors.Join(err, p.stop())
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	p.session, err = client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: fmt.Sprintf("http://127.0.0.1:%d/mcp", port)},
		&mcp.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		return nil, errors.Join(err, p.stop())
	}
	return p, nil
}

func freePort(ctx context.Context) (int, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// ready reads the log until the server takes calls, and goes on reading so that it never has to wait.
func ready(log io.Reader) error {
	lines := bufio.NewScanner(log)
	var said []string
	for lines.Scan() {
		said = append(said, lines.Text())
		if strings.Contains(lines.Text(), `"msg":"ready"`) {
			go func() { _, _ = io.Copy(io.Discard, log) }()
			return nil
		}
	}
	return fmt.Errorf("the server does not start:\n%s", strings.Join(said, "\n"))
}

// call calls a tool and returns its structured content.
func (p *product) call(ctx context.Context, tool string, args map[string]any) (map[string]any, error) {
	if args == nil {
		args = map[string]any{}
	}
	res, err := p.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return nil, err
	}
	if res.IsError {
		said, err := json.Marshal(res.Content)
		return nil, errors.Join(fmt.Errorf("%s: %s", tool, said), err)
	}
	fields, ok := res.StructuredContent.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: no structured content", tool)
	}
	return fields, nil
}

// stop ends the server and waits for it.
func (p *product) stop() error {
	if p.session != nil {
		_ = p.session.Close() // the server goes anyway
	}
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return p.cmd.Wait()
}
