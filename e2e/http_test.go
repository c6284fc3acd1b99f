package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
	"testing"
)

// exchange is a request to the program and what came back.
type exchange struct {
	method string // POST when empty
	path   string
	header map[string]string
	host   string
	body   string
}

// reply is an HTTP answer, read to its end.
type reply struct {
	status int
	header http.Header
	body   string
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`

// request builds a request with the headers of an MCP client.
func (p *product) request(x exchange) *http.Request {
	p.t.Helper()
	if x.method == "" {
		x.method = http.MethodPost
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	p.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, x.method, p.url+x.path, strings.NewReader(x.body))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	if x.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if p.token != "" {
		r.Header.Set("Authorization", "Bearer "+p.token)
	}
	for k, v := range x.header {
		r.Header.Set(k, v)
	}
	if x.host != "" {
		r.Host = x.host
	}
	return r
}

// open sends a request and returns the answer with its body still to come.
func (p *product) open(x exchange) *http.Response {
	p.t.Helper()
	res, err := http.DefaultClient.Do(p.request(x))
	if err != nil {
		p.t.Fatalf("%s %s: %v", x.method, x.path, err)
	}
	p.t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

func (p *product) send(x exchange) reply {
	p.t.Helper()
	res := p.open(x) //nolint:bodyclose // open closes it when the test ends
	body, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatalf("%s %s: %v", x.method, x.path, err)
	}
	return reply{res.StatusCode, res.Header, string(body)}
}

// problem holds an answer to be the problem document of the code.
func (r reply) problem(t *testing.T, status int, code string) {
	t.Helper()
	kind, _, _ := mime.ParseMediaType(r.header.Get("Content-Type"))
	var doc struct {
		Type, Title, Detail, Code string
		Status                    int
		RequestID                 string `json:"request_id"`
	}
	err := json.Unmarshal([]byte(r.body), &doc)
	if r.status != status || kind != "application/problem+json" || err != nil || doc.Status != status || doc.Code != code ||
		doc.Title == "" || doc.Detail == "" || doc.RequestID == "" || !strings.HasSuffix(doc.Type, code) {
		t.Errorf("%d %s %s, not the problem %d %s", r.status, kind, r.body, status, code)
	}
}

// event is one of a stream of server-sent events.
type event struct{ id, data string }

// readEvent reads the next event of a stream.
func readEvent(t testing.TB, r *bufio.Reader) event {
	t.Helper()
	var e event
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("the stream ended: %v", err)
		}
		name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "id":
			e.id = value
		case "data":
			e.data += value
		case "":
			if e != (event{}) {
				return e
			}
		}
	}
}
