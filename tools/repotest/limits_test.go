package repotest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"
	"testing"
)

// fixed limits are excused from following the host, each with its reason.
var fixed = map[string]string{
	"internal/browser/browsertest installTimeout": "the network makes it long, not the host",
}

// TestLimitsFollowTheHost finds limits of tests that are a number of seconds: what is ample on one host is not on
// another. internal/hosttest makes them of the same number. Tests on synthetic time have no host.
func TestLimitsFollowTheHost(t *testing.T) {
	seen := map[string]bool{}
	goFiles(t, func(name string, content []byte) {
		test := strings.HasSuffix(name, "_test.go") || strings.HasSuffix(path.Dir(name), "test")
		if !test || strings.HasPrefix(name, "internal/hosttest/") || strings.Contains(string(content), `"testing/synctest"`) {
			return
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, content, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range fixedLimits(file) {
			key := path.Dir(name) + " " + found.name
			if fixed[key] == "" {
				t.Errorf("%s: a limit in seconds holds on one host; make it of hosttest.Limit", set.Position(found.at))
			}
			seen[key] = true
		}
	})
	for key := range fixed {
		if !seen[key] {
			t.Errorf("%s is excused and is not there", key)
		}
	}
}

// limit is a limit that a file has, by its name if it has one.
type limit struct {
	name string
	at   token.Pos
}

// fixedLimits are the limits of a file that are a number of seconds or minutes: a constant or variable, what a
// context or a timer is given, and what a duration is compared with.
func fixedLimits(file *ast.File) (list []limit) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, v := range n.Values {
				if seconds(v) {
					list = append(list, limit{n.Names[i].Name, v.Pos()})
				}
			}
		case *ast.CallExpr:
			f, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || len(n.Args) == 0 {
				return true
			}
			x, _ := f.X.(*ast.Ident)
			last := n.Args[len(n.Args)-1]
			switch {
			case x == nil || !seconds(last):
			case x.Name == "context" && f.Sel.Name == "WithTimeout", x.Name == "time" && (f.Sel.Name == "After" || f.Sel.Name == "NewTimer"):
				list = append(list, limit{"", last.Pos()})
			}
		case *ast.BinaryExpr:
			for _, side := range []ast.Expr{n.X, n.Y} {
				if (n.Op == token.GTR || n.Op == token.LSS || n.Op == token.GEQ || n.Op == token.LEQ) && seconds(side) {
					list = append(list, limit{"", side.Pos()})
				}
			}
		}
		return true
	})
	return list
}

// seconds reports whether an expression is time.Second, time.Minute, or a number of them.
func seconds(e ast.Expr) bool {
	if product, ok := e.(*ast.BinaryExpr); ok && product.Op == token.MUL {
		_, left := product.X.(*ast.BasicLit)
		_, right := product.Y.(*ast.BasicLit)
		return left && seconds(product.Y) || right && seconds(product.X)
	}
	unit, ok := e.(*ast.SelectorExpr)
	if !ok || unit.Sel.Name != "Second" && unit.Sel.Name != "Minute" {
		return false
	}
	x, ok := unit.X.(*ast.Ident)
	return ok && x.Name == "time"
}

func TestFixedLimitsAreSeen(t *testing.T) {
	for source, want := range map[string]int{
		"const patience = 30 * time.Second": 1, "var w = time.Minute": 1, "var w = hosttest.Limit(time.Minute)": 0, "const tick = 20 * time.Millisecond": 0,
		"func f() { ctx, _ := context.WithTimeout(c, time.Second*5); g(ctx) }": 1, "func f() { <-time.After(30 * time.Second) }": 1,
		"func f() bool { return took > 5*time.Second }": 1, "func f() bool { return took > hosttest.Limit(5*time.Second) }": 0,
		"func f() { at.Add(2 * time.Second) }": 0,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(fixedLimits(file)); got != want {
			t.Errorf("%s has %d fixed limits, not %d", source, got, want)
		}
	}
}
