package browser_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
)

// A trace that grows goes on in a new part, each whole in itself, and drops the oldest.
func TestTraceOfALongSession(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	const most = 50 << 10 // Less than a part of this session has.
	kept := make(chan browser.Trace, 1)
	b := browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{Trace: &browser.TraceOptions{MaxBytes: most, Keep: func(_ context.Context, trace browser.Trace) {
		for _, p := range trace.Parts {
			var names []string
			_ = filepath.WalkDir(p.Dir, func(file string, e fs.DirEntry, _ error) error {
				if e.Type().IsRegular() {
					names = append(names, strings.TrimPrefix(file, p.Dir))
				}
				return nil
			})
			text, err := os.ReadFile(filepath.Join(p.Dir, p.Name+".trace"))
			if err != nil || !strings.Contains(string(text), `"context-options"`) || len(names) < 2 {
				t.Errorf("%s has %q, %v", p.Name, names, err)
			}
		}
		kept <- trace
	}}})
	if !b.Traced() {
		t.Fatalf("not traced: %q", b.Warnings())
	}
	page := activePage(t, b)
	until(t, "the trace to be cut", func() bool {
		open(t, page, site.URL)
		evaluate(t, page, "void (document.body.textContent = Math.random() + '-'.repeat(20000))")
		return b.TraceCut()
	})
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	trace := <-kept
	if trace.Fault != nil || trace.CutUntil.IsZero() || len(trace.Parts) == 0 || trace.Parts[0].Name == "part-1" {
		t.Errorf("%+v", trace)
	}
}
