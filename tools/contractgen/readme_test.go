package main

import (
	"os"
	"regexp"
	"testing"
	"testing/fstest"

	"github.com/browserhive/browserhive/tools/contractgen/internal/load"
)

// example is the first block of YAML under the heading of a family.
var example = regexp.MustCompile("(?s)\n## (types|errors|tools|config|cli|http)/\n.*?```yaml\n(.*?)```")

// TestExamplesOfTheManualFollowTheGrammar reads the worked example of each family in contracts/README.md.
func TestExamplesOfTheManualFollowTheGrammar(t *testing.T) {
	manual, err := os.ReadFile(root + "/contracts/README.md")
	if err != nil {
		t.Fatal(err)
	}
	found := example.FindAllSubmatch(manual, -1)
	if len(found) != 6 {
		t.Errorf("found %d examples, want one of each family", len(found))
	}
	for _, m := range found {
		place := "contracts/" + string(m[1]) + "/example.yaml"
		model, faults, err := load.Load(fstest.MapFS{place: {Data: m[2]}})
		if err != nil {
			t.Fatal(err)
		}
		if model == nil { // otherwise the faults are about names that the example does not declare
			for _, f := range faults {
				t.Error(f)
			}
		}
	}
}
