package e2e

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/internal/contract"
)

// signal sends a signal to the processes of a session's browser that the choice takes.
func (p *product) signal(session string, s syscall.Signal, choice func(process) bool) {
	p.t.Helper()
	for _, one := range p.processes(session) {
		if choice(one) {
			_ = syscall.Kill(one.pid, s)
		}
	}
}

// processes are those of a session's browser.
func (p *product) processes(session string) (of []process) {
	p.t.Helper()
	main := p.browser(session).pid
	list, parents := running(p.t)
	for _, one := range list {
		for pid, steps := one.pid, 0; pid > 1 && steps < 10; pid, steps = parents[pid], steps+1 {
			if pid == main {
				of = append(of, one)
			}
		}
	}
	return of
}

func renderers(one process) bool { return strings.Contains(one.command, "--type=renderer") }

// stall keeps the pages of a session from answering anything meanwhile.
func (p *product) stall(session string, do func()) {
	p.t.Helper()
	p.signal(session, syscall.SIGSTOP, renderers)
	defer p.signal(session, syscall.SIGCONT, renderers)
	do()
}

// freeze stops the main process of a session's browser, which then answers nothing at all.
func (p *product) freeze(session string) {
	p.t.Helper()
	if err := syscall.Kill(p.browser(session).pid, syscall.SIGSTOP); err != nil {
		p.t.Fatal(err)
	}
}

// call is one call under way and what becomes of it.
type call struct {
	tool string
	done chan *failure
}

// underway opens a session with a tab for each tool that the choice takes, lets halt make them unable to
// answer, and calls all of them. When it returns, every call has arrived.
func (x *table) underway(a *agent, halt func(id string), choice func(*contract.Tool) bool) (id string, calls []call) {
	a.t.Helper()
	id = x.open(a, "controls.html", args{"persistence_mode": "persistent"})
	tab := func(page string) string {
		return a.call("new_tab", args{"session_id": id, "url": x.site.URL + "/pages/" + page}).fields["tab_id"].(string)
	}
	network, files := tab("network.html"), tab("files.html")
	type planned struct {
		*contract.Tool
		in args
	}
	var plan []planned
	for _, tool := range tools.Catalogue {
		if tool.Planned || !tool.UsesSession || !choice(tool) {
			continue
		}
		in := x.with(tool, id, "t1", nil)
		switch {
		case tool.Name == "screenshot":
			delete(in, "selector") // Of an element that does not answer it says that.
		case tool.Name == "wait_for_selector":
			in["selector"] = "#never"
		case tool.Name == "wait_for_url":
			in["url"] = "**/never"
		case tool.Name == "wait_for_load_state":
			in["tab_id"], in["state"] = network, "networkidle"
		case strings.HasSuffix(tool.Name, "_next_dialog"):
			in["tab_id"] = tab("dialogs.html")
			a.refused("DIALOG_OPEN", "click", args{"session_id": id, "tab_id": in["tab_id"], "selector": "#confirm"})
		case tool.Name == "new_tab":
			in["url"] = x.site.URL + "/silent"
		case tool.Pack == "Files" && tool.Name == "upload_file":
			in["tab_id"] = files
		case tool.Pack == "Files":
			in["tab_id"] = tab("files.html")
		case tool.ChangesTab, tool.Name == "close_tab":
			in["tab_id"] = tab("controls.html")
		}
		if tool.Name == "go_back" || tool.Name == "go_forward" {
			a.call("navigate", args{"session_id": id, "tab_id": in["tab_id"], "url": x.site.URL + "/form"})
		}
		if tool.Name == "go_forward" {
			a.call("go_back", args{"session_id": id, "tab_id": in["tab_id"]})
		}
		plan = append(plan, planned{tool, in})
	}
	halt(id)
	for _, one := range plan {
		lease, c := a.lease(id), call{one.Name, make(chan *failure, 1)}
		go func() {
			_, f := a.try(c.tool, one.in)
			c.done <- f
		}()
		eventually(a.t, func() bool { return a.lease(id) != lease }, func() string { return c.tool + " does not arrive" })
		calls = append(calls, c)
	}
	return id, calls
}

