package main

import (
	"bytes"
	"encoding/json"
	"os"
	"sync"
	"testing"

	"github.com/browserhive/browserhive/tools/contractgen/internal/emit"
	"github.com/browserhive/browserhive/tools/contractgen/internal/generate"
	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
	"github.com/browserhive/browserhive/tools/contractgen/internal/write"
)

type compiled struct {
	files  emit.Files
	faults []model.Fault
}

var compileOnce = sync.OnceValues(func() (compiled, error) {
	files, faults, err := generate.Run(os.DirFS(root))
	return compiled{files, faults}, err
})

// compile returns what the compiler makes of the contract of this repository.
func compile(t *testing.T) emit.Files {
	t.Helper()
	c, err := compileOnce()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range c.faults {
		t.Error(f)
	}
	if len(c.faults) > 0 {
		t.FailNow()
	}
	return c.files
}

// document decodes an emitted JSON document.
func document[T any](t *testing.T, name string) T {
	t.Helper()
	raw, ok := compile(t)["docs/reference/"+name]
	if !ok {
		t.Fatalf("docs/reference/%s is not emitted", name)
	}
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

// TestNothingIsStale compares the generated files on disk with what the contract says now.
func TestNothingIsStale(t *testing.T) {
	diffs, err := write.Compare(root, compile(t), emit.Owned, emit.Kept)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range diffs {
		t.Errorf("%s: %s", d.Path, d.Why)
	}
	if len(diffs) > 0 {
		t.Errorf("%d generated files are stale; run %s", len(diffs), generate.Command)
	}
}

// TestRunsAreEqual holds the compiler to the same bytes for the same contract.
func TestRunsAreEqual(t *testing.T) {
	first := compile(t)
	second, _, err := generate.Run(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	if len(first) != len(second) {
		t.Errorf("%d files, then %d", len(first), len(second))
	}
	for name, b := range first {
		if !bytes.Equal(b, second[name]) {
			t.Errorf("%s differs between two runs", name)
		}
	}
}

// TestStaleFilesAreNamed covers the three ways in which a directory can be stale, and its repair.
func TestStaleFilesAreNamed(t *testing.T) {
	dir := t.TempDir()
	files := map[string][]byte{"gen/types/types.go": []byte("new"), "gen/ws/ws.go": []byte("new")}
	old := map[string][]byte{"gen/types/types.go": []byte("old"), "gen/types/gone.go": []byte("old")}
	if err := write.Apply(dir, old, []write.Diff{{Path: "gen/types/types.go"}, {Path: "gen/types/gone.go"}}); err != nil {
		t.Fatal(err)
	}
	diffs, err := write.Compare(dir, files, emit.Owned, emit.Kept)
	if err != nil {
		t.Fatal(err)
	}
	want := []write.Diff{{Path: "gen/types/gone.go", Why: "left over"}, {Path: "gen/types/types.go", Why: "differs"}, {Path: "gen/ws/ws.go", Why: "missing"}}
	if len(diffs) != len(want) {
		t.Fatalf("have %v, want %v", diffs, want)
	}
	for i := range want {
		if diffs[i] != want[i] {
			t.Errorf("have %v, want %v", diffs[i], want[i])
		}
	}
	if err := write.Apply(dir, files, diffs); err != nil {
		t.Fatal(err)
	}
	if diffs, err = write.Compare(dir, files, emit.Owned, emit.Kept); err != nil || len(diffs) > 0 {
		t.Errorf("after writing: %v %v", diffs, err)
	}
}
