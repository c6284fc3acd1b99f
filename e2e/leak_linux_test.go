package e2e

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/browserhive/browserhive/internal/hosttest"
)

// holdings are what a server without sessions has at hand, to compare one moment with another.
type holdings struct {
	processes   map[string]int // by program
	descriptors []string
	files       []string // temporary ones, and directories of sessions
}

func (p *product) holdings() holdings {
	p.t.Helper()
	h := holdings{processes: map[string]int{}}
	for _, one := range p.family() {
		h.processes[one.program()]++
	}
	dir := fmt.Sprintf("/proc/%d/fd", p.cmd.Process.Pid)
	entries, err := os.ReadDir(dir)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, e := range entries {
		if target, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil {
			h.descriptors = append(h.descriptors, kind.ReplaceAllString(target, ""))
		}
	}
	for _, dir := range []string{p.tempDir, filepath.Join(p.dataDir, "tmp"), filepath.Join(p.dataDir, "sessions")} {
		entries, err := os.ReadDir(dir)
		if err != nil && !os.IsNotExist(err) {
			p.t.Fatal(err)
		}
		for _, e := range entries {
			h.files = append(h.files, filepath.Base(dir)+"/"+serial.ReplaceAllString(e.Name(), ""))
		}
	}
	slices.Sort(h.descriptors)
	slices.Sort(h.files)
	return h
}

var (
	kind   = regexp.MustCompile(`\[?\d+\]?$`)             // socket:[123] and the pids in /proc/123
	serial = regexp.MustCompile(`\d+$|test-[a-z0-9]{8}$`) // of temporary directories and sessions
)

// within reports whether there is no more of anything than in the other. The spare browser, which other has, ends
// by itself after some minutes and where memory is short.
func (h holdings) within(other holdings) bool {
	for program, n := range h.processes {
		if n > other.processes[program] {
			return false
		}
	}
	return contained(h.descriptors, other.descriptors) && contained(h.files, other.files)
}

// contained reports whether each of the sorted texts is among the others, as often.
func contained(list, others []string) bool {
	for _, one := range list {
		at, found := slices.BinarySearch(others, one)
		if !found {
			return false
		}
		others = others[at+1:]
	}
	return true
}

func (h holdings) equal(other holdings) bool {
	return maps.Equal(h.processes, other.processes) && slices.Equal(h.descriptors, other.descriptors) && slices.Equal(h.files, other.files)
}

// goroutines ends the program by a dump of its goroutines, and counts those by what made them.
func (p *product) goroutines() map[string]int {
	p.t.Helper()
	p.stop(func() error { return p.cmd.Process.Signal(syscall.SIGQUIT) })
	found := map[string]int{}
	for _, m := range maker.FindAllStringSubmatch(p.log.String(), -1) {
		found[m[1]]++
	}
	return found
}

var maker = regexp.MustCompile(`(?m)^created by (\S+)`)

// churn opens and closes sessions, several at a time, and takes back, kills and closes under calls what it
// can.
type churn struct {
	*testing.T
	p    *product
	site *site
}

// atATime is how many sessions live at once, and how many share the two cores that tests may have.
const atATime = 4

func (c *churn) run(sessions int) {
	c.Helper()
	jobs := make(chan int)
	var workers sync.WaitGroup
	for range atATime {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		a := connect(c.T, &mcp.StreamableClientTransport{Endpoint: c.p.url + "/mcp", HTTPClient: &http.Client{Transport: transport}}, stateful)
		workers.Go(func() {
			defer transport.CloseIdleConnections()
			defer a.session.Close()
			for i := range jobs {
				c.session(a, i)
			}
		})
	}
	for i := range sessions {
		jobs <- i
	}
	close(jobs)
	workers.Wait()
}

// endings are the ways in which sessions of a churn end, in turn.
var endings = []func(c *churn, a *agent, id string){
	func(_ *churn, a *agent, id string) { a.try("snapshot", args{"session_id": id}) },
	func(_ *churn, a *agent, id string) { // a wait that is cancelled
		a.soon("wait_for_selector", args{"session_id": id, "selector": "#never", "timeout": 120_000})
	},
	func(c *churn, a *agent, id string) { // a navigation that is cancelled
		a.soon("navigate", args{"session_id": id, "url": c.site.URL + "/silent", "timeout": 120_000})
	},
	func(_ *churn, a *agent, id string) { // an action that is cancelled
		a.soon("click", args{"session_id": id, "selector": "#late", "timeout": 120_000})
	},
	func(_ *churn, a *agent, id string) { // a script without an end
		a.soon("evaluate", args{"session_id": id, "expression": "new Promise(() => {})"})
	},
	func(_ *churn, a *agent, id string) { // closed during a call
		takeBack := a.begin("wait_for_url", args{"session_id": id, "url": "**/never", "timeout": 120_000})
		a.try("close_session", args{"session_id": id})
		takeBack()
	},
	func(_ *churn, a *agent, id string) { // closed in the middle of a load
		takeBack := a.begin("reload", args{"session_id": id})
		a.try("close_session", args{"session_id": id})
		takeBack()
	},
	func(_ *churn, a *agent, id string) { // windows, and a dialog that nobody answers
		a.try("evaluate", args{"session_id": id, "expression": "open('/held'); open('/form'); setTimeout(() => alert('never mind'))"})
		a.try("wait_for_selector", args{"session_id": id, "selector": "#never", "timeout": brief})
	},
	func(c *churn, a *agent, id string) { // a download that never completes
		a.try("evaluate", args{"session_id": id, "expression": "document.body.innerHTML = '<a id=get href=/endless>Get</a>'"})
		a.soon("download_file", args{"session_id": id, "trigger_selector": "#get", "timeout": 120_000})
	},
	func(c *churn, a *agent, id string) { // a browser that is killed under a call
		takeBack := a.begin("wait_for_selector", args{"session_id": id, "selector": "#never", "timeout": 120_000})
		if pid := c.p.browserPID(id); pid == 0 {
			c.Errorf("the launch of %s is not logged", id)
		} else if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			c.Error(err)
		}
		takeBack()
	},
}

