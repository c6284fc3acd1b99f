package settings

import (
	"slices"
	"strings"

	"github.com/browserhive/browserhive/gen/cli"
	"github.com/browserhive/browserhive/internal/contract"
)

// Candidate is something that can stand at the end of a command line.
type Candidate struct {
	// Text is the whole word.
	Text string
	// Doc says in a line what it is; it may be empty.
	Doc string
}

// Completion is what can stand at the end of a command line.
type Completion struct {
	Candidates []Candidate
	// Files says that it is a path: the shell knows which there are. Prefix stands before it in the word,
	// as in --config=.
	Files  bool
	Prefix string
}

// Complete returns what the last word, which may be empty, can become. The words begin after the program's name.
// It depends on nothing but the contract.
func Complete(words []string) Completion {
	if len(words) == 0 {
		words = []string{""}
	}
	before, word := words[:len(words)-1], words[len(words)-1]
	command, rest, err := findCommand(before)
	if names := commandWords(before, word, err != nil); names != nil && !isFlag(word) {
		return Completion{Candidates: names}
	}
	if err != nil {
		return Completion{}
	}
	line := cursor{command: command}
	for _, w := range rest {
		line.pass(w)
	}
	return line.complete(word)
}

// commandWords are the words with which the name of a command can continue, nil where it cannot. inGroup means
// that the words before begin the name of a command and do not complete it.
func commandWords(before []string, word string, inGroup bool) (list []Candidate) {
	if help := len(before) > 0 && before[0] == "help"; help {
		if before = before[1:]; len(before) == 0 {
			for _, t := range cli.Topics {
				if strings.HasPrefix(t.Name, word) {
					list = append(list, Candidate{Text: t.Name})
				}
			}
		}
	} else if len(before) > 0 && !inGroup {
		return nil
	}
	for _, next := range nextWords(before) {
		if strings.HasPrefix(next, word) {
			doc := ""
			if c, ok := commandNamed(append(slices.Clip(before), next)); ok {
				doc = firstSentence(c.Doc)
			}
			list = append(list, Candidate{next, doc})
		}
	}
	return list
}

func firstSentence(doc string) string {
	first, _, _ := strings.Cut(doc, ". ")
	return strings.TrimSuffix(first, ".")
}

// cursor is a place in the arguments of a command.
type cursor struct {
	command contract.Command
	// waiting is the flag whose value comes next, nil for none.
	waiting *flag
	given   []string // Flags that are there already.
	args    int      // How many arguments are.
	literal bool     // Behind --.
}

// pass takes a word that is complete.
func (c *cursor) pass(word string) {
	switch {
	case c.waiting != nil:
		c.waiting = nil
	case c.literal || !isFlag(word):
		c.args++
	case word == "--":
		c.literal = true
	default:
		name, _, inline := strings.Cut(word, "=")
		f, ok := flagOf(&c.command, name)
		if !ok {
			return
		}
		c.given = append(c.given, f.name)
		if !inline && !f.boolean {
			c.waiting = &f
		}
	}
}

func (c *cursor) complete(word string) Completion {
	switch {
	case c.waiting != nil:
		return valuesOf(*c.waiting, "", word)
	case isFlag(word) && !c.literal, word == "-" && !c.literal:
		if name, value, inline := strings.Cut(word, "="); inline {
			f, ok := flagOf(&c.command, name)
			if !ok || f.negated {
				return Completion{}
			}
			return valuesOf(f, name+"=", value)
		}
		return Completion{Candidates: c.flags(word)}
	case c.args < len(c.command.Args):
		arg := c.command.Args[c.args]
		if arg.Path {
			return Completion{Files: true}
		}
		return Completion{Candidates: choices(arg.Enum, "", word)}
	case word == "":
		return Completion{Candidates: c.flags("--")}
	}
	return Completion{}
}

// flags are the flags that can still be given.
func (c *cursor) flags(word string) (list []Candidate) {
	for _, name := range flagsOf(&c.command) {
		f, ok := flagOf(&c.command, name)
		pointless := f.negated && f.own != nil // The flags of a command are off unless they are given.
		if strings.HasPrefix(name, word) && !pointless && (!ok || !slices.Contains(c.given, f.name)) {
			list = append(list, Candidate{name, docOf(f)})
		}
	}
	return list
}

func docOf(f flag) string {
	switch {
	case f.own != nil:
		return firstSentence(f.own.Doc)
	case byName[f.name] != nil:
		return firstSentence(byName[f.name].Doc)
	}
	return ""
}

// valuesOf are the values of a flag. prefix is what stands before the value in the same word.
func valuesOf(f flag, prefix, word string) Completion {
	if f.own != nil {
		if f.own.Path {
			return Completion{Files: true, Prefix: prefix}
		}
		return Completion{Candidates: choices(f.own.Enum, prefix, word)}
	}
	k := byName[f.name]
	if k == nil {
		return Completion{}
	}
	switch k.Grammar {
	case "path":
		return Completion{Files: true, Prefix: prefix}
	case "boolean":
		return Completion{Candidates: choices([]contract.Choice{{Value: "true"}, {Value: "false"}}, prefix, word)}
	case "list":
		// The members before the last are there.
		if end := strings.LastIndex(word, ","); end >= 0 {
			prefix, word = prefix+word[:end+1], word[end+1:]
		}
	case "levels":
		levels := []contract.Choice{{Value: "error"}, {Value: "warn"}, {Value: "info"}, {Value: "debug"}, {Value: "trace"}}
		if end := strings.LastIndexAny(word, ",="); end >= 0 {
			prefix, word = prefix+word[:end+1], word[end+1:]
		}
		return Completion{Candidates: choices(levels, prefix, word)}
	}
	return Completion{Candidates: choices(k.Enum, prefix, word)}
}

func choices(of []contract.Choice, prefix, word string) (list []Candidate) {
	for _, c := range of {
		if strings.HasPrefix(c.Value, word) {
			list = append(list, Candidate{prefix + c.Value, firstSentence(c.Doc)})
		}
	}
	return list
}
