// Package mcpapi is the door for agents: MCP over Streamable HTTP and over stdio. It decodes a call,
// hands it to the toolset, and renders what came of it.
package mcpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/toolset"
)

// Tools is what the door serves.
type Tools interface {
	List() []*contract.Tool
	Call(ctx context.Context, c toolset.Call) toolset.Answer
}

// Options are the settings of the door.
type Options struct {
	Tools   Tools
	Name    string // serverInfo.name
	Version string
	// Tokens means that callers authenticate; a call without a token then owns nothing.
	Tokens bool
	// Connected is called when a client introduces itself, and has to return at once; nil hears of none.
	Connected func()
	Log       *slog.Logger
}

// instructions reach the model once, when a client connects.
const instructions = `Each session is a browser of its own. Call launch_session first, pass its session_id to every other tool, and call close_session when you are done.

To act on a page, take a snapshot: its lines carry refs such as [ref=e12], which any selector argument accepts. A ref belongs to the snapshot it came from; take a new one after the page changes.

Tools act on the active tab unless you pass tab_id.

A failed call has isError set and the text "[CODE] message". The hint in _meta says what to do next. URL_BLOCKED is the operator's decision: do not retry it or look for a way round; tell the user.`

// errorMeta is the key under which a failed call carries its machine-readable error.
const errorMeta = "browserhive.ai/error"

// Server is an MCP server whose tools are those of the contract.
type Server struct {
	opts Options
	mcp  *mcp.Server
}

// New makes the server. It does not listen yet.
func New(o Options) *Server {
	s := &Server{opts: o}
	s.mcp = NewMCP(o.Name, o.Version, mcp.ServerOptions{Instructions: instructions, Logger: o.Log})
	for _, t := range o.Tools.List() {
		s.mcp.AddTool(&mcp.Tool{
			Name: t.Name, Title: t.Title, Description: t.Description,
			InputSchema: t.Input, OutputSchema: t.Output,
			Annotations: &mcp.ToolAnnotations{
				Title: t.Title, ReadOnlyHint: t.ReadOnly, IdempotentHint: t.Idempotent,
				DestructiveHint: &t.Destructive, OpenWorldHint: &t.OpenWorld,
			},
		}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return s.call(ctx, t, req), nil
		})
	}
	s.mcp.AddReceivingMiddleware(s.catalogueOrder, s.introductions)
	return s
}

// NewMCP is a bare SDK server with the settings that every server of ours has: no panic that ends the
// process, no logging capability unless o asks for it, and no keep-alive, because a client that only
// POSTs cannot answer a ping and would be cut off for it. o.Logger is required.
func NewMCP(name, version string, o mcp.ServerOptions) *mcp.Server {
	if o.Capabilities == nil {
		o.Capabilities = &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}
	}
	log := o.Logger
	o.Logger = quiet(log)
	server := mcp.NewServer(&mcp.Implementation{Name: name, Title: "BrowserHive", Version: version}, &o)
	server.AddReceivingMiddleware(recovering(log))
	return server
}

// recovering turns a panic in the SDK or below into a JSON-RPC error.
func recovering(log *slog.Logger) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
			defer func() {
				if p := recover(); p != nil {
					log.Error("panic in an MCP request", "method", method, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
					res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
				}
			}()
			return next(ctx, method, req)
		}
	}
}

// catalogueOrder lists tools in the order of the contract; the SDK sorts them by name.
func (s *Server) catalogueOrder(next mcp.MethodHandler) mcp.MethodHandler {
	rank := map[string]int{}
	for i, t := range s.opts.Tools.List() {
		rank[t.Name] = i
	}
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if list, ok := res.(*mcp.ListToolsResult); ok && err == nil {
			sorted := *list
			sorted.Tools = slices.Clone(list.Tools)
			slices.SortFunc(sorted.Tools, func(a, b *mcp.Tool) int { return rank[a.Name] - rank[b.Name] })
			return &sorted, nil
		}
		return res, err
	}
}

