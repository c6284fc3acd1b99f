package repotest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/api"
	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/tools/docregion"
)

// TestDocuments holds the documents to the table of the layers and to the contract.
func TestDocuments(t *testing.T) {
	tb := readTable(t)
	built, reserved := tb.members(t)

	var figure, rows strings.Builder
	figure.WriteString("\n```mermaid\nflowchart BT\n")
	rows.WriteString("\n| Layer | Packages | Holds |\n|---|---|---|\n")
	for i, l := range tb.layers {
		fmt.Fprintf(&figure, "    L%s[\"<b>%s</b><br>%s\"]\n", l.number, l.title, strings.Join(built[l.number], " · "))
		if i > 0 {
			fmt.Fprintf(&figure, "    L%s --> L%s\n", l.number, tb.layers[i-1].number)
		}
		fmt.Fprintf(&rows, "| %s %s | `%s` | %s |\n", l.number, l.title, strings.Join(built[l.number], "`, `"), l.holds)
	}
	figure.WriteString("```\n")
	docregion.Hold(t, "docs/architecture.md", "figure of the layers", figure.String())
	docregion.Hold(t, "docs/architecture.md", "layers", rows.String())

	var places []string
	for _, l := range tb.layers {
		if list := reserved[l.number]; len(list) > 0 {
			places = append(places, fmt.Sprintf("`%s` in layer %s", strings.Join(list, "`, `"), l.number))
		}
	}
	docregion.Hold(t, "docs/architecture.md", "reserved", "\nWhat is not built yet has its place: "+strings.Join(places, "; ")+".\n")

	var singles strings.Builder
	singles.WriteString("\n| What | Only imported by | Why |\n|---|---|---|\n")
	for _, s := range tb.singles {
		what := "`" + strings.TrimPrefix(s.path, module+"/") + "`"
		if s.path == "environment" {
			what = "the process environment"
		}
		fmt.Fprintf(&singles, "| %s | `%s` | %s |\n", what, strings.Join(s.importers, "`, `"), s.why)
	}
	docregion.Hold(t, "docs/architecture.md", "single importers", singles.String())

	docregion.Hold(t, "README.md", "tools", builtTools())
	docregion.Hold(t, "README.md", "operations", builtOperations())
}

// members are the packages of each layer: those that there are, and those that only have a line.
func (tb table) members(t *testing.T) (built, reserved map[string][]string) {
	built, reserved = map[string][]string{}, map[string][]string{}
	for _, r := range tb.rules {
		name := strings.TrimSuffix(strings.TrimPrefix(r.path, "internal/"), "/...")
		if r.path == "." {
			name = "browserhive.go"
		}
		if slices.ContainsFunc(packages(t), func(p pkg) bool { return covers(r.path, p.path()) }) {
			built[r.layer] = append(built[r.layer], name)
		} else {
			reserved[r.layer] = append(reserved[r.layer], name)
		}
	}
	return built, reserved
}

// builtTools says which tools of the contract are built.
func builtTools() string {
	var planned []string
	for _, tool := range tools.Catalogue {
		if tool.Planned {
			planned = append(planned, tool.Name)
		}
	}
	all := len(tools.Catalogue)
	if len(planned) == 0 {
		return fmt.Sprintf("Built: all %d", all)
	}
	return fmt.Sprintf("Built: %d of %d. The others are declared: `tools/list` shows `%s`, too, and a call answers `TOOL_NOT_AVAILABLE`",
		all-len(planned), all, strings.Join(planned, "`, `"))
}

// builtOperations says which operations of the REST API are built: whole groups by the first word of their
// path, and others one by one.
func builtOperations() string {
	group := func(path string) string {
		word, _, _ := strings.Cut(strings.TrimPrefix(path, "/api/v1/"), "/")
		return "/api/v1/" + word
	}
	whole := map[string]bool{}
	built := 0
	for _, o := range api.Operations {
		if _, seen := whole[group(o.Path)]; !seen {
			whole[group(o.Path)] = true
		}
		if o.Planned {
			whole[group(o.Path)] = false
		} else {
			built++
		}
	}
	if built == len(api.Operations) {
		return fmt.Sprintf("Built: all %d operations", built)
	}
	var names []string
	for _, o := range api.Operations {
		name := "`" + o.Method + " " + o.Path + "`"
		if whole[group(o.Path)] {
			name = "all of `" + group(o.Path) + "`"
		}
		if !o.Planned && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return fmt.Sprintf("Built: %d of %d operations, which are %s. The others answer 501 when `admin` is on", built, len(api.Operations), strings.Join(names, ", "))
}
