package e2e

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/tools"
)

// Every long text comes in parts of at most 1 MiB which together are the text, whatever the page has become
// in between.
func TestLongTextsComeInParts(t *testing.T) {
	work(t)
	site := newSite(t)
	const paragraphs = 9000
	var body strings.Builder
	for i := range paragraphs {
		fmt.Fprintf(&body, "<p>%d %s</p>\n", i, strings.Repeat("Stück 𝄞 ", 16))
	}
	site.page("/long", "Long", body.String())
	site.page("/short", "Short", "<p>Nothing left</p>")
	p := tenant(t)
	a := p.connect(stateful)
	id := a.launch()
	const script = "Array.from(document.querySelectorAll('p'), e => e.textContent)"
	for tool, kind := range map[string]struct {
		field, join string
		first       args
		right       func(text string) bool
	}{
		"snapshot": {"tree", "\n", args{}, func(text string) bool {
			lines := strings.Split(text, "\n")
			return len(lines) == paragraphs+1 && strings.Contains(lines[paragraphs], fmt.Sprint("]: ", paragraphs-1, " Stück 𝄞"))
		}},
		"get_content": {"html", "", args{}, func(text string) bool {
			return strings.HasSuffix(text, "</body></html>") && strings.Count(text, "<p>") == paragraphs
		}},
		"evaluate": {"result", "", args{"expression": script}, func(text string) bool {
			var list []string
			return json.Unmarshal([]byte(text), &list) == nil && len(list) == paragraphs
		}},
	} {
		for _, most := range []int{0, 600_000} {
			a.call("navigate", args{"session_id": id, "url": site.URL + "/long"})
			in := args{"session_id": id}
			for k, v := range kind.first {
				in[k] = v
			}
			if most > 0 {
				in["max_chars"] = most
			}
			var parts []string
			for {
				out := a.call(tool, in)
				text := out.fields[kind.field].(string)
				if len(text) > tools.TextLimit {
					t.Fatalf("%s: a part of %d bytes", tool, len(text))
				}
				if parts == nil {
					a.call("navigate", args{"session_id": id, "url": site.URL + "/short"})
				}
				cursor, more := out.fields["cursor"].(string)
				if (out.fields["truncated"] == true) != more {
					t.Fatalf("%s: truncated %v, cursor %q", tool, out.fields["truncated"], cursor)
				}
				if !more {
					parts = append(parts, text)
					break
				}
				at := strings.LastIndexByte(text, '\n')
				if note := text[at:]; !strings.Contains(note, "truncated: the last ") || !strings.Contains(note, "call "+tool+" with cursor "+cursor) {
					t.Fatalf("%s ends in %q", tool, note)
				}
				parts = append(parts, text[:at])
				in["cursor"] = cursor
			}
			if text := strings.Join(parts, kind.join); len(parts) < 2 || !kind.right(text) {
				t.Errorf("%s: %d parts of %d bytes are not the text: %.100s…", tool, len(parts), len(text), text)
			}
		}
	}
	// A cursor belongs to its session and its tool.
	a.call("navigate", args{"session_id": id, "url": site.URL + "/long"})
	cursor := a.call("get_content", args{"session_id": id, "max_chars": 200}).fields["cursor"]
	other := a.launch()
	for tool, in := range map[string]args{
		"get_content": {"session_id": other, "cursor": cursor},
		"snapshot":    {"session_id": id, "cursor": cursor},
		"evaluate":    {"session_id": id, "cursor": cursor, "expression": "1"},
	} {
		f := a.refused("INVALID_ARGUMENTS", tool, in)
		if issue := f.Details["issues"].([]any)[0].(map[string]any); issue["path"] != "cursor" {
			t.Errorf("%s: %v", tool, issue)
		}
	}
	a.refused("INVALID_ARGUMENTS", "snapshot", args{"session_id": id, "max_chars": 10})
}

// A short value stays JSON, and a part of a long one is text.
func TestEvaluateWithinItsBound(t *testing.T) {
	work(t)
	a := tenant(t).connect(stateful)
	id := a.launch()
	value := a.call("evaluate", args{"session_id": id, "expression": "({a: [1, 'x']})", "max_chars": 200}).fields["result"]
	if !reflect.DeepEqual(value, map[string]any{"a": []any{1.0, "x"}}) {
		t.Errorf("result %v", value)
	}
	out := a.call("evaluate", args{"session_id": id, "expression": "'x'.repeat(300)", "max_chars": 200})
	first, _ := out.fields["result"].(string)
	if !strings.HasPrefix(first, `"xxx`) || out.fields["truncated"] != true {
		t.Errorf("a long value: %v", out.fields)
	}
	out = a.call("evaluate", args{"session_id": id, "expression": "document.title = 'ran'", "cursor": out.fields["cursor"]})
	if rest, _ := out.fields["result"].(string); rest != strings.Repeat("x", 101)+`"` {
		t.Errorf("the rest: %v", out.fields)
	}
	if title := a.call("evaluate", args{"session_id": id, "expression": "document.title"}).fields["result"]; title == "ran" {
		t.Error("with a cursor the script runs")
	}
	// What reads on needs no page.
	out = a.call("evaluate", args{"session_id": id, "expression": "'x'.repeat(300)", "max_chars": 200})
	a.call("close_tab", args{"session_id": id, "tab_id": "t1"})
	out = a.call("evaluate", args{"session_id": id, "expression": "1", "cursor": out.fields["cursor"]})
	if rest, _ := out.fields["result"].(string); rest != strings.Repeat("x", 101)+`"` {
		t.Errorf("the rest, once no tab is open: %v", out.fields)
	}
	a.refused("TAB_NOT_FOUND", "evaluate", args{"session_id": id, "expression": "1"})
}

