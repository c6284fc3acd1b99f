package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
	"github.com/browserhive/browserhive/internal/contract"
)

// table collects what the tools of the contract were seen to answer: codes, and worked for a success.
type table struct {
	*testing.T
	site *site

	mu   sync.Mutex
	seen map[string]map[string]bool
}

func (x *table) saw(tool, outcome string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.seen[tool] == nil {
		x.seen[tool] = map[string]bool{}
	}
	x.seen[tool][outcome] = true
}

// sections provoke the answers, side by side.
var sections = map[string]func(*table, *testing.T){
	"what works":           (*table).works,
	"arguments":            (*table).arguments,
	"sessions":             (*table).sessions,
	"foreign sessions":     (*table).foreign,
	"closing sessions":     (*table).closing,
	"tabs and dialogs":     (*table).tabs,
	"blocked documents":    (*table).blocked,
	"elements":             (*table).elements,
	"navigations":          (*table).navigations,
	"files and states":     (*table).files,
	"unwritable places":    (*table).unwritable,
	"launches":             (*table).launches,
	"browsers that die":    (*table).crashes,
	"calls that end early": (*table).cancelled,
	"calls that run out":   (*table).timeouts,
	"dialogs that stay":    (*table).answers,
	"tabs that close":      (*table).closures,
}

// Every tool that is built works, and answers each error that it declares. What cannot be provoked has a
// reason in reasons, and what has a reason must not be provoked.
func TestEveryToolAnswersWhatItDeclares(t *testing.T) {
	t.Parallel()
	x := &table{T: t, site: newSite(t), seen: map[string]map[string]bool{}}
	browsertest.Pages(x.site.mux)
	count := 0
	t.Run("provoke", func(t *testing.T) {
		for _, name := range slices.Sorted(maps.Keys(sections)) {
			t.Run(name, func(t *testing.T) {
				count++ // One after another, up to here.
				sections[name](x, t)
			})
		}
	})
	if count < len(sections) {
		return // Only some were asked for.
	}
	excused := 0
	for _, tool := range tools.Catalogue {
		if tool.Planned {
			continue
		}
		for _, outcome := range append([]contract.Code{worked}, tool.Errors...) {
			reason := reasons[tool.Name+" "+string(outcome)]
			if reason == "" {
				reason = reasons[string(outcome)]
			}
			switch seen := x.seen[tool.Name][string(outcome)]; {
			case !seen && reason == "":
				t.Errorf("%s: nothing provokes %s", tool.Name, outcome)
			case seen && reasons[tool.Name+" "+string(outcome)] != "":
				t.Errorf("%s answers %s, against the reason why it should not: %s", tool.Name, outcome, reason)
			case !seen:
				excused++
			}
		}
	}
	t.Logf("%d answers have a reason why nothing from outside provokes them", excused)
}

// reasons say why a client cannot provoke an error, for a code or for a tool and a code.
var reasons = map[string]string{
	"INTERNAL_ERROR": "a fault of ours; one that a test could provoke would be mended. TestFaultsOfOurs, in internal/toolset, makes them inside.",

	"launch_session SESSION_ALREADY_EXISTS": "the eight random letters of an id would have to repeat.",

	"session_info BROWSER_CRASHED": noBrowser, "session_info CALL_TIMEOUT": noBrowser, "session_info CALL_CANCELLED": noBrowser,
	"list_tabs BROWSER_CRASHED": noTitle, "list_tabs CALL_TIMEOUT": noTitle, "list_tabs CALL_CANCELLED": noTitle,
	"switch_tab BROWSER_CRASHED": shownLater, "switch_tab CALL_TIMEOUT": shownLater, "switch_tab CALL_CANCELLED": shownLater,

	"wait_for_url CALL_TIMEOUT": ownTimeout, "wait_for_selector CALL_TIMEOUT": ownTimeout, "wait_for_load_state CALL_TIMEOUT": ownTimeout,

	"accept_next_dialog PAGE_CLOSED": betweenTwo, "dismiss_next_dialog PAGE_CLOSED": betweenTwo,
}

