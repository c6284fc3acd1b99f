package blocklist_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/blocklist"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/hosttest"
)

// often is how often tests look at a file.
const often = 10 * time.Millisecond

// soon is how long tests wait for what should come.
var soon = hosttest.Limit(20 * time.Second)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// journal is a log that tests can read.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) count(text string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Count(j.text.String(), text)
}

func load(t *testing.T, path string) (*blocklist.Source, *journal) {
	t.Helper()
	j := &journal{}
	s, err := blocklist.Load(path, slog.New(slog.NewTextHandler(j, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return s, j
}

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(often)
	defer tick.Stop()
	deadline := time.After(soon)
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func TestLoadFailures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var many strings.Builder
	for range blocklist.MaxRules {
		many.WriteString(strings.Repeat("x", 101) + "\n")
	}
	big := filepath.Join(dir, "big")
	write(t, big, many.String())
	for path, reason := range map[string]string{filepath.Join(dir, "missing"): " file", dir: "not a regular file", big: "larger than"} {
		_, err := blocklist.Load(path, slog.New(slog.DiscardHandler))
		if contract.CodeOf(err) != errcode.CodeBlocklistLoadFailed || !strings.Contains(err.Error(), reason) || strings.Count(err.Error(), path) != 1 {
			t.Errorf("%v, want %s", err, reason)
		}
	}
}

func TestHits(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "list")
	write(t, path, "Example.com\n*.tracking.example\n*\n")
	s, log := load(t, path)
	s.Match("https://example.com/a", types.BlockSourceTool)
	s.Match("https://example.com/b", types.BlockSourceNetwork)
	s.Match("https://example.com/c", types.BlockSourceNetwork)
	s.Match("https://other.example/", types.BlockSourceNetwork)
	if got := s.Hits("Example.com"); got != (blocklist.Hits{Tool: 1, Network: 2}) {
		t.Errorf("%+v", got)
	}
	if got := s.Hits("*.tracking.example"); got != (blocklist.Hits{}) {
		t.Errorf("%+v", got)
	}
	if log.count("would match every address") != 1 {
		t.Error("the useless line was not logged")
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "list")
	write(t, path, "a.example\n")
	s, log := load(t, path)
	s.Watch(often)
	defer s.Stop()
	blocks := func(host string) func() bool {
		return func() bool { _, hit := s.List().Match("http://" + host + "/"); return hit }
	}
	write(t, path, "a.example\nb.example\n") // Written over.
	until(t, "the change", blocks("b.example"))
	next := path + ".next"
	write(t, next, "c.example\n")
	if err := os.Rename(next, path); err != nil { // Put in its place.
		t.Fatal(err)
	}
	until(t, "the replacement", blocks("c.example"))
	if blocks("b.example")() {
		t.Error("an old rule is still in force")
	}
	// A file that cannot be used leaves the list in force; one that comes back is taken.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	until(t, "the failure", func() bool { return log.count("the old one stays in force") == 1 })
	if !blocks("c.example")() {
		t.Error("the list is gone with its file")
	}
	write(t, path, "d.example\n")
	until(t, "the file to come back", blocks("d.example"))
	if n := log.count("the old one stays in force"); n != 1 {
		t.Errorf("one failure is logged %d times", n)
	}
}
