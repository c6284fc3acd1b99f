package toolset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/tools/docregion"
)

// TestDocuments holds the figure of how a call flows to the list of the steps.
func TestDocuments(t *testing.T) {
	t.Parallel()
	var before, after []step
	for _, s := range steps {
		if s.after {
			after = append(after, s)
		} else {
			before = append(before, s)
		}
	}
	slices.Reverse(after)
	var b strings.Builder
	b.WriteString("\n```\nbytes\n  mcpapi      decodes the call, and knows who makes it, with which client\n")
	for _, s := range append(before, after...) {
		line := fmt.Sprintf("    %-10s%s", s.name, s.does)
		if len(s.codes) > 0 {
			var codes []string
			for _, c := range s.codes {
				codes = append(codes, string(c))
			}
			line = fmt.Sprintf("%-72s%s", line, strings.Join(codes, ", "))
		}
		b.WriteString(line + "\n")
	}
	b.WriteString("  mcpapi      renders the answer: content and structuredContent, or isError, \"[CODE] message\" and _meta\nbytes\n```\n")
	docregion.Hold(t, "docs/architecture.md", "steps", b.String())
}
