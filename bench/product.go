package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// era is the version of the protocol that today's agents speak.
const era = "2025-11-25"

// product is the built server in a process of its own, and a client of it.
type product struct {
	b       *bench
	cmd     *exec.Cmd
	session *mcp.ClientSession
	// spares tells of each spare browser that is ready.
	spares chan struct{}
}

// start starts the server with a data directory of its own.
func (b *bench) start(args ...string) (*product, error) {
	port, err := b.freePort()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(b.dir, "data")
	if err != nil {
		return nil, err
	}
	// Without a spare, unless it is what is measured: it would take cores and memory beside the sessions.
	if !slices.Contains(args, "--spareBrowser") {
		args = append(args, "--spareBrowser=false")
	}
	args = append([]string{"--dataDir", dir, "--port", strconv.Itoa(port), "--logFormat", "json", "--logLevel", "info,sessions=debug"}, args...)
	p := &product{b: b, cmd: exec.CommandContext(b.ctx, b.program, args...), spares: make(chan struct{}, 1)}
	p.cmd.Dir = b.dir
	p.cmd.Env = []string{
		"PATH=" + b.env["PATH"], "HOME=" + b.env["HOME"],
		"PLAYWRIGHT_DRIVER_PATH=" + b.found.DriverDir, "PLAYWRIGHT_NODEJS_PATH=" + b.found.Node,
	}
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(os.Interrupt) }
	p.cmd.WaitDelay = patience
	log, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	if err := p.follow(log); err != nil {
		return nil, errors.Join(err, p.stop())
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	p.session, err = client.Connect(b.ctx, &mcp.StreamableClientTransport{Endpoint: fmt.Sprintf("http://127.0.0.1:%d/mcp", port)},
		&mcp.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		return nil, errors.Join(err, p.stop())
	}
	return p, nil
}

// with runs something on a server that is stopped afterwards.
func (b *bench) with(do func(*product) error, args ...string) error {
	p, err := b.start(args...)
	if err != nil {
		return err
	}
	return errors.Join(do(p), p.stop())
}

func (b *bench) freePort() (int, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(b.ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// patience bounds what the server does in the background.
const patience = 30 * time.Second

// follow reads the log until the server takes calls, and goes on reading in the background until it ends.
func (p *product) follow(log io.Reader) error {
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20) // a stack trace is one line of JSON
	var said []string
	for lines.Scan() {
		said = append(said, lines.Text())
		if strings.Contains(lines.Text(), `"msg":"ready"`) {
			go func() {
				for lines.Scan() {
					if strings.Contains(lines.Text(), `"msg":"a browser is ready for the next session"`) {
						select {
						case p.spares <- struct{}{}:
						default: // nobody has asked for the last one
						}
					}
				}
				_, _ = io.Copy(io.Discard, log)
			}()
			return nil
		}
	}
	return fmt.Errorf("the server does not start:\n%s", strings.Join(said, "\n"))
}

// spare waits until a browser is ready for the next session.
func (p *product) spare() error {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-p.spares:
		return nil
	case <-timer.C:
		return errors.New("no spare browser comes")
	case <-p.b.ctx.Done():
		return p.b.ctx.Err()
	}
}

// call calls a tool and returns its structured content.
func (p *product) call(tool string, args map[string]any) (map[string]any, error) {
	if args == nil {
		args = map[string]any{}
	}
	res, err := p.session.CallTool(p.b.ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
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

// launch launches a session, with further arguments.
func (p *product) launch(args map[string]any) (id string, err error) {
	all := map[string]any{"slug": "bench"}
	for k, v := range args {
		all[k] = v
	}
	res, err := p.call("launch_session", all)
	id, _ = res["session_id"].(string)
	return id, err
}

// on calls a tool in a session.
func (p *product) on(session, tool string, args map[string]any) func() error {
	all := map[string]any{"session_id": session}
	for k, v := range args {
		all[k] = v
	}
	return func() error {
		_, err := p.call(tool, all)
		return err
	}
}

// open launches sessions and shows each a page.
func (p *product) open(count int, url string) (ids []string, err error) {
	for range count {
		id, err := p.launch(nil)
		if err != nil {
			return nil, err
		}
		if err := p.on(id, "navigate", map[string]any{"url": url})(); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// each does something for all sessions at once.
func each(ids []string, do func(i int, id string) error) error {
	errs := make([]error, len(ids))
	var all sync.WaitGroup
	for i, id := range ids {
		all.Go(func() { errs[i] = do(i, id) })
	}
	all.Wait()
	return errors.Join(errs...)
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
