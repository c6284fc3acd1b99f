package install

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/browserhive/browserhive/gen/types"
)

// Bounds of a handshake.
const (
	// handshakeTimeout is far more than a driver takes to start, some 300 ms, also on a busy host with a cold disk.
	handshakeTimeout = 30 * time.Second
	// maxAnswer bounds a message of the driver; its first ones have a few kilobytes.
	maxAnswer = 1 << 20
	// maxWords is how much of what a program prints goes into an error: the reason stands near the end.
	maxWords = 2 << 10
)

// Handshake starts the driver of an engine, asks it to begin as a session would, and ends it again. The error holds
// what the driver printed, so that a person sees why. It takes half a minute at most, and ends with ctx.
func Handshake(ctx context.Context, found Installation, engine types.Engine, env func(string) string) error {
	ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	tmp, err := os.MkdirTemp("", "browserhive-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	cmd := exec.CommandContext(ctx, found.Node, filepath.Join(found.Package(engine), "package", "cli.js"), "run-driver")
	cmd.WaitDelay = time.Second // A grandchild that keeps the output open must not hold us.
	cmd.Env = Environment(env, tmp, false).List()
	var printed tail
	cmd.Stderr = &printed
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = begin(stdin, stdout)
	_ = stdin.Close() // Which ends the driver.
	if err != nil {
		cancel() // Whatever it is doing instead of answering.
	}
	ended := cmd.Wait()
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("no answer in %v%s", handshakeTimeout, printed.words())
	case errors.Is(err, io.EOF) && ended != nil:
		return fmt.Errorf("it ended at once%s", printed.words())
	}
	return fmt.Errorf("%w%s", err, printed.words())
}

// begin sends the first message of the driver's protocol and waits for its answer. A message is its length in four
// bytes, and JSON.
func begin(to io.Writer, from io.Reader) error {
	const id = "handshake"
	message, err := json.Marshal(map[string]any{
		"id": id, "guid": "", "method": "initialize", "params": map[string]any{"sdkLanguage": "javascript"},
		"metadata": map[string]any{"wallTime": time.Now().UnixMilli()},
	})
	if err != nil {
		return err
	}
	frame := binary.LittleEndian.AppendUint32(nil, uint32(len(message)))
	if _, err := to.Write(append(frame, message...)); err != nil {
		return io.EOF // It has gone, and what it printed says why.
	}
	for {
		var size uint32
		if err := binary.Read(from, binary.LittleEndian, &size); err != nil {
			return io.EOF
		}
		if size > maxAnswer {
			return errors.New("it speaks another protocol")
		}
		content := make([]byte, size)
		if _, err := io.ReadFull(from, content); err != nil {
			return io.EOF
		}
		var answer struct {
			ID    string
			Error *struct{ Error struct{ Message string } }
		}
		if err := json.Unmarshal(content, &answer); err != nil {
			return errors.New("it speaks another protocol")
		}
		switch {
		case answer.ID != id: // What it makes for a session comes first.
		case answer.Error != nil:
			return errors.New(answer.Error.Error.Message)
		default:
			return nil
		}
	}
}

// tail keeps the end of what a program prints.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - maxWords; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(b), nil
}

// words are the lines that say something, behind a colon: not the places in the program's own code.
func (t *tail) words() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var output []string
	for line := range bytes.Lines(t.kept) {
		line := strings.TrimSpace(string(line))
		if line != "" && strings.Trim(line, "^~") != "" && !strings.HasPrefix(line, "at ") {
			output = append(output, line)
		}
	}
	if len(output) == 0 {
		return ""
	}
	return ":\n" + strings.Join(output, "\n")
}
