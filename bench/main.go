// Command bench measures what BrowserHive costs: the latency of tools over MCP HTTP, beside the same
// operations on playwright-go alone, in turns in the same run on the same page. It prints a table.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browserbench"
	"github.com/browserhive/browserhive/internal/config"
)

func main() {
	rounds := flag.Int("n", 50, "how often each operation is measured")
	launches := flag.Int("launches", 7, "how often a launch is measured")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *rounds, *launches)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, rounds, launches int) (err error) {
	dir, err := os.MkdirTemp("", "bh")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	env := config.Environ()
	found, err := installation(ctx, env)
	if err != nil {
		return err
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, page)
	}))
	defer func() {
		web.CloseClientConnections() // browsers keep theirs open
		web.Close()
	}()
	p, err := startProduct(ctx, dir, found, env)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	direct, err := browserbench.Run(found, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, direct.Stop()) }()
	t := &table{}
	if err := measureLaunch(ctx, t, p, direct, launches); err != nil {
		return err
	}
	if err := measurePage(ctx, t, p, direct, web.URL, rounds); err != nil {
		return err
	}
	t.print(os.Stdout, found)
	return nil
}

// installation finds the driver and the Chromium of this host, and installs what is missing where tests
// have it too.
func installation(ctx context.Context, env map[string]string) (browser.Installation, error) {
	look := func(name string) string { return env[name] }
	cache, err := os.UserCacheDir()
	if err != nil {
		return browser.Installation{}, err
	}
	root := filepath.Join(cache, "browserhive-test")
	if found := browser.Find(ctx, root, look); found.Missing() == nil && found.Patched {
		return found, nil
	}
	return browser.Install(ctx, root, look, browser.InstallOptions{}, func(s browser.Step) {
		fmt.Fprintf(os.Stderr, "%s: %s\n", s.Name, s.Detail)
	})
}

// page is static, and of the size of a search result or a list in a shop.
var page = func() string {
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><title>List</title><h1>List</h1><button id="go">Go</button><ul>`)
	for i := range 100 {
		fmt.Fprintf(&b, `<li><a href="#%d">Item %d</a> <span>costs %d</span>`, i, i, i*7)
	}
	b.WriteString(`</ul></html>`)
	return b.String()
}()

// measureLaunch measures launches, each of a browser that is closed before the next.
func measureLaunch(ctx context.Context, t *table, p *product, direct *browserbench.Direct, times int) error {
	var b *browserbench.Browser
	var id string
	overMCP := func() error {
		res, err := p.call(ctx, "launch_session", map[string]any{"slug": "bench"})
		id, _ = res["session_id"].(string)
		return err
	}
	alone := func() (err error) {
		b, err = direct.Launch()
		return err
	}
	after := func() error {
		_, err := p.call(ctx, "close_session", map[string]any{"session_id": id})
		return errors.Join(err, b.Close())
	}
	return t.compare("launch", times, overMCP, alone, after)
}

// measurePage measures what is done with a page. Both browsers are there all the time.
func measurePage(ctx context.Context, t *table, p *product, direct *browserbench.Direct, url string, times int) error {
	b, err := direct.Launch()
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }() // the driver's end would close it as well
	launched, err := p.call(ctx, "launch_session", map[string]any{"slug": "bench"})
	if err != nil {
		return err
	}
	tool := func(name string, args map[string]any) func() error {
		args["session_id"] = launched["session_id"]
		return func() error {
			_, err := p.call(ctx, name, args)
			return err
		}
	}
	steps := []struct {
		name           string
		overMCP, alone func() error
	}{
		{"navigate", tool("navigate", map[string]any{"url": url}), func() error { return b.Navigate(url) }},
		{"click", tool("click", map[string]any{"selector": "#go"}), func() error { return b.Click("#go") }},
		{"evaluate", tool("evaluate", map[string]any{"expression": "1 + 1"}), func() error { return b.Evaluate("1 + 1") }},
		{"snapshot", tool("snapshot", map[string]any{}), b.Snapshot},
	}
	for _, s := range steps {
		if err := t.compare(s.name, times, s.overMCP, s.alone, nil); err != nil {
			return err
		}
	}
	status := func() error {
		_, err := p.call(ctx, "server_status", nil)
		return err
	}
	return t.compare("server_status", times*4, status, nil, nil)
}

// settle is how long the browsers get to become idle before an operation is measured: a page that has
// just loaded or a neighbour that has just started still works for a moment.
const settle = 500 * time.Millisecond