// ending is underway, end and a look at the codes, for the tools of the choice that declare the code.
func (x *table) ending(a *agent, code contract.Code, halt, end func(id string), choice func(*contract.Tool) bool) {
	a.t.Helper()
	id, calls := x.underway(a, halt, func(tool *contract.Tool) bool { return slices.Contains(tool.Errors, code) && choice(tool) })
	end(id)
	ends(a.t, calls, string(code))
}

// dialogs takes the tools that answer dialogs. They are apart from the others, to which an open dialog is an
// answer.
func dialogs(tool *contract.Tool) bool { return tool.Pack == "Dialogs" }

func others(tool *contract.Tool) bool { return !dialogs(tool) }

// ends wants every call to end with the code, unless it has a reason not to.
func ends(t testing.TB, calls []call, code string) {
	t.Helper()
	for _, c := range calls {
		var f *failure
		rest(func() { f = <-c.done })
		if (f == nil || f.Code != code) && reasons[c.tool+" "+code] == "" {
			t.Errorf("%s ends with %+v, not with %s", c.tool, f, code)
		}
	}
}

func (x *table) crashes(t *testing.T) {
	work(t)
	p := tenant(t)
	p.upload("a.txt")
	a := x.connect(t, p)
	for _, choice := range []func(*contract.Tool) bool{others, dialogs} {
		x.ending(a, "BROWSER_CRASHED", p.freeze, func(id string) {
			if err := syscall.Kill(p.browser(id).pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}, choice)
	}
}

func (x *table) cancelled(t *testing.T) {
	work(t)
	p := tenant(t)
	p.upload("a.txt")
	a := x.connect(t, p)
	closer := p.connect(stateful)
	for _, choice := range []func(*contract.Tool) bool{others, dialogs} {
		x.ending(a, "CALL_CANCELLED", p.freeze, func(id string) {
			rest(func() { closer.call("close_session", args{"session_id": id}) })
		}, choice)
	}
}

// Calls without a timeout of their own run out against a browser that does not answer, the others while
// they wait for their turn.
func (x *table) timeouts(t *testing.T) {
	first(t)
	p := tenant(t)
	a := x.connect(t, p)
	held := x.open(a, "busy.html", nil)
	lease := a.lease(held)
	takeBack := p.connect(stateful).begin("evaluate", args{"session_id": held, "expression": "new Promise(() => {})"})
	defer takeBack()
	eventually(t, func() bool { return a.lease(held) != lease }, func() string { return "the script does not run" })
	var calls []call
	for _, tool := range built("CALL_TIMEOUT") {
		if tool.ChangesTab && tool.HasTimeout {
			c := call{tool.Name, make(chan *failure, 1)}
			go func() {
				_, f := a.try(c.tool, x.with(tool, held, "t1", args{"timeout": 100}))
				c.done <- f
			}()
			calls = append(calls, c)
		}
	}
	ends(t, calls, "CALL_TIMEOUT")
	x.ending(a, "CALL_TIMEOUT", p.freeze, func(string) {}, func(tool *contract.Tool) bool {
		return others(tool) && !(tool.ChangesTab && tool.HasTimeout) && !strings.HasPrefix(tool.Name, "wait_")
	})
}

// answers to dialogs run out, too.
func (x *table) answers(t *testing.T) {
	first(t)
	p := tenant(t)
	x.ending(x.connect(t, p), "CALL_TIMEOUT", p.freeze, func(string) {}, func(tool *contract.Tool) bool {
		return dialogs(tool) && !(tool.ChangesTab && tool.HasTimeout)
	})
}

func (x *table) closures(t *testing.T) {
	work(t)
	p := tenant(t)
	p.upload("a.txt")
	a := x.connect(t, p)
	x.ending(a, "PAGE_CLOSED", func(id string) { p.signal(id, syscall.SIGSTOP, renderers) },
		func(id string) { p.signal(id, syscall.SIGKILL, renderers) },
		func(tool *contract.Tool) bool { return tool.Name != "new_tab" && others(tool) })
	id := x.open(a, "controls.html", nil)
	opened := make(chan *failure, 1)
	go func() {
		_, f := a.try("new_tab", args{"session_id": id, "url": x.site.URL + "/silent"})
		opened <- f
	}()
	other := p.connect(stateful)
	other.become(id, "t1 t2*")
	other.call("close_tab", args{"session_id": id, "tab_id": "t2"})
	ends(t, []call{{"new_tab", opened}}, "PAGE_CLOSED")
}
