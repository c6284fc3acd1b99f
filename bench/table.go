package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/browserhive/browserhive/internal/browser"
)

// row is one operation: medians of both ways.
type row struct {
	name           string
	times          int
	overMCP, alone time.Duration // alone is 0 where there is nothing to compare with
}

// table is what was measured.
type table struct{ rows []row }

// compare measures an operation both ways in turns, so that whatever else the machine does hits both. The
// first round of each only warms up. after, if there is one, clears up after a round and is not measured.
func (t *table) compare(name string, times int, overMCP, alone func() error, after func() error) error {
	time.Sleep(settle) //nolint:forbidigo // idleness of browsers has no event
	var mcp, direct []time.Duration
	for i := range times + 1 {
		ways := []func() error{
			func() error { return timed(&mcp, overMCP) },
			func() error { return timed(&direct, alone) },
		}
		if i%2 == 1 {
			slices.Reverse(ways)
		}
		for _, way := range ways {
			if err := way(); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		if after != nil {
			if err := after(); err != nil {
				return fmt.Errorf("after %s: %w", name, err)
			}
		}
	}
	t.rows = append(t.rows, row{name, times, median(mcp), median(direct)})
	return nil
}

func timed(list *[]time.Duration, do func() error) error {
	if do == nil {
		return nil
	}
	began := time.Now()
	err := do()
	*list = append(*list, time.Since(began))
	return err
}

// median leaves out the first, which warmed up.
func median(list []time.Duration) time.Duration {
	if len(list) < 2 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list[1:]))
	return sorted[len(sorted)/2]
}

func (t *table) print(w io.Writer, found browser.Installation) {
	fmt.Fprintf(w, "Medians in ms, one session, static page, Chromium %s, %d cores, MCP %s over HTTP\n\n",
		found.ChromiumVersion, runtime.NumCPU(), era)
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "operation\tn\tover MCP\tplaywright-go\tdifference\tratio\t")
	for _, r := range t.rows {
		if r.alone == 0 {
			fmt.Fprintf(out, "%s\t%d\t%s\t\t\t\t\n", r.name, r.times, ms(r.overMCP))
			continue
		}
		fmt.Fprintf(out, "%s\t%d\t%s\t%s\t%s\t%.2f\t\n", r.name, r.times, ms(r.overMCP), ms(r.alone), ms(r.overMCP-r.alone), float64(r.overMCP)/float64(r.alone))
	}
	_ = out.Flush() // a terminal that is gone cannot be told
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d)/float64(time.Millisecond)) }
