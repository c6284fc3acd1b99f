package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// What outlives a server and its driver, because it hangs, is ended by the next server, also without a record
// of it. What only looks like it is left alone, and told of while it runs.
func TestTheNextServerEndsWhatAKilledOneLeft(t *testing.T) {
	work(t)
	site := newSite(t)
	p := start(t, setup{})
	a := p.connect(stateful)
	id := a.launchWith(args{"persistence_mode": "persistent"})
	a.call("navigate", args{"session_id": id, "url": site.URL + "/form"})
	family := p.family()
	t.Cleanup(func() {
		// Only what a failure left; a stopped process keeps its number.
		for _, one := range alive(t, family) {
			_ = syscall.Kill(one.pid, syscall.SIGKILL)
		}
	})
	for _, one := range family {
		if err := syscall.Kill(one.pid, syscall.SIGSTOP); err != nil && err != syscall.ESRCH {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(p.dataDir, "sessions", id, "userdata.pid")); err != nil {
		t.Fatal(err)
	}
	p.stop(p.kill)
	if left := alive(t, family); count(left, "node") != 1 || len(left) < 2 {
		t.Fatalf("driver and browser were to survive: %+v", left)
	}
	elsewhere := lookAlike(t, filepath.Join(shortDir(t), "sessions", id, "userdata"))
	byHand := lookAlike(t, filepath.Join(p.dataDir, "sessions", id, "userdata"))

	next := start(t, setup{dataDir: p.dataDir})
	eventually(t, func() bool { return len(alive(t, family)) == 0 }, func() string { return "the old processes still run" })
	for _, cmd := range []*exec.Cmd{elsewhere, byHand} {
		if cmd.Process.Signal(syscall.Signal(0)) != nil {
			t.Error("a process of somebody else was ended")
		}
	}
	degradation := "SELECT code || ' ' || json_extract(details, '$.count') || iif(resolved_at IS NULL, '', ' over') FROM system_events"
	next.eventually(degradation, "STALE_BROWSER_PROCESSES 1")
	b := next.connect(stateful)
	b.call("navigate", args{"session_id": b.launchWith(args{"persistence_mode": "persistent", "restore_profile": id}), "url": site.URL + "/form"})

	if err := byHand.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = byHand.Wait()
	next.stop(next.terminate)
	start(t, setup{dataDir: p.dataDir}).eventually(degradation, "STALE_BROWSER_PROCESSES 1 over")
}

// alive are those of the processes that still run.
func alive(t *testing.T, family []process) (left []process) {
	t.Helper()
	now := map[process]bool{}
	list, _ := running(t)
	for _, one := range list {
		now[process{pid: one.pid, started: one.started}] = true
	}
	for _, one := range family {
		if now[process{pid: one.pid, started: one.started}] {
			left = append(left, one)
		}
	}
	return left
}

// lookAlike is a process that names a profile as a browser does.
func lookAlike(t *testing.T, profile string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", "read line", "sh", "--user-data-dir="+profile)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	return cmd
}
