package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/tools/contractgen/internal/generate"
)

// want is the member of a bad case that holds the messages.
const want = "want"

// TestFaults compiles contracts that are wrong in one way each and compares every message.
func TestFaults(t *testing.T) {
	for _, c := range cases(t, "bad") {
		t.Run(c.name, func(t *testing.T) {
			files, faults, err := generate.Run(c.contract())
			if err != nil {
				t.Fatal(err)
			}
			if files != nil {
				t.Error("files were emitted")
			}
			got := ""
			for _, f := range faults {
				got += f.String() + "\n"
			}
			if got == "" {
				t.Fatal("the compiler finds no fault")
			}
			for i, f := range c.archive.Files {
				if f.Name == want && *update {
					c.archive.Files[i].Data = []byte(got)
					c.save(t)
				} else if f.Name == want && string(f.Data) != got {
					t.Errorf("have\n%swant\n%s", got, f.Data)
				}
			}
		})
	}
}

// TestEveryRuleHasACase reads the messages out of the sources of the rules and asks that each be said in
// some case under testdata/bad.
func TestEveryRuleHasACase(t *testing.T) {
	said := ""
	for _, c := range cases(t, "bad") {
		for _, f := range c.archive.Files {
			if f.Name == want {
				said += string(f.Data)
			}
		}
	}
	for _, rule := range rules(t, "internal/load", "internal/check") {
		if !unreachable[rule.format] && !rule.pattern.MatchString(said) {
			t.Errorf("%s: no case under testdata/bad says %q", rule.pos, rule.format)
		}
	}
}

// unreachable messages stand behind the grammar: they are said only if it has a hole.
var unreachable = map[string]bool{
	"cannot be read: %s":                           true,
	"%s: cannot be read: %s":                       true,
	"%s: does not follow contracts/README.md (%T)": true,
}

type rule struct {
	pos     token.Position
	format  string
	pattern *regexp.Regexp
}

// rules finds the message formats: the text arguments of calls to fault and its kin.
func rules(t *testing.T, dirs ...string) []rule {
	t.Helper()
	var out []rule
	set := token.NewFileSet()
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			file, err := parser.ParseFile(set, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || !strings.HasPrefix(called(call), "fault") {
					return true
				}
				for _, arg := range call.Args {
					lit, ok := arg.(*ast.BasicLit)
					if !ok || lit.Kind != token.STRING {
						continue
					}
					format, err := strconv.Unquote(lit.Value)
					if err != nil {
						t.Fatal(err)
					}
					out = append(out, rule{set.Position(lit.Pos()), format, messagePattern(format)})
					break
				}
				return true
			})
		}
	}
	if len(out) < 50 {
		t.Fatalf("found %d rules; are they still written as fault(position, text)?", len(out))
	}
	return out
}

// called is the name of the function or method of a call.
func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

var verb = regexp.MustCompile(`%[a-zA-Z]`)

// messagePattern matches the messages that a format makes.
func messagePattern(format string) *regexp.Regexp {
	return regexp.MustCompile(`(?m): ` + verb.ReplaceAllString(regexp.QuoteMeta(format), `.*`) + `$`)
}

// TestFaultsOfAllKindsTogether holds the compiler to naming everything that is wrong at once.
func TestFaultsOfAllKindsTogether(t *testing.T) {
	for _, c := range cases(t, "bad") {
		if strings.HasPrefix(c.name, "several_") {
			files := map[string]bool{}
			_, faults, err := generate.Run(c.contract())
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range faults {
				files[f.Pos.File] = true
			}
			if len(files) < 3 {
				t.Errorf("%s: faults in %d files, want 3 or more", c.name, len(files))
			}
		}
	}
}

// inside reports whether a position stands in a file of the contract.
func inside(contract fs.FS, file string, line, column int) bool {
	raw, err := fs.ReadFile(contract, file)
	if err != nil {
		return false
	}
	lines := strings.Split(string(raw), "\n")
	return line >= 1 && line <= len(lines) && column >= 1 && column <= len([]rune(lines[line-1]))+1
}

// TestFaultsPointIntoTheFile asks that every position can be opened in an editor.
func TestFaultsPointIntoTheFile(t *testing.T) {
	for _, c := range cases(t, "bad") {
		contract := c.contract()
		_, faults, err := generate.Run(contract)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range faults {
			if !inside(contract, f.Pos.File, f.Pos.Line, f.Pos.Column) {
				t.Errorf("%s: %s points outside the file", c.name, f)
			}
		}
	}
}
