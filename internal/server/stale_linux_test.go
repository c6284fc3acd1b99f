package server

import (
	"context"
	"log/slog"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/hosttest"
	"github.com/browserhive/browserhive/internal/store"
)

// What cannot be proved to be ours is told of while it runs, and no longer.
func TestStaleProcessesAreToldOfWhileTheyRun(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	cmd := exec.Command("/bin/sh", "-c", "read line", "sh", "--user-data-dir="+filepath.Join(root, "sessions", "a", "userdata"))
	cmd.Env = []string{"PATH=/bin"}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := func() { _, _ = stdin.Close(), cmd.Wait() }
	t.Cleanup(ended)
	s := &Server{}
	if s.store, err = store.Open(t.Context(), store.Options{Dir: root}); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.store.Close(context.Background()) }()
	s.stale = browser.Sweep(root, slog.New(slog.DiscardHandler))
	s.watchStale(time.Millisecond)
	defer func() { _ = s.stopStale(t.Context()) }()
	told := func() int {
		if err := s.store.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		list, err := s.store.Degradations(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	if told() != 1 {
		t.Error("nothing is told")
	}
	ended()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(hosttest.Limit(30 * time.Second)); told() != 0; {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("it is still told of")
		}
	}
}