// Short texts of a page are cut: a page decides how long they are.
func TestShortTextsAreCut(t *testing.T) {
	work(t)
	site := newSite(t)
	site.page("/title", strings.Repeat("𝄞", 5000), `<select><option value="`+strings.Repeat("v", 5000)+`">Long</select>`)
	a := tenant(t).connect(stateful)
	id := a.launch()
	title := strings.Repeat("𝄞", tools.TitleLimit) + "…"
	if out := a.call("navigate", args{"session_id": id, "url": site.URL + "/title"}); out.fields["title"] != title {
		t.Errorf("navigate: a title of %d bytes", len(fmt.Sprint(out.fields["title"])))
	}
	tab := a.call("list_tabs", args{"session_id": id}).fields["tabs"].([]any)[0].(map[string]any)
	if tab["title"] != title {
		t.Errorf("list_tabs: a title of %d bytes", len(fmt.Sprint(tab["title"])))
	}
	out := a.call("select_option", args{"session_id": id, "selector": "select", "values": []string{"Long"}})
	if got := out.fields["selected"]; !reflect.DeepEqual(got, []any{strings.Repeat("v", tools.TitleLimit) + "…"}) {
		t.Errorf("select_option: %.100v", got)
	}
	f := a.refused("SCRIPT_ERROR", "evaluate", args{"session_id": id, "expression": "throw new Error('x'.repeat(100000))"})
	if len(f.Message) > 2*tools.TitleLimit {
		t.Errorf("SCRIPT_ERROR: a message of %d bytes", len(f.Message))
	}
	a.call("evaluate", args{"session_id": id, "expression": "history.pushState(0, '', '/title?' + 'q'.repeat(100000)), 1"})
	for _, tool := range []string{"snapshot", "get_content"} {
		url, _ := a.call(tool, args{"session_id": id}).fields["url"].(string)
		if len(url) > tools.AddressLimit+len("…") || !strings.HasSuffix(url, "qqq…") {
			t.Errorf("%s: an address of %d bytes", tool, len(url))
		}
	}
}

// A snapshot as an agent asks for it: a part, what can be acted on, what has changed.
func TestSnapshotArguments(t *testing.T) {
	work(t)
	site := newSite(t)
	site.page("/shop", "Shop", `<h1>Shop</h1><p>Welcome</p>
		<section aria-label="Cart"><button onclick="sum.textContent = '2 items'">Add</button><p id="sum">1 item</p></section>
		<label>Password <input type="password" value="hunter2"></label>`)
	a := tenant(t).connect(stateful)
	id := a.launch()
	a.call("navigate", args{"session_id": id, "url": site.URL + "/shop"})
	tree := func(in args) (string, map[string]any) {
		t.Helper()
		in["session_id"] = id
		out := a.call("snapshot", in)
		text := out.fields["tree"].(string)
		if strings.Contains(text, "hunter2") {
			t.Errorf("%v: the password is in\n%s", in, text)
		}
		return text, out.fields
	}
	check := func(what, text string, has, not []string) {
		t.Helper()
		for _, want := range has {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %s in\n%s", what, want, text)
			}
		}
		for _, other := range not {
			if strings.Contains(text, other) {
				t.Errorf("%s: %s in\n%s", what, other, text)
			}
		}
	}
	text, _ := tree(args{"selector": "section"})
	check("selector", text, []string{`region "Cart"`, "1 item"}, []string{"Welcome"})
	text, _ = tree(args{"interactive_only": true})
	check("interactive_only", text, []string{`button "Add"`, `textbox "Password"`, "••••••••"}, []string{"Welcome", "1 item"})
	text, _ = tree(args{"depth": 1})
	check("depth", text, []string{`heading "Shop"`}, []string{`button "Add"`})
	text, fields := tree(args{"changes_only": true})
	check("changes_only at first", text, []string{"Welcome"}, nil)
	if fields["changes"] == true {
		t.Error("there was nothing to compare with")
	}
	a.call("click", args{"session_id": id, "selector": "role=button[name=Add]"})
	text, fields = tree(args{"changes_only": true})
	check("changes_only", text, []string{"2 items"}, []string{"Welcome", "Password"})
	if fields["changes"] != true {
		t.Errorf("changes: %v", fields["changes"])
	}
	f := a.refused("ELEMENT_NOT_FOUND", "snapshot", args{"session_id": id, "selector": "p"})
	if f.Details["count"] != 2.0 {
		t.Errorf("two elements match: %v", f.Details)
	}
	a.refused("ELEMENT_NOT_FOUND", "snapshot", args{"session_id": id, "selector": "#none"})
}
