package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// However the program ends, no browser, no driver and no temporary file of theirs is left.
func TestNothingOutlivesTheServer(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	for name, c := range map[string]struct {
		stdio bool
		ask   func(*product) func() error
		code  int
	}{
		"SIGTERM":      {ask: func(p *product) func() error { return p.terminate }},
		"SIGINT":       {ask: func(p *product) func() error { return p.interrupt }},
		"stdin closed": {stdio: true, ask: func(p *product) func() error { return p.closeStdin }},
		"kill -9":      {ask: func(p *product) func() error { return p.kill }, code: -1},
	} {
		t.Run(name, func(t *testing.T) {
			work(t)
			p := start(t, setup{stdio: c.stdio})
			a := p.connect(stateful)
			id := a.launch()
			a.call("navigate", args{"session_id": id, "url": site.URL + "/form"})
			family := p.family()
			if count(family, "node") != 1 || count(family, "chromium")+count(family, "chrome") == 0 {
				t.Fatalf("one driver and a browser were expected: %+v", family)
			}
			if code := p.stop(c.ask(p)); code != c.code {
				t.Errorf("exit %d", code)
			}
			p.gone(family)
			if c.code == 0 {
				p.leavesNoFiles()
				return
			}
			// What a killed server could not clear away, the next one does.
			next := start(t, setup{dataDir: p.dataDir})
			next.leavesNoFiles()
			b := next.connect(stateful)
			b.call("navigate", args{"session_id": b.launch(), "url": site.URL + "/form"})
		})
	}
}

// leavesNoFiles checks for files that browsers and drivers leave, in the data directory and outside.
func (p *product) leavesNoFiles() {
	p.t.Helper()
	for _, dir := range []string{p.tempDir, filepath.Join(p.dataDir, "tmp"), filepath.Join(p.dataDir, "sessions")} {
		entries, err := os.ReadDir(dir)
		if err != nil && !os.IsNotExist(err) {
			p.t.Error(err)
		}
		for _, e := range entries {
			p.t.Errorf("left in %s: %s", dir, e.Name())
		}
	}
}

// A browser that did not notice the end of its server, because it hung, is ended by the next one.
func TestTheNextServerEndsABrowserThatHangs(t *testing.T) {
	work(t)
	p := start(t, setup{})
	p.connect(stateful).launch()
	family := p.family()
	main := p.browsers()[0]
	t.Cleanup(func() {
		// Only if the test failed; the pid is still that of a process of ours, because it is stopped.
		if t.Failed() {
			_ = syscall.Kill(main.pid, syscall.SIGKILL)
		}
	})
	if err := syscall.Kill(main.pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	p.stop(p.kill)
	next := start(t, setup{dataDir: p.dataDir})
	next.gone(family)
	next.leavesNoFiles()
	next.connect(stateful).launch()
}

// One data directory has one server, and a lock that a dead one left is no lock.
func TestDataDirectoryLock(t *testing.T) {
	work(t)
	dir := shortDir(t)
	lock := filepath.Join(dir, "browserhive.lock")
	// A process that surely is dead: it was ours and has been waited for.
	dead := launch(t, setup{args: []string{"--version"}})
	<-dead.exited
	if err := os.WriteFile(lock, []byte(strconv.Itoa(dead.cmd.Process.Pid)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, setup{dataDir: dir})
	holder, err := os.ReadFile(lock)
	if err != nil || strings.TrimSpace(string(holder)) != strconv.Itoa(p.cmd.Process.Pid) {
		t.Errorf("the lock names %q, not %d: %v", holder, p.cmd.Process.Pid, err)
	}
	code, output := refusal(t, setup{dataDir: dir})
	if code != 3 || !strings.Contains(output, "[DATA_DIR_LOCKED]") || !strings.Contains(output, strconv.Itoa(p.cmd.Process.Pid)) {
		t.Errorf("a second server exits %d and says %s", code, output)
	}
	if a := p.connect(stateless); a.call("server_status", nil).fields["version"] == "" {
		t.Error("the first server is disturbed")
	}
}

// Secrets of the server's environment stay with the server.
func TestChildrenSeeNoSecrets(t *testing.T) {
	work(t)
	secret := "s3cret-" + strconv.Itoa(os.Getpid())
	var env []string
	for _, name := range []string{"BW_SESSION", "OTEL_EXPORTER_OTLP_HEADERS", "AWS_SECRET_ACCESS_KEY"} {
		env = append(env, fmt.Sprintf("%s=key=%s", name, secret))
	}
	env = append(env, "BROWSERHIVE_AUTH_TOKENS=ci:"+secret+strings.Repeat("x", 32))
	p := start(t, setup{env: env})
	p.connect(stateful).launch()
	family := p.family()
	if len(family) < 2 {
		t.Fatalf("%+v", family)
	}
	for _, one := range family {
		seen, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", one.pid))
		if err != nil {
			continue // gone meanwhile
		}
		if strings.Contains(string(seen), secret) || strings.Contains(one.command, secret) {
			t.Errorf("%s sees a secret", one.program())
		}
	}
	if strings.Contains(p.log.String(), secret) {
		t.Error("a secret is logged")
	}
}
