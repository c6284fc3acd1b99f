package main

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"
)

// update rewrites what the test data expects.
var update = flag.Bool("update", false, "rewrite the expectations under testdata")

// root is the repository.
const root = "../.."

// testCase is one file of test data: a small contract and what the compiler makes of it.
type testCase struct {
	name    string
	file    string
	archive *txtar.Archive
}

func cases(t *testing.T, dir string) []testCase {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no test data in %s (%v)", dir, err)
	}
	var out []testCase
	for _, f := range files {
		a, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, testCase{strings.TrimSuffix(filepath.Base(f), ".txtar"), f, a})
	}
	return out
}

// contract is the part of the case that the compiler reads.
func (c testCase) contract() fs.FS {
	out := fstest.MapFS{"contracts": {Mode: fs.ModeDir}}
	for _, f := range c.archive.Files {
		if strings.HasPrefix(f.Name, "contracts/") {
			out[f.Name] = &fstest.MapFile{Data: f.Data}
		}
	}
	return out
}

func (c testCase) save(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(c.file, txtar.Format(c.archive), 0o644); err != nil {
		t.Fatal(err)
	}
}
