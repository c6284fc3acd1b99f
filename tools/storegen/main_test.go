package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	atlas "ariga.io/atlas/sql/migrate"
)

// What is committed is what the schema compiles to.
func TestClientIsUpToDate(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	fresh := t.TempDir()
	schemas, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if err := schemas.generate(fresh); err != nil {
		t.Fatal(err)
	}
	want, got := tree(t, fresh), tree(t, clientDir)
	for name, content := range want {
		if !bytes.Equal(content, got[name]) {
			t.Errorf("%s differs; run go run ./tools/storegen", filepath.Join(clientDir, name))
		}
	}
	for name := range got {
		if want[name] == nil {
			t.Errorf("%s is not generated any more", filepath.Join(clientDir, name))
		}
	}
}

func tree(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[p], err = fs.ReadFile(os.DirFS(dir), p)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The migrations together make the schema, and none was changed after it was written.
func TestMigrationsMakeTheSchema(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(migrationDir)); err != nil {
		t.Fatal(err)
	}
	files, err := atlas.NewLocalDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := atlas.Validate(files); err != nil {
		t.Fatal(err)
	}
	schemas, err := load()
	if err != nil {
		t.Fatal(err)
	}
	tables, err := schemas.tables()
	if err != nil {
		t.Fatal(err)
	}
	before := len(tree(t, dir))
	if err := plan(t.Context(), dir, "missing", tables); err != nil {
		t.Fatal(err)
	}
	if len(tree(t, dir)) != before {
		t.Error("the schema has changed; run go run ./tools/storegen -migration <name>")
	}
}
