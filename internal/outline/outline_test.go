package outline

import (
	"strings"
	"testing"
)

// What a page writes never passes for a role, a ref or a state.
func TestParseLine(t *testing.T) {
	for line, want := range map[string]Node{
		`- button "Send" [disabled] [ref=e4] [cursor=pointer]: text`: {role: "button", name: `"Send"`, ref: "e4", pointer: true},
		`- generic [ref=f1e2]:`:                        {role: "generic", ref: "f1e2"},
		`- generic: "[ref=e9] [cursor=pointer]"`:       {role: "generic"},
		`- link "a [ref=e9] \" [ref=e8]" [ref=e1]`:     {role: "link", name: `"a [ref=e9] \" [ref=e8]"`, ref: "e1"},
		`- 'link "it''s: [ref=e9]" [ref=e1]': "x"`:     {role: "link", name: `"it's: [ref=e9]"`, ref: "e1"},
		`- 'link "unfinished`:                          {role: "link", name: `"unfinished`},
		`- text: button "Send" [ref=e9]`:               {},
		`- /url: "#[ref=e9]"`:                          {},
		`- textbox "Name" [active] [ref=e2]: [ref=e9]`: {role: "textbox", name: `"Name"`, ref: "e2"},
		`- img [ref=e3`:                                {role: "img"},
	} {
		got := parseLine(line)
		if got.line != line || got.role != want.role || got.name != want.name || got.ref != want.ref || got.pointer != want.pointer {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

func TestInteractiveOutline(t *testing.T) {
	tree := strings.Trim(`
- generic [active] [ref=e1]:
  - heading "Shop" [level=1] [ref=e2]
  - paragraph [ref=e3]: Some text
  - dialog "Settings" [ref=e4]:
    - generic [ref=e5]:
      - text: Choose
      - button "Save" [ref=e6]
    - button "Hidden"
  - link "Home" [ref=e7]:
    - /url: /
    - img "Logo" [ref=e8]
  - generic [ref=e9] [cursor=pointer]:
    - img "Cart" [ref=e10]
    - text: Buy
  - iframe [ref=e11]:
    - textbox [ref=f1e1]:
      - /placeholder: Search
      - text: query
  - list "Empty" [ref=e12]:
    - listitem [ref=e13]: one`, "\n")
	want := strings.Trim(`
- dialog "Settings" [ref=e4]:
  - button "Save" [ref=e6]
- link "Home" [ref=e7]:
  - /url: /
- generic [ref=e9] [cursor=pointer]:
  - img "Cart" [ref=e10]
  - text: Buy
- iframe [ref=e11]:
  - textbox [ref=f1e1]:
    - /placeholder: Search
    - text: query`, "\n")
	if got := Parse(tree).Interactive().String(); got != want {
		t.Errorf("got\n%s", got)
	}
	if got := Parse(tree).String(); got != tree {
		t.Errorf("reading and writing changes it:\n%s", got)
	}
}

func FuzzOutline(f *testing.F) {
	f.Add("- button \"a\" [ref=e1]:\n  - text: x", "- 'a: \"b\"")
	f.Add("    - x\n- y\n\n  - /z: \"", "- generic [ref=e1]:\n  - generic [ref=e1]")
	f.Fuzz(func(_ *testing.T, a, b string) {
		now, old := Parse(a), Parse(b)
		_ = now.Interactive().String()
		_ = now.Changes(old)
	})
}
