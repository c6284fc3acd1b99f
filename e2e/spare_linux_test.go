package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
)

// spare waits until the program holds one browser more than it has sessions, and returns that one.
func (p *product) spare(sessions ...string) process {
	p.t.Helper()
	taken := map[int]bool{}
	for _, id := range sessions {
		taken[p.browser(id).pid] = true
	}
	var found []process
	eventually(p.t, func() bool {
		found = nil
		for _, one := range p.browsers() {
			if !taken[one.pid] {
				found = append(found, one)
			}
		}
		return len(found) == 1
	}, func() string { return "there is no spare browser" })
	return found[0]
}

// health is how far the browser of the next session is.
func (p *product) health() string {
	p.t.Helper()
	res, err := http.Get(p.url + "/health")
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	var health struct{ Browser string }
	if err := json.NewDecoder(res.Body).Decode(&health); err != nil {
		p.t.Fatal(err)
	}
	return health.Browser
}

// Over stdio the client that introduces itself is the sign that a launch is near. A server that keeps none starts none.
func TestSpareOverStdio(t *testing.T) {
	work(t)
	p := start(t, setup{stdio: true, spare: true, args: []string{"--logLevel", "debug"}})
	if n := len(p.browsers()); n != 0 {
		t.Errorf("%d browsers run before there is a client", n)
	}
	a := p.connect(stateful)
	p.await("a browser is ready for the next session")
	ahead := p.spare()
	session := a.call("launch_session", args{"slug": "first"}).fields["session_id"].(string)
	if pid := p.browser(session).pid; pid != ahead.pid {
		t.Errorf("the session runs on process %d, the spare was %d", pid, ahead.pid)
	}

	without := start(t, setup{})
	session = without.connect(stateful).call("launch_session", args{"slug": "only"}).fields["session_id"].(string)
	if health := without.health(); health != "cold" {
		t.Errorf("health says %s", health)
	}
	without.browser(session)
	if n := len(without.browsers()); n != 1 {
		t.Errorf("%d browsers run for one session", n)
	}
}

// A browser is ready from the start, and after each launch. The next session gets it, and nobody can tell.
func TestSpareBecomesTheNextSession(t *testing.T) {
	work(t)
	site := newSite(t)
	p := start(t, setup{spare: true, args: []string{"--maxSessions", "3"}})
	eventually(t, func() bool { return p.health() == "ready" }, func() string { return "health says " + p.health() })
	ahead := p.spare()
	a := p.connect(stateful)
	first := a.call("launch_session", args{"slug": "first"}).fields
	one := first["session_id"].(string)
	if pid := p.browser(one).pid; pid != ahead.pid {
		t.Errorf("the first session runs on process %d, the spare was %d", pid, ahead.pid)
	}
	a.call("navigate", args{"session_id": one, "url": site.URL + "/form"})
	a.evaluate(one, "document.cookie = 'who=one'; localStorage.who = 'one'")
	spare := p.spare(one)

	// It is no session.
	if n := len(a.call("list_sessions", nil).fields["sessions"].([]any)); n != 1 {
		t.Errorf("%d sessions are listed", n)
	}
	sessions := a.call("server_status", nil).fields["sessions"].(map[string]any)
	if sessions["live"] != 1.0 || sessions["launching"] != nil {
		t.Errorf("server_status counts it: %v", sessions)
	}

	second := a.call("launch_session", args{"slug": "warm"}).fields
	two := second["session_id"].(string)
	if pid := p.browser(two).pid; pid != spare.pid {
		t.Fatalf("the session runs on process %d, the spare was %d", pid, spare.pid)
	}
	for _, own := range []string{"session_id", "slug", "created_at", "lease_expires_at"} {
		delete(first, own)
		delete(second, own)
	}
	if !reflect.DeepEqual(second, first) {
		t.Errorf("the second session says %v, the first %v", second, first)
	}
	a.call("navigate", args{"session_id": two, "url": site.URL + "/form"})
	if got := a.evaluate(two, "document.cookie + String(localStorage.who) + history.length"); got != "undefined2" {
		t.Errorf("it has a past: %v", got)
	}
	if got := a.evaluate(one, "document.cookie + localStorage.who"); got != "who=oneone" {
		t.Errorf("the other session sees %v", got)
	}
	if !strings.HasPrefix(two, "warm-") {
		t.Errorf("its id is %s", two)
	}
	if info, err := os.Stat(filepath.Join(p.dataDir, "sessions", two, "downloads")); err != nil || !info.IsDir() {
		t.Errorf("it has no directory for downloads: %v", err)
	}

	// The next one dies, and is replaced.
	doomed := p.spare(one, two)
	if err := syscall.Kill(doomed.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return p.spare(one, two).pid != doomed.pid }, func() string { return "the dead spare stays" })

	// A third session takes the last place, with a browser that no spare can be.
	three := a.call("launch_session", args{"slug": "kept", "persistence_mode": "persistent"}).fields["session_id"].(string)
	eventually(t, func() bool { return len(p.browsers()) == 3 }, func() string { return "the spare does not give way to the last session" })
	a.refused("SESSION_LIMIT_REACHED", "launch_session", args{"slug": "more"})
	for _, id := range []string{one, two, three} {
		a.call("close_session", args{"session_id": id})
	}
	p.spare() // It is wanted again, and ends with the server.
	family := p.family()
	if code := p.stop(p.terminate); code != 0 {
		t.Errorf("exit %d", code)
	}
	p.gone(family)
	for _, dir := range []string{p.tempDir, filepath.Join(p.dataDir, "tmp"), filepath.Join(p.dataDir, "sessions", two)} {
		if entries, err := os.ReadDir(dir); len(entries) > 0 {
			t.Errorf("left in %s: %v %v", dir, entries, err)
		}
	}
}
