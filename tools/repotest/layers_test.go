package repotest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
)

// rule is a line of layers.txt about a package.
type rule struct {
	layer, path string
	allowed     []string
}

// single is a line of layers.txt about what few packages import.
type single struct {
	path      string
	importers []string
	why       string
}

// layer is a line of layers.txt about all packages of a layer.
type layer struct{ number, title, holds string }

type table struct {
	layers  []layer
	rules   []rule
	singles []single
}

const tableFile = "layers.txt"

func readTable(t *testing.T) table {
	t.Helper()
	raw, err := os.ReadFile(tableFile)
	if err != nil {
		t.Fatal(err)
	}
	var out table
	for i, line := range strings.Split(string(raw), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.SplitN(line, ":", 3)
		head := strings.Fields(parts[0])
		if len(parts) != 3 || len(head) != 2 || strings.TrimSpace(parts[2]) == "" {
			t.Fatalf("%s:%d: want 'layer package: allowed: why', have %q", tableFile, i+1, line)
		}
		list, last := strings.Fields(parts[1]), strings.TrimSpace(parts[2])
		switch head[0] {
		case "layer":
			out.layers = append(out.layers, layer{head[1], strings.TrimSpace(parts[1]), last})
		case "only":
			out.singles = append(out.singles, single{head[1], list, last})
		default:
			out.rules = append(out.rules, rule{head[0], head[1], list})
		}
	}
	return out
}

// covers reports whether a pattern of the table stands for a package.
func covers(pattern, path string) bool {
	if below, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == below || strings.HasPrefix(path, below+"/")
	}
	return pattern == path
}

// of returns the rule of a package.
func (tb table) of(path string) (rule, bool) {
	for _, r := range tb.rules {
		if covers(r.path, path) {
			return r, true
		}
	}
	return rule{}, false
}

// allows reports whether the rule lets its package import another of this module.
func (r rule) allows(other rule, path string) bool {
	ok := false
	for _, a := range r.allowed {
		switch exception, found := strings.CutPrefix(a, "!"); {
		case found && covers(exception, path):
			return false
		case found:
		case a == other.layer || covers(a, path):
			ok = true
		}
	}
	return ok
}

func TestLayers(t *testing.T) {
	tb := readTable(t)
	for _, p := range packages(t) {
		r, ok := tb.of(p.path())
		if !ok {
			t.Errorf("%s has no line in %s; say which layer it is in and what it may import", p.path(), tableFile)
			continue
		}
		for _, imp := range p.Imports {
			if imp != module && !strings.HasPrefix(imp, module+"/") {
				continue
			}
			path := pkg{ImportPath: imp}.path()
			other, ok := tb.of(path)
			switch {
			case !ok: // said when its turn comes
			case other.layer == "test" && r.layer != "test":
				t.Errorf("%s imports %s, which is for tests alone", p.path(), path)
			case !r.allows(other, path):
				t.Errorf("%s imports %s; %s allows it %q", p.path(), path, tableFile, r.allowed)
			}
		}
	}
}

// TestLayersPointDown holds the table itself to its order: a package is never allowed a higher layer.
func TestLayersPointDown(t *testing.T) {
	tb := readTable(t)
	for _, r := range tb.rules {
		if r.layer < "0" || r.layer > "9" {
			continue
		}
		for _, a := range r.allowed {
			layer := a
			if other, ok := tb.of(strings.TrimSuffix(a, "/...")); ok {
				layer = other.layer
			}
			if layer > r.layer && layer <= "9" {
				t.Errorf("%s: %s of layer %s may import %s of layer %s", tableFile, r.path, r.layer, a, layer)
			}
		}
	}
}

func TestSingleImporters(t *testing.T) {
	tb := readTable(t)
	for _, s := range tb.singles {
		if s.path == "environment" {
			continue
		}
		for _, p := range packages(t) {
			for _, imp := range p.Imports {
				if (imp == s.path || strings.HasPrefix(imp, s.path+"/")) && !s.allows(p.path()) {
					t.Errorf("%s imports %s; only %s may", p.path(), imp, strings.Join(s.importers, ", "))
				}
			}
		}
	}
}

// TestLayersAreDescribed asks for one line about each layer, in their order.
func TestLayersAreDescribed(t *testing.T) {
	tb := readTable(t)
	var have, want []string
	for _, l := range tb.layers {
		have = append(have, l.number)
	}
	for _, r := range tb.rules {
		if r.layer >= "0" && r.layer <= "9" && !slices.Contains(want, r.layer) {
			want = append(want, r.layer)
		}
	}
	if !slices.Equal(have, want) {
		t.Errorf("%s describes the layers %q, and has packages in %q", tableFile, have, want)
	}
}

func (s single) allows(path string) bool {
	return slices.ContainsFunc(s.importers, func(i string) bool { return covers(i+"/...", path) && i != "." || i == path })
}

// TestEnvironmentIsReadInOnePlace finds the uses of the functions that read it.
func TestEnvironmentIsReadInOnePlace(t *testing.T) {
	var rule single
	for _, s := range readTable(t).singles {
		if s.path == "environment" {
			rule = s
		}
	}
	readers := []string{"Getenv", "LookupEnv", "Environ", "ExpandEnv"}
	set := token.NewFileSet()
	for _, p := range packages(t) {
		if rule.allows(p.path()) || strings.HasPrefix(p.path(), "tools/") {
			continue
		}
		for _, name := range p.sources() {
			file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "os" && slices.Contains(readers, sel.Sel.Name) {
					t.Errorf("%s: os.%s; only %s may read the environment", set.Position(sel.Pos()), sel.Sel.Name, strings.Join(rule.importers, ", "))
				}
				return true
			})
		}
	}
}
