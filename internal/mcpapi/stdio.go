package mcpapi

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxMessage bounds one message on either transport: the largest honest one is an inline storage state,
// well under a megabyte.
const maxMessage = 4 << 20

// ServeStdio serves one client over in and out until in ends or ctx does. Only frames are written to
// out. A line that is not a message is answered and does not end the session.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return ServeStdio(ctx, s.mcp, in, out)
}

// ServeStdio serves an SDK server over in and out.
func ServeStdio(ctx context.Context, server *mcp.Server, in io.Reader, out io.Writer) error {
	w := &lineWriter{w: out}
	pr, pw := io.Pipe()
	go func() {
		err := filterLines(in, pw, w)
		_ = pw.CloseWithError(err)
	}()
	err := server.Run(ctx, &mcp.IOTransport{Reader: pr, Writer: w, MaxLineLength: maxMessage + 1024})
	// The client is gone or ctx ended; a reader that still waits for input must not keep the filter alive.
	_ = pr.Close()
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// filterLines passes on the lines that are JSON-RPC messages, and answers the others: -32700 for what is
// not JSON, -32600 for what is not a message.
func filterLines(in io.Reader, to io.Writer, answer io.Writer) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, tooLong, err := readLine(r)
		if len(bytes.TrimSpace(line)) > 0 || tooLong {
			if code, msg := fault(line, tooLong); code != 0 {
				reply, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": idOf(line), "error": map[string]any{"code": code, "message": msg}})
				if _, werr := answer.Write(append(reply, '\n')); werr != nil {
					return werr
				}
			} else if _, werr := to.Write(append(line, '\n')); werr != nil {
				return werr
			}
		}
		if err != nil {
			return err
		}
	}
}

// readLine reads up to a newline. What is longer than a message may be is read to its end and dropped.
func readLine(r *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxMessage {
			line, tooLong = nil, true
		}
		if !tooLong {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return bytes.TrimRight(line, "\r\n"), tooLong, err
	}
}

func fault(line []byte, tooLong bool) (code int64, message string) {
	if tooLong {
		return jsonrpc.CodeInvalidRequest, "the message is longer than 4 MiB"
	}
	if !json.Valid(line) {
		return jsonrpc.CodeParseError, "the line is not JSON"
	}
	if line = bytes.TrimSpace(line); line[0] == '[' {
		return jsonrpc.CodeInvalidRequest, "batches are not supported"
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		return jsonrpc.CodeInvalidRequest, "the line is not a JSON-RPC 2.0 message"
	}
	return 0, ""
}

// idOf finds the id to answer, null when there is none.
func idOf(line []byte) any {
	var m struct {
		ID any `json:"id"`
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if d.Decode(&m) != nil {
		return nil
	}
	switch m.ID.(type) {
	case string, json.Number:
		return m.ID
	}
	return nil
}

// lineWriter lets the SDK and the filter write whole frames in turn.
type lineWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lineWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// Close leaves the stream open: it is the process's, and the last answers must still get out.
func (l *lineWriter) Close() error { return nil }