// introductions are the requests that a client begins with: those of both eras of the protocol, and the list of
// tools, which a client reads that begins with neither.
var introductions = []string{"initialize", "server/discover", "tools/list"}

// introductions tells of clients that introduce themselves.
func (s *Server) introductions(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if s.opts.Connected != nil && slices.Contains(introductions, method) {
			s.opts.Connected()
		}
		return next(ctx, method, req)
	}
}

func (s *Server) call(ctx context.Context, t *contract.Tool, req *mcp.CallToolRequest) *mcp.CallToolResult {
	c := toolset.Call{Tool: t.Name, Args: given(req.Params.Arguments), Principal: auth.Anyone, Received: time.Now()}
	if s.opts.Tokens {
		c.Principal = auth.Principal{}
		if req.Extra != nil && req.Extra.TokenInfo != nil {
			c.Principal.Name = req.Extra.TokenInfo.UserID
		}
	}
	if init := req.Session.InitializeParams(); init != nil && init.ClientInfo != nil {
		c.Client.Name, c.Client.Version = init.ClientInfo.Name, init.ClientInfo.Version
	}
	if req.Extra != nil && req.Extra.Header != nil {
		h := req.Extra.Header
		c.Client.Model, c.Client.Harness, c.Client.Workspace = h.Get("X-BH-Agent-Model"), h.Get("X-BH-Agent-Harness"), h.Get("X-BH-Workspace")
	}
	return render(t, s.opts.Tools.Call(ctx, c))
}

// given reads null as no arguments at all: clients write both.
func given(args json.RawMessage) json.RawMessage {
	if bytes.Equal(bytes.TrimSpace(args), []byte("null")) {
		return nil
	}
	return args
}

// render is the one place where an answer becomes an MCP result.
func render(t *contract.Tool, a toolset.Answer) *mcp.CallToolResult {
	if a.Err != nil {
		return &mcp.CallToolResult{
			IsError: true,
			Content: []mcp.Content{&mcp.TextContent{Text: a.Err.Error()}},
			// No structuredContent: it would have to follow the output schema, and clients check that.
			Meta: mcp.Meta{errorMeta: describe(a.Err)},
		}
	}
	res := &mcp.CallToolResult{StructuredContent: t.Structured(a.Result)}
	if a.Image != nil {
		res.Content = append(res.Content, &mcp.ImageContent{Data: a.Image.Data, MIMEType: a.Image.MIMEType})
	}
	res.Content = append(res.Content, &mcp.TextContent{Text: string(a.Result)})
	return res
}

func describe(e *contract.Error) map[string]any {
	out := map[string]any{"code": e.Code, "message": e.Message}
	if info, ok := errcode.Info(e.Code); ok {
		out["retryable"], out["hint"] = info.Retryable, info.Hint
	}
	if e.Details != nil {
		out["details"] = e.Details
	}
	return out
}

// quiet logs the SDK's information at debug level: it reports every connection, and with newer protocol versions
// every request is one.
func quiet(log *slog.Logger) *slog.Logger { return slog.New(demoted{log.Handler()}) }

type demoted struct{ slog.Handler }

func (d demoted) Enabled(ctx context.Context, l slog.Level) bool {
	return d.Handler.Enabled(ctx, demote(l))
}

func (d demoted) Handle(ctx context.Context, r slog.Record) error {
	r.Level = demote(r.Level)
	return d.Handler.Handle(ctx, r)
}

func (d demoted) WithAttrs(attrs []slog.Attr) slog.Handler {
	return demoted{d.Handler.WithAttrs(attrs)}
}
func (d demoted) WithGroup(name string) slog.Handler { return demoted{d.Handler.WithGroup(name)} }

func demote(l slog.Level) slog.Level {
	if l == slog.LevelInfo {
		return slog.LevelDebug
	}
	return l
}
