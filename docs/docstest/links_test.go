package docstest

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6}\s+(.+?)\s*$`)
	anchor  = regexp.MustCompile(`<a (?:id|name)="([^"]+)"`)
	linked  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// slug is the anchor that a forge makes of a heading.
func slug(text string) string {
	text = linked.ReplaceAllString(text, "$1")
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			b.WriteRune(r)
		case r == ' ':
			b.WriteByte('-')
		}
	}
	return b.String()
}

// anchors are the places of a page that a link can lead to.
func anchors(text string) map[string]bool {
	list := map[string]bool{}
	text = fenced.ReplaceAllString(text, "")
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		list[slug(m[1])] = true
	}
	for _, m := range anchor.FindAllStringSubmatch(text, -1) {
		list[m[1]] = true
	}
	return list
}

// Every link inside the repository leads to a file, and every anchor to a place in it.
func TestLinksResolve(t *testing.T) {
	t.Parallel()
	files := documents(t)
	reference, err := filepath.Glob(filepath.Join(root, "docs", "reference", "*.md"))
	if err != nil || len(reference) == 0 {
		t.Fatalf("no reference: %v", err)
	}
	for _, name := range reference {
		files = append(files, "docs/reference/"+filepath.Base(name))
	}
	places := map[string]map[string]bool{}
	checked := 0
	for _, file := range files {
		for _, m := range link.FindAllStringSubmatch(fenced.ReplaceAllString(Read(t, root, file), ""), -1) {
			target := m[1]
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			checked++
			name, at, hasAnchor := strings.Cut(target, "#")
			to := file
			if name != "" {
				to = path.Join(path.Dir(file), name)
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(to))); err != nil {
				t.Errorf("%s: %s leads to no file", file, target)
				continue
			}
			if !hasAnchor || path.Ext(to) != ".md" {
				continue
			}
			if places[to] == nil {
				places[to] = anchors(Read(t, root, to))
			}
			if !places[to][at] {
				t.Errorf("%s: %s leads to no place in %s", file, target, to)
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d links are found", checked)
	}
}

func TestSlug(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"What `init` does": "what-init-does", "Host and Origin": "host-and-origin", "Who's there? (all)": "whos-there-all", "See [the page](x.md)": "see-the-page",
	} {
		if got := slug(text); got != want {
			t.Errorf("%s: %s, not %s", text, got, want)
		}
	}
}
