package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/internal/contract"
)

// upload puts a file where uploads come from.
func (p *product) upload(name string) {
	p.t.Helper()
	dir := filepath.Join(p.dataDir, "uploads")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte("content"), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (x *table) works(t *testing.T) {
	work(t)
	p := tenant(t)
	p.upload("a.txt")
	a := x.connect(t, p)
	id := x.open(a, "controls.html", args{"persistence_mode": "persistent"})
	last := map[string]bool{"close_session": true, "close_tab": true, "launch_session": true}
	for _, tool := range tools.Catalogue {
		if tool.Planned || last[tool.Name] {
			continue
		}
		page := "controls.html"
		if tool.Pack == "Files" {
			page = "files.html"
		}
		a.call("navigate", args{"session_id": id, "tab_id": "t1", "url": x.site.URL + "/pages/" + page})
		a.call(tool.Name, x.with(tool, id, "t1", nil))
	}
	a.call("close_tab", args{"session_id": id, "tab_id": "t1"})
	a.call("close_session", args{"session_id": id})
	if list := a.call("list_saved_auths", nil).fields["saved_auths"].([]any); len(list) != 2 {
		t.Errorf("saved are %v", list)
	}
}

func (x *table) arguments(t *testing.T) {
	work(t)
	a := x.connect(t, tenant(t))
	id := x.open(a, "controls.html", nil)
	for _, tool := range built("INVALID_ARGUMENTS") {
		a.refused("INVALID_ARGUMENTS", tool.Name, x.with(tool, id, "", args{"colour": "green"}))
	}
	a.refused("INVALID_SLUG", "launch_session", args{"slug": "Shop!"})
	a.refused("UNKNOWN_CHANNEL", "launch_session", args{"slug": "test", "channel": "firefox"})
}

func (x *table) sessions(t *testing.T) {
	work(t)
	p := tenant(t)
	a := x.connect(t, p)
	x.all(a, "SESSION_NOT_FOUND", "test-00000000", "t1")
	dead := x.open(a, "controls.html", nil)
	if err := syscall.Kill(p.browser(dead).pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.await(`"msg":"session crashed"`, dead)
	x.all(a, "SESSION_DEAD", dead, "t1")
}

// A foreign session is unknown to the caller; only the log tells the truth.
func (x *table) foreign(t *testing.T) {
	work(t)
	p := tenant(t)
	id := p.connect(stateful).launch()
	bob := tenant(t).connect(stateful)
	for _, tool := range built("SESSION_ACCESS_DENIED") {
		bob.refused("SESSION_NOT_FOUND", tool.Name, x.with(tool, id, "", nil))
		p.await(fmt.Sprintf(`"tool":%q`, tool.Name), "SESSION_ACCESS_DENIED", id)
		x.saw(tool.Name, "SESSION_ACCESS_DENIED")
	}
}

// A session that is closing has a browser that does not hear: it is given some seconds.
func (x *table) closing(t *testing.T) {
	work(t)
	p := tenant(t)
	a, other := x.connect(t, p), p.connect(stateful)
	id := x.open(a, "controls.html", nil)
	if err := syscall.Kill(p.browser(id).pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = other.try("close_session", args{"session_id": id})
	}()
	eventually(t, func() bool {
		_, f := a.try("session_info", args{"session_id": id})
		return f != nil
	}, func() string { return "the session does not begin to close" })
	x.all(a, "SESSION_NOT_AVAILABLE", id, "t1")
	rest(func() { <-done })
}

func (x *table) tabs(t *testing.T) {
	work(t)
	p := tenant(t)
	p.upload("a.txt")
	a := x.connect(t, p)
	id := x.open(a, "controls.html", nil)
	x.all(a, "TAB_NOT_FOUND", id, "t999")

	// One dialog serves them all: it stays for a minute.
	a.call("new_tab", args{"session_id": id, "url": x.site.URL + "/pages/dialogs.html"})
	a.refused("DIALOG_OPEN", "click", args{"session_id": id, "tab_id": "t2", "selector": "#confirm"})
	x.all(a, "DIALOG_OPEN", id, "t2", "new_tab", "close_tab", "switch_tab")
	a.refused("DIALOG_OPEN", "new_tab", args{"session_id": id, "url": x.site.URL + "/pages/dialogs.html#greet"})
}

// A document that must not be read stays in a tab for as long as a dialog keeps it there.
func (x *table) blocked(t *testing.T) {
	work(t)
	list := filepath.Join(t.TempDir(), "list.txt")
	if err := os.WriteFile(list, []byte(x.site.Listener.Addr().String()+"/blocked*\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, setup{args: []string{"--blocklist", list, "--blocklistWatch"}})
	p.upload("a.txt")
	a := x.connect(t, p)
	id := x.open(a, "controls.html", nil)
	a.refused("URL_BLOCKED", "new_tab", args{"session_id": id, "url": x.site.URL + "/blocked"})
	a.refused("URL_BLOCKED", "navigate", args{"session_id": id, "url": x.site.URL + "/blocked"})
	a.call("navigate", args{"session_id": id, "url": x.site.URL + "/pages/controls.html"})
	a.call("click", args{"session_id": id, "selector": "#button"}) // Only a page that was acted on may ask.
	_, _ = a.try("evaluate", args{"session_id": id, "expression": "addEventListener('beforeunload', event => event.preventDefault()); history.pushState(null, '', '/blocked')"})
	eventually(t, func() bool {
		_, f := a.try("get_content", args{"session_id": id})
		return f != nil && f.Code == "URL_BLOCKED"
	}, func() string { return "the tab does not stay" })
	moves := []string{"navigate", "new_tab", "go_back", "go_forward", "reload"}
	x.all(a, "URL_BLOCKED", id, "", moves...)

	// The list grows while the browser runs, so that what it has opened is blocked when it moves there again.
	a.call("close_session", args{"session_id": id})
	later := x.site.URL + "/pages/text.html"
	id = a.launch()
	ready := map[string]any{}
	for _, tool := range moves[2:] {
		tab := a.call("new_tab", args{"session_id": id, "url": x.site.URL + "/pages/controls.html"}).fields["tab_id"]
		a.call("navigate", args{"session_id": id, "tab_id": tab, "url": later})
		switch tool {
		case "go_back":
			a.call("navigate", args{"session_id": id, "tab_id": tab, "url": x.site.URL + "/form"})
		case "go_forward":
			a.call("go_back", args{"session_id": id, "tab_id": tab})
		}
		ready[tool] = tab
	}
	if err := os.WriteFile(list, []byte(x.site.Listener.Addr().String()+"/pages/text.html\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool {
		_, f := a.try("new_tab", args{"session_id": id, "url": later})
		return f != nil
	}, func() string { return "the new list is not in force" })
	for tool, tab := range ready {
		a.refused("URL_BLOCKED", tool, args{"session_id": id, "tab_id": tab})
	}
}

func (x *table) elements(t *testing.T) {
	work(t)
	p := tenant(t)
	p.upload("a.txt")
	a := x.connect(t, p)
	id := x.open(a, "controls.html", nil)
	where := func(tool *contract.Tool, selector string) args {
		for _, name := range []string{"selector", "trigger_selector", "source_selector"} {
			if takes(tool, name) {
				in := x.with(tool, id, "", args{name: selector})
				if takes(tool, "timeout") {
					in["timeout"] = brief
				}
				return in
			}
		}
		t.Fatalf("%s takes no selector", tool.Name)
		return nil
	}
	for _, tool := range built("ELEMENT_NOT_FOUND") {
		selector := "#none"
		if tool.Name == "wait_for_selector" {
			selector = "p" // Several; none would be waited for.
		}
		a.refused("ELEMENT_NOT_FOUND", tool.Name, where(tool, selector))
	}
	var others []*contract.Tool
	for _, tool := range built("ELEMENT_NOT_ACTIONABLE") {
		if _, f := a.try(tool.Name, where(tool, "#hidden")); f == nil || f.Code != "ELEMENT_NOT_ACTIONABLE" {
			others = append(others, tool)
		}
	}
	p.stall(id, func() { // An element of a page that does not answer.
		for _, tool := range others {
			a.refused("ELEMENT_NOT_ACTIONABLE", tool.Name, where(tool, "#hidden"))
		}
		a.refused("ELEMENT_NOT_ACTIONABLE", "click", args{"session_id": id, "selector": "e2", "timeout": brief})
		a.refused("WAIT_TIMEOUT", "wait_for_selector", args{"session_id": id, "selector": "e2", "timeout": brief})
	})
}

// moody is a path of the site that answers, is silent, or breaks off, as the test wants.
type moody struct{ mood atomic.Value }

func (m *moody) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch m.mood.Load() {
	case "silent":
		<-r.Context().Done()
	case "broken":
		panic(http.ErrAbortHandler)
	default:
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write([]byte("<!doctype html><title>Moody</title>" + r.URL.Path))
	}
}

func (x *table) navigations(t *testing.T) {
	work(t)
	a := x.connect(t, tenant(t))
	id := a.launch()
	for mood, code := range map[string]string{"silent": "NAVIGATION_TIMEOUT", "broken": "NAVIGATION_FAILED"} {
		for _, tool := range built(contract.Code(code)) {
			site := newSite(t)
			m := &moody{}
			m.mood.Store("")
			site.mux.Handle("/moody/", m)
			tab := a.call("new_tab", args{"session_id": id, "url": site.URL + "/moody/a"}).fields["tab_id"].(string)
			a.call("navigate", args{"session_id": id, "tab_id": tab, "url": site.URL + "/moody/b"})
			if tool.Name == "go_forward" {
				a.call("go_back", args{"session_id": id, "tab_id": tab})
			}
			m.mood.Store(mood)
			in := x.with(tool, id, tab, args{"timeout": 3 * brief})
			if takes(tool, "url") {
				in["url"] = site.URL + "/moody/c"
			}
			a.refused(code, tool.Name, in)
		}
	}
	id = x.open(a, "network.html", nil)
	for _, tool := range built("WAIT_TIMEOUT") {
		in := x.with(tool, id, "", args{"timeout": brief})
		switch tool.Name {
		case "wait_for_url":
			in["url"] = "**/never"
		case "wait_for_selector":
			in["selector"] = "#never"
		case "wait_for_load_state":
			in["state"] = "networkidle"
		}
		a.refused("WAIT_TIMEOUT", tool.Name, in)
	}
}

func (x *table) files(t *testing.T) {
	work(t)
	p := tenant(t)
	p.upload("a.txt")
	a := x.connect(t, p)
	id := x.open(a, "files.html", args{"persistence_mode": "persistent"})
	for tool, in := range map[string]args{
		"screenshot": {"save_path": "../x.png"}, "upload_file": {"selector": "#file", "paths": []string{"../browserhive.lock"}},
		"download_file": {"trigger_selector": "#get", "save_as": "../x"}, "save_storage_state": {"name": "../x"},
		"save_full_profile": {"name": "../x"},
	} {
		in["session_id"] = id
		a.refused("PATH_NOT_ALLOWED", tool, in)
	}
	a.refused("UPLOAD_FAILED", "upload_file", args{"session_id": id, "selector": "#text", "paths": []string{"a.txt"}})
	a.refused("DOWNLOAD_FAILED", "download_file", args{"session_id": id, "trigger_selector": "#broken"})
	a.refused("SCRIPT_ERROR", "evaluate", args{"session_id": id, "expression": "throw new Error('no')"})
	memory := a.launchWith(args{"disable_evaluate": true})
	a.refused("EVALUATE_DISABLED", "evaluate", args{"session_id": memory, "expression": "1"})
	a.refused("INVALID_PERSISTENCE_CONFIG", "save_full_profile", args{"session_id": memory, "name": "work"})
}

// A file stands where a directory should be, which stops the administrator, too. TestFullDisk has the same for
// a full disk.
func (x *table) unwritable(t *testing.T) {
	work(t)
	p := start(t, setup{})
	a := x.connect(t, p)
	id := x.open(a, "files.html", args{"persistence_mode": "persistent"})
	instead := func(path ...string) {
		t.Helper()
		dir := filepath.Join(append([]string{p.dataDir}, path...)...)
		if err := os.Rename(dir, dir+".away"); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = errors.Join(os.Remove(dir), os.Rename(dir+".away", dir)) })
	}
	refused := func(tool string, in args) {
		t.Helper()
		a.refused("DATA_DIR_UNWRITABLE", tool, in)
	}
	instead("auth-states")
	refused("save_storage_state", args{"session_id": id, "name": "work"})
	refused("save_full_profile", args{"session_id": id, "name": "work"})
	instead("sessions", id)
	refused("screenshot", args{"session_id": id, "save_path": "a.png"})
	instead("sessions")
	refused("launch_session", args{"slug": "test"})
}

func (x *table) launches(t *testing.T) {
	first(t)
	p := start(t, setup{args: []string{"--maxSessions", "1"}})
	a := x.connect(t, p)
	launch := func(code string, in args) {
		t.Helper()
		in["slug"] = "test"
		a.refused(code, "launch_session", in)
	}
	launch("UNSAFE_LAUNCH_ARG", args{"launch_options": args{"env": args{}}})
	launch("INVALID_PERSISTENCE_CONFIG", args{"restore_profile": "work"})
	launch("AUTH_STATE_NOT_FOUND", args{"context_options": args{"storageState": "nothing"}})
	script := func(body string) string {
		path := filepath.Join(t.TempDir(), "browser")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	launch("BROWSER_CRASHED", args{"launch_options": args{"executablePath": script("exit 1")}})
	rest(func() {
		launch("CALL_TIMEOUT", args{"launch_options": args{"executablePath": script("exec sleep 120")}})
	})
	takeBack := a.begin("launch_session", args{"slug": "taken-back", "launch_options": args{"executablePath": script("echo > \"$0.begun\"; exec sleep 120")}})
	eventually(t, func() bool {
		begun, _ := filepath.Glob(filepath.Join(filepath.Dir(t.TempDir()), "*", "browser.begun"))
		return len(begun) > 0
	}, func() string { return "the browser is not started" })
	takeBack()
	p.await(`"tool":"launch_session"`, "CALL_CANCELLED")
	x.saw("launch_session", "CALL_CANCELLED")
	a.launch()
	launch("SESSION_LIMIT_REACHED", args{})

	bare := x.connect(t, start(t, setup{env: []string{"PLAYWRIGHT_DRIVER_PATH=" + t.TempDir()}}))
	bare.refused("BROWSER_NOT_INSTALLED", "launch_session", args{"slug": "test"})
}
