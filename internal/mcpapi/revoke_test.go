package mcpapi_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/auth/authtest"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/hosttest"
	"github.com/browserhive/browserhive/internal/httpapi"
	"github.com/browserhive/browserhive/internal/mcpapi"
	"github.com/browserhive/browserhive/internal/toolset"
)

// patience bounds what takes milliseconds.
var patience = hosttest.Limit(30 * time.Second)

// waiting is a tool that waits until its call is cancelled.
type waiting struct {
	began, ended chan string // the principal of each call
}

func (w *waiting) List() []*contract.Tool {
	object := json.RawMessage(`{"type":"object"}`)
	return []*contract.Tool{{Name: "wait", Description: "Wait.", Input: object, Output: object}}
}

func (w *waiting) Call(ctx context.Context, c toolset.Call) toolset.Answer {
	w.began <- c.Principal.Name
	<-ctx.Done()
	w.ended <- c.Principal.Name
	return toolset.Answer{Err: errcode.CallCancelled{}.Err()}
}

// carrying adds a token to each request.
type carrying struct{ token string }

func (c carrying) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+c.token)
	return http.DefaultTransport.RoundTrip(r)
}

// stateful is a protocol version that has MCP sessions.
const stateful = "2025-11-25"

func soon[T any](t *testing.T, from <-chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(patience):
		t.Fatalf("waited in vain for %s", what)
	}
	return v
}

// Revoking a token ends the calls and the streams that came with it, of every kind of client, and no others.
func TestRevocation(t *testing.T) {
	t.Parallel()
	for _, version := range []string{stateful, "2026-07-28"} {
		a := authtest.Open(t, auth.Options{})
		tools := &waiting{began: make(chan string, 8), ended: make(chan string, 8)}
		log := slog.New(slog.DiscardHandler)
		door := httpapi.New(httpapi.Options{Host: "127.0.0.1", Identity: a.Authority, Tokens: true, Log: log})
		door.SetPhase(httpapi.Ready)
		server := mcpapi.New(mcpapi.Options{Tools: tools, Name: "test", Version: "1", Tokens: true, Log: log})
		door.Mount("/mcp", door.RequireAgent(server.Handler()))
		listening := httptest.NewServer(door.Handler())
		t.Cleanup(listening.Close)

		ids, streams := map[string]string{}, map[string]chan error{}
		call := func(name string) (over chan error) {
			t.Helper()
			token, c, err := a.CreateToken(t.Context(), auth.Actor{}, name, types.PrincipalKindAgent)
			if err != nil {
				t.Fatal(err)
			}
			ids[name] = c.ID
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			t.Cleanup(cancel)
			over = make(chan error, 1)
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
			session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
				Endpoint: listening.URL + "/mcp", HTTPClient: &http.Client{Transport: carrying{token}}, MaxRetries: -1, DisableStandaloneSSE: true,
			}, &mcp.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = session.Close() })
			if version == stateful {
				streams[name] = hang(ctx, t, listening.URL, token, session.ID())
			}
			go func() {
				_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "wait"})
				over <- err
			}()
			if got := soon(t, tools.began, "the call"); got != name {
				t.Errorf("the call is of %q", got)
			}
			return over
		}
		first, second := call("first"), call("second")
		if err := a.RevokeToken(t.Context(), auth.Actor{}, ids["first"]); err != nil {
			t.Fatal(err)
		}
		if got := soon(t, tools.ended, "the call to end"); got != "first" {
			t.Errorf("%s: the call of %q ended", version, got)
		}
		soon(t, first, "its client to hear of it")
		if version == stateful {
			soon(t, streams["first"], "its stream to end")
		}
		select {
		case got := <-tools.ended:
			t.Errorf("%s: the call of %q ended too", version, got)
		case err := <-streams["second"]: // Which is never, without streams.
			t.Errorf("the other stream ended: %v", err)
		case err := <-second:
			t.Errorf("%s: the other client got %v", version, err)
		default:
		}
		if err := a.RevokeToken(t.Context(), auth.Actor{}, ids["second"]); err != nil {
			t.Fatal(err)
		}
		soon(t, tools.ended, "the other call to end")
	}
}

// hang opens the stream of an MCP session, and says when it has ended.
func hang(ctx context.Context, t *testing.T, url, token, session string) (over chan error) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range map[string]string{
		"Accept": "text/event-stream", "Authorization": "Bearer " + token, "Mcp-Session-Id": session, "Mcp-Protocol-Version": stateful,
	} {
		r.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(r) //nolint:bodyclose // closed by whoever waits for its end
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(res, err)
	}
	over = make(chan error, 1)
	go func() {
		defer res.Body.Close()
		_, err := io.Copy(io.Discard, res.Body)
		over <- err
	}()
	return over
}
