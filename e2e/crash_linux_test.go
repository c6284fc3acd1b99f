package e2e

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"
	"time"
)

// browsers are the main processes of the program's browsers.
func (p *product) browsers() []process {
	p.t.Helper()
	var out []process
	for _, one := range p.family() {
		if strings.Contains(one.command, "--user-data-dir="+p.dataDir) && !strings.Contains(one.command, "--type=") && !strings.Contains(one.program(), "crashpad") {
			out = append(out, one)
		}
	}
	return out
}

// browser finds the browser of a session, whose launch was logged.
func (p *product) browser(session string) process {
	p.t.Helper()
	pid := p.browserPID(session)
	for _, one := range p.browsers() {
		if one.pid == pid {
			return one
		}
	}
	p.t.Fatalf("no browser of %s", session)
	return process{}
}

// browserPID is the browser process of a session, as its launch was logged, which may arrive after the
// answer; 0 when the program ended before.
func (p *product) browserPID(session string) int {
	p.t.Helper()
	p.await(`"msg":"session launched","module":"sessions","session_id":"` + session + `"`)
	for line := range strings.Lines(p.output()) {
		var entry struct {
			Msg     string `json:"msg"`
			Session string `json:"session_id"`
			PID     int    `json:"pid"`
		}
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "session launched" && entry.Session == session {
			return entry.PID
		}
	}
	return 0
}

// A browser that dies takes its session along and no other; a driver that dies takes those that it runs,
// and the next launch has a new one.
func TestCrashes(t *testing.T) {
	work(t)
	site := newSite(t)
	p := start(t, setup{})
	a := p.connect(stateful)
	doomed, other := a.launch(), a.launch()
	for _, id := range []string{doomed, other} {
		a.call("navigate", args{"session_id": id, "url": site.URL + "/form"})
	}
	if err := syscall.Kill(p.browser(doomed).pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if !p.await(`"msg":"session crashed"`) {
		t.Fatal("the server is gone")
	}
	a.refused("SESSION_DEAD", "snapshot", args{"session_id": doomed})
	a.call("snapshot", args{"session_id": other})
	if n := len(a.call("list_sessions", nil).fields["sessions"].([]any)); n != 1 {
		t.Errorf("%d sessions are listed", n)
	}
	a.call("close_session", args{"session_id": doomed})

	for _, one := range p.family() {
		if one.program() == "node" {
			if err := syscall.Kill(one.pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
	}
	eventually(t, func() bool {
		_, f := a.try("snapshot", args{"session_id": other})
		return f != nil && f.Code == "SESSION_DEAD"
	}, func() string { return "a session outlives its driver" })
	a.call("navigate", args{"session_id": a.launch(), "url": site.URL + "/form"})
}

// A call in flight gets its answer when the server stops, and when its session is closed.
func TestCallsInFlightAreAnswered(t *testing.T) {
	work(t)
	site := newSite(t)
	waiting := site.reports("/waiting")
	site.page("/wait", "Wait", `<script>
		window.forever = () => { fetch('/waiting', {method: 'POST', body: '{}'}); return new Promise(() => {}) }</script>`)
	p := start(t, setup{})
	a := p.connect(stateful)
	answers := make(chan *failure, 1)
	wait := func() string {
		id := a.launch()
		a.call("navigate", args{"session_id": id, "url": site.URL + "/wait"})
		go func() {
			_, f := a.try("evaluate", args{"session_id": id, "expression": "forever()"})
			answers <- f
		}()
		next(t, waiting)
		return id
	}
	check := func(how string) {
		t.Helper()
		var f *failure
		select {
		case f = <-answers:
		case <-time.After(patience):
		}
		if f == nil || (f.Code != "CALL_CANCELLED" && f.Code != "SESSION_NOT_AVAILABLE") {
			raw, _ := json.Marshal(f)
			t.Errorf("%s: answered %s", how, raw)
		}
	}
	id := wait()
	a.call("close_session", args{"session_id": id})
	check("close_session")
	wait()
	if code := p.stop(p.terminate); code != 0 {
		t.Errorf("exit %d", code)
	}
	check("SIGTERM")
}
