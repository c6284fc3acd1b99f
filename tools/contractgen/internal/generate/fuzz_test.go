package generate_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/browserhive/browserhive/tools/contractgen/internal/check"
	"github.com/browserhive/browserhive/tools/contractgen/internal/emit"
	"github.com/browserhive/browserhive/tools/contractgen/internal/load"
)

// places has one file of every kind.
var places = []string{
	"contracts/types/a.yaml", "contracts/errors/a.yaml", "contracts/tools/a.yaml", "contracts/tools/catalogue.yaml",
	"contracts/config/a.yaml", "contracts/config/rules.yaml", "contracts/config/reserved.yaml", "contracts/cli/a.yaml",
	"contracts/http/a.yaml", "contracts/http/scopes.yaml", "contracts/ws/a.yaml",
}

// FuzzLoad reads bytes as a contract file of each kind. Whatever they are, loading and checking end, every
// fault points into the file, and what has no fault can be emitted.
func FuzzLoad(f *testing.F) {
	seed := func(p string, raw []byte) {
		for i, place := range places {
			if path.Dir(place) == path.Dir(p) && (path.Base(place) == "a.yaml" || path.Base(place) == path.Base(p)) {
				f.Add(uint8(i), raw)
			}
		}
	}
	repository := os.DirFS("../../../..")
	err := fs.WalkDir(repository, load.Dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(p) != ".yaml" {
			return err
		}
		raw, err := fs.ReadFile(repository, p)
		seed(p, raw)
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	small, err := filepath.Glob("../../testdata/*/*.txtar")
	if err != nil || len(small) == 0 {
		f.Fatalf("no test data (%v)", err)
	}
	for _, name := range small {
		a, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			seed(file.Name, file.Data)
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, raw []byte) {
		place := places[int(kind)%len(places)]
		m, faults, err := load.Load(fstest.MapFS{place: {Data: raw}})
		if err != nil {
			t.Fatal(err)
		}
		if m != nil {
			faults = append(faults, check.Check(m)...)
		}
		if m != nil && len(faults) == 0 {
			if _, err := emit.All(m); err != nil {
				t.Error(err)
			}
		}
		lines := strings.Split(string(raw), "\n")
		for _, fault := range faults {
			p := fault.Pos
			if p.File != place || p.Line < 1 || p.Line > len(lines) || p.Column < 1 || p.Column > len([]rune(lines[p.Line-1]))+1 {
				t.Errorf("%s points outside the file", fault)
			}
		}
	})
}
