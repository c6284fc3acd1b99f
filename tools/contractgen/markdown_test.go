package main

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/tools/contractgen/internal/load"
)

var (
	anchorTag = regexp.MustCompile(`<a id="([^"]+)"></a>`)
	linkForm  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	codeSpan  = regexp.MustCompile("``.*?``|`[^`]*`")
)

// pages are the reference pages by name.
func pages(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name, b := range compile(t) {
		if path.Ext(name) == ".md" {
			out[path.Base(name)] = string(b)
		}
	}
	if len(out) == 0 {
		t.Fatal("no pages are emitted")
	}
	return out
}

func TestLinksOfTheReferenceResolve(t *testing.T) {
	all := pages(t)
	anchors := map[string]bool{}
	for name, text := range all {
		for _, a := range anchorTag.FindAllStringSubmatch(text, -1) {
			if anchors[name+"#"+a[1]] {
				t.Errorf("%s has the anchor %s twice", name, a[1])
			}
			anchors[name+"#"+a[1]] = true
		}
	}
	for name, text := range all {
		for _, l := range linkForm.FindAllStringSubmatch(text, -1) {
			page, id, toAnchor := strings.Cut(l[1], "#")
			if page == "" {
				page = name
			}
			if toAnchor && !anchors[page+"#"+id] {
				t.Errorf("%s links to %s, which is not there", name, l[1])
			} else if _, ok := compile(t)["docs/reference/"+page]; !ok {
				t.Errorf("%s links to %s, which is no page", name, l[1])
			}
		}
	}
}

// TestTablesAreWhole asks that each row has as many cells as its head, and that no table is empty.
func TestTablesAreWhole(t *testing.T) {
	for name, text := range pages(t) {
		lines := strings.Split(text, "\n")
		for i := 1; i < len(lines); i++ {
			if !strings.HasPrefix(lines[i], "|---") {
				continue
			}
			want, rows := cells(lines[i-1]), 0
			for _, row := range lines[i:] {
				if !strings.HasPrefix(row, "|") {
					break
				}
				rows++
				if cells(row) != want {
					t.Errorf("%s: %d cells, want %d: %s", name, cells(row), want, row)
				}
			}
			if rows < 2 {
				t.Errorf("%s:%d: the table is empty", name, i)
			}
		}
	}
}

func cells(row string) int {
	return strings.Count(strings.ReplaceAll(row, `\|`, ""), "|")
}

// TestTextIsNotMarkup finds texts that a renderer would swallow or change.
func TestTextIsNotMarkup(t *testing.T) {
	for name, text := range pages(t) {
		for i, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "<!--") {
				continue
			}
			plain := codeSpan.ReplaceAllString(anchorTag.ReplaceAllString(line, ""), "")
			plain = strings.NewReplacer("<br>", "", `\*`, "").Replace(plain)
			if strings.ContainsAny(plain, "<*`") || strings.Contains(plain, "{config:") {
				t.Errorf("%s:%d: %s", name, i+1, line)
			}
		}
	}
}

// TestEveryItemHasAnAnchor goes through the contract, not through the pages.
func TestEveryItemHasAnAnchor(t *testing.T) {
	m, faults, err := load.Load(os.DirFS(root))
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	all := pages(t)
	want := func(page, id string) {
		if !strings.Contains(all[page], `<a id="`+id+`"></a>`) {
			t.Errorf("%s has no anchor %s", page, id)
		}
	}
	for _, x := range m.Tools {
		want("tools.md", x.Name)
	}
	for _, x := range m.Errors {
		want("errors.md", x.Code)
	}
	for _, x := range m.Keys {
		want("config.md", x.Name)
	}
	for _, x := range m.Rules {
		want("config.md", "rule-"+x.Name)
	}
	for _, x := range m.Operations {
		want("api.md", x.ID)
	}
	for _, x := range m.Scopes {
		want("api.md", "scope-"+x.Value)
	}
	for _, x := range m.WS.Commands {
		want("websocket.md", "command-"+x.Name)
	}
	for _, x := range m.WS.Replies {
		want("websocket.md", "reply-"+x.Name)
	}
	for _, x := range m.WS.Events {
		want("websocket.md", "event-"+x.Name)
	}
	for _, x := range m.WS.Stream {
		want("websocket.md", "stream-"+x.Name)
	}
	for _, x := range m.WS.Inputs {
		want("websocket.md", "input-"+x.Name)
	}
	for _, x := range m.WS.Topics {
		want("websocket.md", "topic-"+x.Name)
	}
	for _, x := range m.WS.Limits {
		want("websocket.md", "limit-"+x.Name)
	}
	for _, x := range m.WS.CloseCodes {
		want("websocket.md", "close-"+x.Name)
	}
}
