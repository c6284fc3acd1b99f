package repotest

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// document decodes a published document.
func document[T any](t *testing.T, name string) T {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, "docs/reference", name))
	if err != nil {
		t.Fatal(err)
	}
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// constants are the values of the string constants of a generated file whose names begin with prefix, by
// what follows it.
func constants(t *testing.T, file, prefix string) map[string]string {
	t.Helper()
	out := map[string]string{}
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if name, found := strings.CutPrefix(spec.Names[0].Name, prefix); found {
			if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
				out[name], _ = strconv.Unquote(lit.Value)
			}
		}
		return true
	})
	if len(out) == 0 {
		t.Fatalf("%s has no constant %s…", file, prefix)
	}
	return out
}

// product reports whether a file is part of what runs.
func product(name string) bool {
	return !strings.HasSuffix(name, "_test.go") && !strings.Contains(name, "test/") &&
		!strings.HasPrefix(name, "tools/") && !strings.HasPrefix(name, "bench/") && !strings.HasPrefix(name, "gen/")
}

// selected calls f for each package.Name and value.Name of the files that want takes.
func selected(t *testing.T, want func(name string) bool, f func(file string, sel *ast.SelectorExpr)) {
	t.Helper()
	goFiles(t, func(name string, content []byte) {
		if !want(name) {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, content, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				f(name, sel)
			}
			return true
		})
	})
}

// configurations are how values of the type Config of gen/config are called in the product.
var configurations = regexp.MustCompile(`^(cfg|config|Config|c)$`)

// TestEveryKeyHasAReader asks that something in the product looks at each configuration key that is built:
// at the field of the configuration, or at what a rule makes of it.
func TestEveryKeyHasAReader(t *testing.T) {
	read := map[string]bool{}
	selected(t, product, func(file string, sel *ast.SelectorExpr) {
		holder := ""
		switch x := sel.X.(type) {
		case *ast.Ident:
			holder = x.Name
		case *ast.SelectorExpr:
			holder = x.Sel.Name
		}
		if configurations.MatchString(holder) {
			read[sel.Sel.Name] = true
		}
		// The file and the data directory are looked for before there is a configuration.
		if key, ok := strings.CutPrefix(sel.Sel.Name, "Key"); ok && file == "internal/settings/file.go" {
			read[key] = true
		}
	})
	rules, err := os.ReadFile(filepath.Join(root, "contracts/config/rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	// So does an argument whose default follows it.
	followed := map[string]bool{}
	follows := regexp.MustCompile(`Follows:\s*map\[string\]string\{[^}]*\}`)
	goFiles(t, func(name string, content []byte) {
		if strings.HasPrefix(name, "gen/tools/") {
			for _, m := range follows.FindAll(content, -1) {
				for _, key := range regexp.MustCompile(`: "(\w+)"`).FindAllSubmatch(m, -1) {
					followed[string(key[1])] = true
				}
			}
		}
	})
	planned := map[string]bool{}
	for name, property := range document[struct {
		Properties map[string]struct {
			Stage string `json:"x-stage"`
		}
	}](t, "config.schema.json").Properties {
		planned[name] = property.Stage == "planned"
	}
	for field, key := range constants(t, "gen/config/config.go", "Key") {
		// A rule that needs a key reads it: allowInsecureBind does nothing else than to satisfy one.
		needed := regexp.MustCompile(`need(_any)?: .*\{key: ` + key + `, `).Match(rules)
		if !planned[key] && !read[field] && !needed && !followed[key] {
			t.Errorf("nothing in the product reads %s: hand it to the part that needs it, or declare it planned", key)
		}
	}
}

// TestEveryCodeIsBornAndTested asks that each code of the contract is made somewhere in the product and
// occurs in a test. testdata/unborn.txt lists the codes that nothing makes yet; it only shrinks.
func TestEveryCodeIsBornAndTested(t *testing.T) {
	codes := constants(t, "gen/errcode/errcode.go", "Code")
	born := map[string]bool{}
	makes := func(name string) bool {
		// A generated constraint makes the error that its argument names.
		return product(name) || strings.HasPrefix(name, "gen/tools/") || strings.HasPrefix(name, "gen/api/")
	}
	goFiles(t, func(name string, content []byte) {
		if !makes(name) {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, content, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.CompositeLit); ok {
				if sel, ok := lit.Type.(*ast.SelectorExpr); ok {
					if x, ok := sel.X.(*ast.Ident); ok && x.Name == "errcode" {
						born[codes[sel.Sel.Name]] = true
					}
				}
			}
			return true
		})
	})
	tested := map[string]bool{}
	word := regexp.MustCompile(`errcode\.(?:Code)?([A-Z][A-Za-z0-9]*)|"([A-Z]+)"|\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b`)
	goFiles(t, func(name string, content []byte) {
		if strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "tools/") {
			for _, m := range word.FindAllStringSubmatch(string(content), -1) {
				tested[codes[m[1]]], tested[m[2]], tested[m[3]] = true, true, true
			}
		}
	})
	const list = "testdata/unborn.txt"
	raw, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	unborn := map[string]bool{}
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			unborn[line] = true
		}
	}
	known := slices.Collect(maps.Values(codes))
	for _, code := range slices.Sorted(slices.Values(known)) {
		switch {
		case born[code] && unborn[code]:
			t.Errorf("%s is made now; take it out of %s", code, list)
		case !born[code] && !unborn[code]:
			t.Errorf("nothing in the product makes %s", code)
		case born[code] && !tested[code]:
			t.Errorf("no test names %s", code)
		}
	}
	for code := range unborn {
		if !slices.Contains(known, code) {
			t.Errorf("%s lists %s, which the contract does not have", list, code)
		}
	}
}