const (
	noBrowser  = "it asks no browser, so it takes no time; a dead one is SESSION_DEAD."
	noTitle    = "it has the tabs at hand, and leaves out a title that the browser does not tell in time."
	shownLater = "the tab is the active one before the browser is asked to show it, which may fail."
	ownTimeout = "it waits for no other call, so its own timeout comes first and answers WAIT_TIMEOUT."
	betweenTwo = "the tab would have to close between being found and being answered, which is chance."
)

// connect makes an agent whose answers the table sees.
func (x *table) connect(t *testing.T, p *product) *agent {
	t.Helper()
	a := p.connect(stateful)
	a.t, a.saw = t, x.saw
	return a
}

// built are the tools that are built and declare the code.
func built(code contract.Code) []*contract.Tool {
	var out []*contract.Tool
	for _, tool := range tools.Catalogue {
		if !tool.Planned && slices.Contains(tool.Errors, code) {
			out = append(out, tool)
		}
	}
	return out
}

// valid are arguments that each tool takes, on a tab that shows controls.html or files.html.
func (x *table) valid() map[string]args {
	return map[string]args{
		"launch_session": {"slug": "test"}, "close_session": {"session_id": "test-00000000"},
		"list_sessions": {}, "server_status": {}, "session_info": {}, "list_tabs": {}, "list_saved_auths": {},
		"navigate": {"url": x.site.URL + "/pages/controls.html"}, "go_back": {}, "go_forward": {}, "reload": {},
		"wait_for_url": {"url": "**"}, "new_tab": {}, "close_tab": {}, "switch_tab": {},
		"click": {"selector": "#button"}, "type_text": {"selector": "#text", "text": "typed"},
		"fill": {"selector": "#text", "value": "filled"}, "press_key": {"selector": "#text", "key": "a"},
		"hover": {"selector": "#menu"}, "select_option": {"selector": "#one", "values": []string{"b"}},
		"scroll":        {"mode": "selector", "selector": "#end"},
		"drag_and_drop": {"source_selector": "#native", "target_selector": "#target"},
		"screenshot":    {"selector": "#button"}, "snapshot": {}, "get_content": {}, "evaluate": {"expression": "1 + 1"},
		"wait_for_selector": {"selector": "#button"}, "wait_for_load_state": {},
		"accept_next_dialog": {}, "dismiss_next_dialog": {}, "get_cookies": {},
		"set_cookies":  {"cookies": []args{{"name": "a", "value": "b", "url": x.site.URL}}},
		"set_viewport": {"width": 800, "height": 600}, "set_extra_http_headers": {"headers": args{"X-Own": "yes"}},
		"upload_file": {"selector": "#file", "paths": []string{"a.txt"}}, "download_file": {"trigger_selector": "#get"},
		"save_storage_state": {"name": "work"}, "save_full_profile": {"name": "work"},
	}
}

// with are the valid arguments of a tool on a session and, for a tool that takes one, a tab.
func (x *table) with(tool *contract.Tool, id, tab string, more args) args {
	in := args{}
	maps.Copy(in, x.valid()[tool.Name])
	if takes(tool, "session_id") {
		in["session_id"] = id
	}
	if tab == "" && (tool.Name == "close_tab" || tool.Name == "switch_tab") {
		tab = "t1" // It has no default.
	}
	if tab != "" && takes(tool, "tab_id") {
		in["tab_id"] = tab
	}
	maps.Copy(in, more)
	return in
}

// takes reports whether a tool has an argument.
func takes(tool *contract.Tool, argument string) bool {
	return strings.Contains(string(tool.Input), fmt.Sprintf("%q:", argument))
}

// all calls every built tool that declares the code, and wants the code.
func (x *table) all(a *agent, code contract.Code, id, tab string, except ...string) {
	a.t.Helper()
	for _, tool := range built(code) {
		if tool.UsesSession && !slices.Contains(except, tool.Name) {
			a.refused(string(code), tool.Name, x.with(tool, id, tab, nil))
		}
	}
}

// open launches a session whose tab shows a page of the test site.
func (x *table) open(a *agent, page string, launch args) string {
	a.t.Helper()
	id := a.launchWith(launch)
	a.call("navigate", args{"session_id": id, "url": x.site.URL + "/pages/" + page})
	return id
}
