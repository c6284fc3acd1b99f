package repotest

import (
	"bytes"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// header is the line that says a file is generated.
var header = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// generated reports whether a file says so before its package clause, as tools look for it.
func generated(content []byte) bool {
	before, _, _ := bytes.Cut(content, []byte("\npackage "))
	return header.Match(before)
}

func TestGeneratedFilesAreInGen(t *testing.T) {
	goFiles(t, func(name string, content []byte) {
		switch inGen := strings.HasPrefix(name, "gen/"); {
		case inGen && !generated(content):
			t.Errorf("%s stands in gen/ and has no line 'Code generated … DO NOT EDIT.'", name)
		case !inGen && generated(content):
			t.Errorf("%s is generated and stands outside gen/", name)
		}
	})
}

// maxLines is how long a file that people write may be.
const maxLines = 500

// long files are excused from maxLines, each with its reason.
var long = map[string]string{}

func TestFilesAreShort(t *testing.T) {
	seen := map[string]bool{}
	goFiles(t, func(name string, content []byte) {
		if generated(content) {
			return
		}
		lines := bytes.Count(content, []byte("\n"))
		if lines > maxLines && long[name] == "" {
			t.Errorf("%s has %d lines, want %d at most", name, lines, maxLines)
		}
		seen[name] = lines > maxLines
	})
	for name := range long {
		if !seen[name] {
			t.Errorf("%s is excused and need not be", name)
		}
	}
}

// vague names say where code was put, not what it is.
var vague = regexp.MustCompile(`^(utils?|common|helpers?|misc|base|shared)$`)

func TestNamesSayWhatThingsAre(t *testing.T) {
	goFiles(t, func(name string, _ []byte) {
		parts := strings.Split(strings.TrimSuffix(strings.TrimSuffix(name, ".go"), "_test"), "/")
		for _, p := range parts {
			if vague.MatchString(p) {
				t.Errorf("%s: %q says nothing of what is inside", name, p)
			}
		}
	})
}

// TestPackageComments asks for one comment per package, in the file where a reader looks for it.
func TestPackageComments(t *testing.T) {
	set := token.NewFileSet()
	for _, p := range packages(t) {
		if strings.HasPrefix(p.path(), "gen/ent") {
			continue // ent writes none, and has no place for one.
		}
		var commented []string
		for _, name := range p.sources() {
			file, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.PackageClauseOnly)
			if err != nil {
				t.Fatal(err)
			}
			text := file.Doc.Text()
			if text == "" {
				continue
			}
			commented = append(commented, filepath.Base(name))
			start := "Package " + p.Name + " "
			if p.Name == "main" {
				start = "Command " + path.Base(p.ImportPath) + " "
			}
			if !strings.HasPrefix(text, start) {
				t.Errorf("%s: the comment begins with %q, want %q", name, strings.SplitN(text, "\n", 2)[0], start+"…")
			}
		}
		switch {
		case len(p.sources()) == 0:
		case len(commented) != 1:
			t.Errorf("%s has %d package comments %v, want one", p.path(), len(commented), commented)
		case !strings.HasPrefix(p.path(), "gen/") && !slices.Contains([]string{p.Name + ".go", "main.go", "doc.go", "embed.go"}, commented[0]):
			t.Errorf("%s: the package comment stands in %s, want %s.go or doc.go", p.path(), commented[0], p.Name)
		}
	}
}
