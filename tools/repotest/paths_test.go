package repotest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// goPath is a Go file as a document names it: from the root or below internal/, with * for any characters.
var goPath = regexp.MustCompile("`([a-z_*/]+\\.go)`")

func TestDocumentsNameFilesThatExist(t *testing.T) {
	const document = root + "/docs/architecture.md"
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	found := goPath.FindAllStringSubmatch(string(text), -1)
	if len(found) < 10 {
		t.Fatalf("%s names %d files, and should name more", document, len(found))
	}
	for _, m := range found {
		here, _ := filepath.Glob(filepath.Join(root, m[1]))
		below, _ := filepath.Glob(filepath.Join(root, "internal", m[1]))
		if len(here)+len(below) == 0 {
			t.Errorf("%s names %s, which does not exist", document, m[1])
		}
	}
}
