// Command bench measures what BrowserHive costs: calls over MCP HTTP beside the same operations on
// playwright-go alone, launches, memory, many sessions at once, large pages, and the death of a driver.
// It prints the tables of docs/performance.md.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/browserhive/browserhive/internal/browser/browserbench"
	"github.com/browserhive/browserhive/internal/browser/install"
	"github.com/browserhive/browserhive/internal/settings"
)

// bench is one run.
type bench struct {
	ctx   context.Context
	dir   string
	env   map[string]string
	found install.Installation
	// shell is the stripped headless browser, or "" where there is none.
	shell string
	// program is the built server.
	program string
	site    *httptest.Server
	direct  *browserbench.Direct
	// rounds is how often an operation is measured, and launches a launch.
	rounds, launches int
}

// parts are what can be measured, in the order of the page.
var parts = []struct {
	name    string
	measure func(*bench) error
}{
	{"launch", (*bench).launch},
	{"calls", (*bench).calls},
	{"load", (*bench).load},
	{"snapshot", (*bench).snapshot},
	{"memory", (*bench).memory},
	{"crash", (*bench).crash},
	{"records", (*bench).records},
}

func main() {
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	b := &bench{}
	only := flag.String("only", strings.Join(names, ","), "which parts to measure")
	flag.IntVar(&b.rounds, "n", 50, "how often each operation is measured")
	flag.IntVar(&b.launches, "launches", 15, "how often a launch is measured")
	flag.StringVar(&b.shell, "shell", "", "the stripped headless browser, when it is not where it is looked for")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	b.ctx = ctx
	err := b.run(strings.Split(*only, ","))
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (b *bench) run(only []string) (err error) {
	if b.dir, err = os.MkdirTemp("", "bh"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	b.env = settings.Environ()
	if b.found, err = installation(b.ctx, b.env); err != nil {
		return err
	}
	b.shell = cmp.Or(b.shell, b.found.Shell)
	if b.program, err = build(b.ctx, b.dir); err != nil {
		return err
	}
	b.site = site()
	defer func() {
		b.site.CloseClientConnections() // browsers keep theirs open
		b.site.Close()
	}()
	if b.direct, err = browserbench.Run(b.found, b.dir); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.direct.Stop()) }()
	fmt.Printf("Chromium %s, %d cores, %s/%s, %s, MCP %s over HTTP, %s.\n",
		b.found.ChromiumVersion, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), era, time.Now().Format(time.DateOnly))
	for _, p := range parts {
		if !slices.Contains(only, p.name) {
			continue
		}
		if err := p.measure(b); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// calm is how long the browsers get to become idle before something is measured: a page that has just
// loaded or a neighbour that has just started still works for a moment.
const calm = 500 * time.Millisecond

// rest lets the browsers come to rest.
func rest(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // idleness of browsers has no event
}
