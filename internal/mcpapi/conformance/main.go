// Command conformance serves what the MCP conformance suite asks of a server, over the transports and
// behind the HTTP guard of the product. It exists for tests: the product's own tools say nothing about
// prompts, sampling or elicitation, and the suite tests the transport with all of them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/browserhive/browserhive/internal/httpapi"
	"github.com/browserhive/browserhive/internal/mcpapi"
)

func main() {
	stdio := flag.Bool("stdio", false, "serve stdin and stdout instead of HTTP on a free port, whose URL is printed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	run := serveHTTP
	if *stdio {
		run = serveStdio
	}
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// newServer is the product's kind of server with the suite's fixtures instead of tools.
func newServer() (*mcp.Server, *slog.Logger) {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	server := mcpapi.NewMCP("browserhive-conformance", "1.0.0", mcp.ServerOptions{
		Logger: log,
		Capabilities: &mcp.ServerCapabilities{
			Logging:     &mcp.LoggingCapabilities{},
			Completions: &mcp.CompletionCapabilities{},
			Resources:   &mcp.ResourceCapabilities{Subscribe: true},
		},
		CompletionHandler:  complete,
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	addTools(server)
	addDialogues(server)
	addResources(server)
	addPrompts(server)
	return server, log
}

func serveStdio(ctx context.Context) error {
	server, _ := newServer()
	return mcpapi.ServeStdio(ctx, server, os.Stdin, os.Stdout)
}

func serveHTTP(ctx context.Context) error {
	server, log := newServer()
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	rest := httpapi.New(httpapi.Options{Host: "127.0.0.1", Started: time.Now(), Log: log})
	rest.Mount(httpapi.MCPPath, rest.RequireAgent(mcpapi.Handler(server, log)))
	rest.SetPhase(httpapi.Ready)
	web := &http.Server{Handler: rest.Handler(), ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { _ = web.Close() })()
	fmt.Printf("http://%s/mcp\n", l.Addr())
	if err := web.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
