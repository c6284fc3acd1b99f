package docstest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/api"
	"github.com/browserhive/browserhive/gen/cli"
	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/tools"
)

// count is how many there are of a thing, in all and built.
type count struct{ all, built int }

// counts are the things of the contract that documents count, by the word for them.
func counts(t *testing.T) map[string]count {
	t.Helper()
	list := map[string]count{
		"tools": {all: len(tools.Catalogue)}, "settings": {all: len(config.Keys)}, "commands": {all: len(cli.Commands)},
		"codes": {all: len(errcode.Catalogue), built: len(errcode.Catalogue)}, "operations": {all: len(api.Operations)},
	}
	more := func(name string, planned bool) {
		if !planned {
			c := list[name]
			c.built++
			list[name] = c
		}
	}
	for _, tool := range tools.Catalogue {
		more("tools", tool.Planned)
	}
	for _, key := range config.Keys {
		more("settings", key.Planned)
	}
	for _, command := range cli.Commands {
		more("commands", command.Planned)
	}
	for _, operation := range api.Operations {
		more("operations", operation.Planned)
	}
	// The operations of a tag go by the tag: 11 Authentication operations.
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(Read(t, root, "docs/reference/openapi.json")), &document); err != nil {
		t.Fatal(err)
	}
	for _, methods := range document.Paths {
		for _, raw := range methods {
			var operation struct{ Tags []string }
			if json.Unmarshal(raw, &operation) != nil {
				continue // The parameters of a path.
			}
			for _, tag := range operation.Tags {
				name := tag + " operations"
				list[name] = count{list[name].all + 1, list[name].built + 1}
			}
		}
	}
	return list
}

// numbers are the words for small numbers.
var numbers = []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// number reads a number in digits or as a word.
func number(text string) (int, bool) {
	if n, err := strconv.Atoi(strings.ReplaceAll(text, ",", "")); err == nil {
		return n, true
	}
	n := slices.Index(numbers, strings.ToLower(text))
	return n, n >= 0
}

var (
	// counted is a number before the word for what is counted, with one word in between at most: "43 tools",
	// "39 of 43 tools", "98 error codes", "the 11 Authentication operations".
	counted = regexp.MustCompile(`\b(\d+)(?: of (?:the )?(\d+))? (?:([A-Za-z]+) )?(tools|settings|codes|operations|commands)\b`)
	// share is the row of a table that says how many of the tools are built, and how many are not.
	share = regexp.MustCompile(`\| Tools \|[^|]*?(\d+) of (\d+)(?:[^|]*?Those (\w+) are declared)?`)
	// allSettings is how the guide of the command line counts the settings.
	allSettings = regexp.MustCompile(`\bkey of the config file; all (\w+) with\b`)
)

// wrong are the figures of a text that the contract does not bear out.
func wrong(text string, of map[string]count) (faults []string, checked int) {
	text = strings.Join(strings.Fields(text), " ")
	say := func(claim string, want any) {
		faults = append(faults, fmt.Sprintf("%q, where the contract has %v", claim, want))
	}
	for _, m := range counted.FindAllStringSubmatch(text, -1) {
		checked++
		c := of[m[4]]
		if tagged, ok := of[m[3]+" "+m[4]]; ok {
			c = tagged
		}
		first, _ := number(m[1])
		if m[2] != "" {
			if second, _ := number(m[2]); first != c.built || second != c.all {
				say(m[0], fmt.Sprintf("%d of %d", c.built, c.all))
			}
		} else if first != c.all && first != c.built {
			say(m[0], fmt.Sprintf("%d, of which %d are built", c.all, c.built))
		}
	}
	for _, m := range share.FindAllStringSubmatch(text, -1) {
		checked++
		built, _ := number(m[1])
		all, _ := number(m[2])
		if c := of["tools"]; built != c.built || all != c.all {
			say(m[1]+" of "+m[2], fmt.Sprintf("%d of %d tools", c.built, c.all))
		}
		if rest, ok := number(m[3]); ok && rest != all-built {
			say("Those "+m[3]+" are declared", all-built)
		}
	}
	for _, m := range allSettings.FindAllStringSubmatch(text, -1) {
		checked++
		if n, ok := number(m[1]); !ok || n != of["settings"].all {
			say("all "+m[1], of["settings"].all)
		}
	}
	return faults, checked
}

// What the documents count is so many.
func TestFigures(t *testing.T) {
	t.Parallel()
	of, checked := counts(t), 0
	for _, file := range documents(t) {
		text := Read(t, root, file)
		if file == "CHANGELOG.md" { // What is released says how many there were.
			_, latest, _ := strings.Cut(text, "\n## ")
			text, _, _ = strings.Cut(latest, "\n## ")
			if heading, _, _ := strings.Cut(text, "\n"); !strings.Contains(heading, "unreleased") {
				continue
			}
		}
		faults, n := wrong(text, of)
		checked += n
		for _, f := range faults {
			t.Errorf("%s says %s", file, f)
		}
	}
	if checked == 0 {
		t.Error("the documents count nothing")
	}
}

func TestWrongFiguresAreSeen(t *testing.T) {
	t.Parallel()
	of := map[string]count{"tools": {43, 39}, "settings": {50, 40}, "operations": {84, 13}, "Authentication operations": {11, 11}, "codes": {98, 98}}
	for text, want := range map[string]int{
		"43 tools, 50 settings and 98 error codes": 0, "39 tools; 39 of 43 tools": 0, "the 11 Authentication operations": 0,
		"44 tools": 1, "38 of 43 tools": 1, "39 of 44\ntools": 1, "97 error codes": 1, "12 Authentication operations": 1, "49 settings": 1,
		"| Tools | Built: 39 of 43, everything but two packs. Those four are declared |": 0,
		"| Tools | Built: 40 of 43, everything but two packs. Those four are declared |": 2,
		"a flag, a variable and a key of the config file; all 50 with type":              0,
		"a flag, a variable and a key of the config file; all 51 with type":              1,
	} {
		if faults, _ := wrong(text, of); len(faults) != want {
			t.Errorf("%s: %q", text, faults)
		}
	}
}
