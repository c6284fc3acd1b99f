package repotest

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// root is the repository.
const root = "../.."

const module = "github.com/browserhive/browserhive"

// pkg is a package of this module as the go command sees it.
type pkg struct {
	Dir, ImportPath, Name                              string
	Imports                                            []string
	GoFiles, IgnoredGoFiles, TestGoFiles, XTestGoFiles []string
}

// path is the import path inside the module, "." for its root.
func (p pkg) path() string {
	if p.ImportPath == module {
		return "."
	}
	return strings.TrimPrefix(p.ImportPath, module+"/")
}

// sources are the files of the package on every platform, tests apart.
func (p pkg) sources() []string {
	var out []string
	for _, f := range append(append([]string{}, p.GoFiles...), p.IgnoredGoFiles...) {
		if !strings.HasSuffix(f, "_test.go") {
			out = append(out, filepath.Join(p.Dir, f))
		}
	}
	return out
}

var listOnce = sync.OnceValues(func() ([]pkg, error) {
	cmd := exec.Command("go", "list", "-e", "-json=Dir,ImportPath,Name,Imports,GoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles", "./...")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	raw, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var out []pkg
	for d := json.NewDecoder(strings.NewReader(string(raw))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
})

// packages lists the packages of this module.
func packages(t *testing.T) []pkg {
	t.Helper()
	list, err := listOnce()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatal("the module has no packages")
	}
	return list
}

// goFiles calls f with every Go file of the repository, by its path from the root.
func goFiles(t *testing.T, f func(name string, content []byte)) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "node_modules" || name == "bin" || len(name) > 2 && strings.HasPrefix(name, ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(p) != ".go" {
			return nil
		}
		content, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		n++
		f(filepath.ToSlash(rel), content)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		t.Fatal("there are no Go files")
	}
}