// soon makes a call that is cancelled while it is under way.
func (a *agent) soon(tool string, in args) {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, _ = a.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: in})
}

func (c *churn) session(a *agent, i int) {
	in := args{"slug": "test"}
	if i%7 == 0 {
		in["persistence_mode"] = "storage-state"
	}
	if i%10 == 5 { // A launch that is cancelled, sooner or later on its way.
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i%8)*60*time.Millisecond)
		defer cancel()
		_, _ = a.session.CallTool(ctx, &mcp.CallToolParams{Name: "launch_session", Arguments: in})
		return
	}
	out, f := a.try("launch_session", in)
	if f != nil {
		out, f = a.again(in, f)
	}
	if f != nil {
		c.Errorf("session %d: [%s] %s", i, f.Code, f.Message)
		return
	}
	id := out.fields["session_id"].(string)
	if _, f := a.try("navigate", args{"session_id": id, "url": c.site.URL + "/held"}); f != nil {
		c.Errorf("session %d: [%s] %s", i, f.Code, f.Message)
	}
	endings[i%len(endings)](c, a, id)
	a.try("close_session", args{"session_id": id})
}

// churned is how many sessions come and go. What leaks with an ending shows with the few that each has here; what
// leaks now and then takes the 200 of make leaks.
var churned = flag.Int("churned", 40, "how many sessions come and go in TestSessionsLeaveNothing")

// Sessions that come and go, some of which end badly, leave nothing behind: no process, no descriptor, no
// temporary file and no goroutine more than the first few did.
func TestSessionsLeaveNothing(t *testing.T) {
	first(t)
	site := newSite(t)
	site.page("/held", "Held", heldPage)
	site.mux.HandleFunc("/silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	site.mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=endless.bin")
		fmt.Fprint(w, "begun")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	sessions := *churned
	if testing.Short() {
		sessions = 20
	}
	// settled lets sessions come and go and waits until the server is at rest. A launch that nobody waits
	// for any more still ends by itself.
	settled := func(p *product, sessions int, like *holdings) holdings {
		t.Helper()
		(&churn{T: t, p: p, site: site}).run(sessions)
		probe := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		a := connect(t, &mcp.StreamableClientTransport{Endpoint: p.url + "/mcp", HTTPClient: probe}, stateless)
		last, since := holdings{}, time.Now()
		var status map[string]any
		eventually(t, func() bool {
			status = a.call("server_status", nil).fields["sessions"].(map[string]any)
			now := p.holdings()
			if status["live"] != 0.0 || !now.equal(last) || like != nil && !now.within(*like) {
				last, since = now, time.Now()
				return false
			}
			// A second of rest with a spare browser that has a page, or ten without one.
			ready := like != nil || slices.ContainsFunc(p.family(), renderers)
			rested := time.Since(since)
			return rested > hosttest.Pause(10*time.Second) || ready && rested > hosttest.Pause(time.Second)
		}, func() string {
			if like == nil {
				return fmt.Sprintf("the server does not come to rest: %v %+v", status, last)
			}
			return fmt.Sprintf("left behind:\nbefore %+v\nafter  %+v", *like, last)
		})
		return last
	}

	fresh := start(t, setup{spare: true})
	settled(fresh, len(endings), nil)
	before := fresh.goroutines()

	p := start(t, setup{spare: true})
	rest := settled(p, len(endings), nil)
	began := time.Now()
	settled(p, sessions, &rest)
	t.Logf("%d sessions in %v; at rest %+v", sessions, time.Since(began).Round(time.Second), rest)
	family := p.family()
	after := p.goroutines()
	// What leaks with an ending leaks each time, which is several times as often here as among the few. The rest of
	// a server is no standstill: a request, a timer or the spare account for one or two.
	for made, n := range after {
		if n > before[made]+sessions/len(endings)/2 {
			t.Errorf("%d goroutines of %s, where %d were", n, made, before[made])
		}
	}
	if len(before) == 0 {
		t.Error("no goroutine was dumped")
	}
	p.gone(family)
}
