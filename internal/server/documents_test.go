package server

import (
	"fmt"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/tools/docregion"
)

// TestDocuments holds the list of what a server starts to the list that it starts.
func TestDocuments(t *testing.T) {
	t.Parallel()
	overHTTP := (&Server{cfg: config.Config{Transport: config.TransportHTTP}}).parts()
	overStdio := (&Server{cfg: config.Config{Transport: config.TransportStdio}}).parts()
	last := len(overHTTP) - 1
	var b strings.Builder
	b.WriteString("\n")
	for i, p := range overHTTP[:last] {
		if p.Name != overStdio[i].Name {
			t.Errorf("part %d is %s over HTTP and %s over stdio", i, p.Name, overStdio[i].Name)
		}
		fmt.Fprintf(&b, "%d. **%s** %s\n", i+1, p.Name, p.does)
	}
	fmt.Fprintf(&b, "%d. **%s** %s, or **%s** %s\n", last+1, overHTTP[last].Name, overHTTP[last].does, overStdio[last].Name, overStdio[last].does)
	docregion.Hold(t, "docs/architecture.md", "parts", b.String())
}