// TestNoCountOfTheContractIsWritten finds tests that compare a length with the number of tools, codes,
// operations or keys that there are now, instead of with the table.
func TestNoCountOfTheContractIsWritten(t *testing.T) {
	counts := map[int]string{}
	tools := document[[]struct{ Stage string }](t, "tools.json")
	counts[len(tools)] = "tools"
	built := 0
	for _, x := range tools {
		if x.Stage == "" {
			built++
		}
	}
	counts[built] = "built tools"
	counts[len(constants(t, "gen/errcode/errcode.go", "Code"))] = "codes"
	counts[len(constants(t, "gen/config/config.go", "Key"))] = "configuration keys"
	operations := 0
	for _, item := range document[struct{ Paths map[string]map[string]any }](t, "openapi.json").Paths {
		operations += len(item)
	}
	counts[operations] = "operations"
	goFiles(t, func(name string, content []byte) {
		if !strings.HasSuffix(name, "_test.go") {
			return
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, content, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			cmp, ok := n.(*ast.BinaryExpr)
			if !ok || cmp.Op != token.EQL && cmp.Op != token.NEQ {
				return true
			}
			for _, pair := range [][2]ast.Expr{{cmp.X, cmp.Y}, {cmp.Y, cmp.X}} {
				lit, ok := pair[1].(*ast.BasicLit)
				if !ok || lit.Kind != token.INT || !measures(pair[0]) {
					continue
				}
				if n, err := strconv.Atoi(lit.Value); err == nil && counts[n] != "" {
					t.Errorf("%s: %d is the number of %s; compare with the table", set.Position(lit.Pos()), n, counts[n])
				}
			}
			return true
		})
	})
}

// measures reports whether an expression is a length or a count.
func measures(e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.CallExpr:
		f, ok := x.Fun.(*ast.Ident)
		return ok && f.Name == "len"
	case *ast.Ident:
		return x.Name == "n" || x.Name == "count" || strings.HasSuffix(x.Name, "Count") && unicode.IsLower(rune(x.Name[0]))
	}
	return false
}
