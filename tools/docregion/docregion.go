// Package docregion holds the parts of documents that follow from the code. Such a part stands between two
// comments, <!-- name --> and <!-- /name -->, and belongs to a test called TestDocuments in the package that
// knows what it has to say; `make generate` runs these tests so that they write it.
package docregion

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var write = flag.Bool("write-docs", false, "write the parts of documents that follow from the code")

// Hold fails unless the region of a document says what it has to. The document is named by its path from the
// root of the repository.
func Hold(t *testing.T, document, region, want string) {
	t.Helper()
	path := filepath.Join(root(t), filepath.FromSlash(document))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	from, to := []byte("<!-- "+region+" -->"), []byte("<!-- /"+region+" -->")
	before, rest, found := bytes.Cut(text, from)
	have, after, ended := bytes.Cut(rest, to)
	switch {
	case !found || !ended:
		t.Fatalf("%s has no region %s…%s", document, from, to)
	case string(have) == want:
	case *write:
		text = bytes.Join([][]byte{before, from, []byte(want), to, after}, nil)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Logf("wrote %s of %s", region, document)
	default:
		t.Errorf("the region %s of %s is not what the code says; run make generate. Have%s\nwant%s", region, document, have, want)
	}
}

// root is the directory of the module.
func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no directory above has a go.mod")
		}
		dir = up
	}
}
