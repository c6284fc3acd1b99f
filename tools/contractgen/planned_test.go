package main

import (
	"os"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/tools/contractgen/internal/load"
	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

// TestPlanned lists what is declared and not built. The list only shrinks: whoever builds a thing runs
// the test with -update, and a reviewer sees what the change claims.
func TestPlanned(t *testing.T) {
	m, faults, err := load.Load(os.DirFS(root))
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	var b strings.Builder
	add := func(kind, name string, s model.Stage) {
		if s == model.Planned {
			b.WriteString(kind + " " + name + "\n")
		}
	}
	for _, x := range m.Tools {
		add("tool", x.Name, x.Stage)
	}
	for _, x := range m.Keys {
		add("key", x.Name, x.Stage)
	}
	for _, x := range m.Commands {
		add("command", x.Name, x.Stage)
		for _, f := range x.Flags {
			add("flag", x.Name+" --"+f.Name, f.Stage)
		}
	}
	for _, x := range m.Operations {
		add("operation", x.ID, x.Stage)
	}
	const golden = "testdata/planned.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != b.String() {
		t.Errorf("%s differs; run go test ./tools/contractgen -run TestPlanned -update and look at the difference. Have\n%s", golden, b.String())
	}
}
