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
	var b strings.Builder
	b.WriteString("\n")
	for i, p := range overHTTP {
		fmt.Fprintf(&b, "%d. **%s** %s", i+1, p.Name, p.does)
		switch {
		case i >= len(overStdio):
			b.WriteString(" (over HTTP alone)")
		case p.Name != overStdio[i].Name:
			fmt.Fprintf(&b, ", or over stdio **%s** %s", overStdio[i].Name, overStdio[i].does)
		}
		b.WriteString("\n")
	}
	docregion.Hold(t, "docs/architecture.md", "parts", b.String())
}
