// Package docstest reads the documents of the repository for tests, and holds them to the contract: what they
// tell a reader to type works, what they link to is there, and what they count is so many.
package docstest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Block is a fenced block of a document.
type Block struct {
	File     string // from the root of the repository
	Line     int    // of its fence
	Language string // the word after the fence, or ""
	// NotRun is why a reader's machine does not run it, from a comment before it: <!-- not run: … -->.
	NotRun string
	Text   string
}

var (
	fence  = regexp.MustCompile("^\\s*```(\\w*)")
	notRun = regexp.MustCompile(`^<!-- not run: (.+) -->$`)
)

// Read is a document of the repository, whose root is given.
func Read(t testing.TB, root, file string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// Guides are what a newcomer reads: the README and the guides.
func Guides(t testing.TB, root string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(root, "docs", "guide", "*.md"))
	if err != nil || len(list) == 0 {
		t.Fatalf("no guides: %v", err)
	}
	guides := []string{"README.md"}
	for _, path := range list {
		guides = append(guides, "docs/guide/"+filepath.Base(path))
	}
	return guides
}

// Blocks are the fenced blocks of a document, in order.
func Blocks(t testing.TB, root, file string) (list []Block) {
	t.Helper()
	var open *Block
	before := ""
	for n, line := range strings.Split(Read(t, root, file), "\n") {
		m := fence.FindStringSubmatch(line)
		switch {
		case open == nil && m != nil:
			open = &Block{File: file, Line: n + 1, Language: m[1]}
			if why := notRun.FindStringSubmatch(before); why != nil {
				open.NotRun = why[1]
			}
		case open != nil && m != nil:
			list = append(list, *open)
			open = nil
		case open != nil:
			open.Text += line + "\n"
		}
		if strings.TrimSpace(line) != "" {
			before = strings.TrimSpace(line)
		}
	}
	if open != nil {
		t.Fatalf("%s:%d: the block has no end", file, open.Line)
	}
	return list
}

// comment is what a shell leaves out of a line.
var comment = regexp.MustCompile(`(^|\s)#.*$`)

// Lines are the lines of a block of commands, without comments, and with those joined that a backslash parts.
func (b Block) Lines() (list []string) {
	joined := ""
	for line := range strings.Lines(b.Text) {
		line = strings.TrimRight(comment.ReplaceAllString(strings.TrimRight(line, "\n"), ""), " \t")
		if rest, more := strings.CutSuffix(line, `\`); more {
			joined += rest
			continue
		}
		if line = strings.TrimSpace(joined + line); line != "" {
			list = append(list, line)
		}
		joined = ""
	}
	return list
}

// choice is a word of a synopsis that stands for one of several.
var choice = regexp.MustCompile(`^\[?\w+(\|\w+)+\]?$`)

// Spelled are the command lines that a line of a synopsis stands for: one for each of a|b|c, without [flags].
func Spelled(line string) []string {
	at := strings.Fields(line)
	for i, word := range at {
		if !choice.MatchString(word) {
			continue
		}
		word = strings.Trim(word, "[]")
		var list []string
		for _, one := range strings.Split(word, "|") {
			list = append(list, Spelled(strings.Join(slices.Concat(at[:i], []string{one}, at[i+1:]), " "))...)
		}
		return list
	}
	var plain []string
	for _, word := range at {
		if bare := strings.Trim(word, "[]"); bare != "flags" && bare != "command" {
			plain = append(plain, bare)
		}
	}
	return []string{strings.Join(plain, " ")}
}
