package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	// What emitted REST code imports once operations with parameters and nullable fields are built.
	_ "github.com/oapi-codegen/nullable"
	_ "github.com/oapi-codegen/runtime"

	"github.com/browserhive/browserhive/tools/contractgen/internal/emit"
	"github.com/browserhive/browserhive/tools/contractgen/internal/generate"
)

// TestOutputs compiles small contracts and compares the files that each case names. All Go that comes
// out is type-checked, whether a case names it or not.
func TestOutputs(t *testing.T) {
	all := cases(t, "ok")
	emitted := map[string]emit.Files{}
	for _, c := range all {
		files, faults, err := generate.Run(c.contract())
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, f := range faults {
			t.Errorf("%s: %s", c.name, f)
		}
		emitted[c.name] = files
	}
	check := newTypeChecker(t, slices.Collect(maps.Values(emitted)))
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			files := emitted[c.name]
			for i, f := range c.archive.Files {
				if strings.HasPrefix(f.Name, "contracts/") {
					continue
				}
				switch have, ok := files[f.Name]; {
				case !ok:
					t.Errorf("%s is not emitted", f.Name)
				case *update:
					c.archive.Files[i].Data = have
				case !bytes.Equal(have, f.Data):
					t.Errorf("%s differs; see go test ./tools/contractgen -update. Have\n%s", f.Name, have)
				}
			}
			if *update {
				c.save(t)
			}
			for _, err := range check.packages(files) {
				t.Error(err)
			}
		})
	}
}

// typeChecker checks emitted packages against each other and against compiled ones.
type typeChecker struct {
	set      *token.FileSet
	compiled types.Importer
}

// newTypeChecker asks the go command where the packages are that the emitted files import.
func newTypeChecker(t *testing.T, all []emit.Files) *typeChecker {
	t.Helper()
	c := &typeChecker{set: token.NewFileSet()}
	wanted := map[string]bool{}
	for _, files := range all {
		for name, src := range files {
			if path.Ext(name) != ".go" {
				continue
			}
			f, err := parser.ParseFile(c.set, name, src, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, spec := range f.Imports {
				if p := strings.Trim(spec.Path.Value, `"`); !strings.HasPrefix(p, generated) {
					wanted[p] = true
				}
			}
		}
	}
	args := append([]string{"list", "-export", "-deps", "-json=ImportPath,Export"}, slices.Sorted(maps.Keys(wanted))...)
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	raw, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	export := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(raw)); ; {
		var p struct{ ImportPath, Export string }
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		export[p.ImportPath] = p.Export
	}
	c.compiled = importer.ForCompiler(c.set, "gc", func(p string) (io.ReadCloser, error) {
		if export[p] == "" {
			return nil, fmt.Errorf("no compiled form of %s", p)
		}
		return os.Open(export[p])
	})
	return c
}

const generated = "github.com/browserhive/browserhive/gen/"

// packages type-checks the Go among files and returns what is wrong.
func (c *typeChecker) packages(files emit.Files) (errs []error) {
	parsed := map[string][]*ast.File{}
	for _, name := range files.Paths() {
		if path.Ext(name) != ".go" {
			continue
		}
		f, err := parser.ParseFile(c.set, name, files[name], parser.SkipObjectResolution)
		if err != nil {
			return []error{err}
		}
		dir := strings.TrimPrefix(path.Dir(name), "gen/")
		parsed[dir] = append(parsed[dir], f)
	}
	done := map[string]*types.Package{}
	var load func(dir string) (*types.Package, error)
	load = func(dir string) (*types.Package, error) {
		if p := done[dir]; p != nil {
			return p, nil
		}
		conf := types.Config{
			Importer: importerFunc(func(p string) (*types.Package, error) {
				if own, ok := strings.CutPrefix(p, generated); ok {
					return load(own)
				}
				return c.compiled.Import(p)
			}),
			Error: func(err error) { errs = append(errs, err) },
		}
		p, err := conf.Check(generated+dir, c.set, parsed[dir], nil)
		done[dir] = p
		return p, err
	}
	for dir := range parsed {
		_, _ = load(dir) // conf.Error has the errors
	}
	return errs
}

type importerFunc func(string) (*types.Package, error)

func (f importerFunc) Import(p string) (*types.Package, error) { return f(p) }
