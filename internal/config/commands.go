package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/browserhive/browserhive/gen/cli"
	"github.com/browserhive/browserhive/internal/contract"
)

var commands = cli.Commands

// defaultCommand is meant when the first argument is not a command word.
const defaultCommand = "serve"

// findCommand finds the longest command at the beginning of args and returns what follows it.
func findCommand(args []string) (command contract.Command, rest []string, err error) {
	lead := leadingWords(args)
	for n := len(lead); n > 0; n-- {
		if c, ok := commandNamed(lead[:n]); ok {
			return c, args[n:], nil
		}
		if next := nextWords(lead[:n]); len(next) > 0 && n < len(lead) {
			return command, nil, noCommand(lead, n)
		} else if len(next) > 0 {
			group := strings.Join(lead, " ")
			return command, nil, mistake("command", fmt.Sprintf("%s needs one of: %s.", group, strings.Join(next, ", ")))
		}
	}
	command, _ = commandNamed([]string{defaultCommand})
	return command, args, nil
}

// misplaced is the error for a word where only flags can stand.
func misplaced(word string) error {
	if slices.Contains(nextWords(nil), word) {
		return mistake("command", fmt.Sprintf("The command %s has to come before the flags.", quote(word)))
	}
	return noCommand([]string{word}, 0)
}

// noCommand is the error for words that begin like a command and do not name one.
func noCommand(words []string, known int) error {
	group, next := strings.Join(words[:known], " "), nextWords(words[:known])
	sentence := fmt.Sprintf("There is no command %s.", mention(words[known]))
	if group != "" {
		sentence = fmt.Sprintf("%s has no command %s.", group, mention(words[known]))
	}
	if near := suggest(words[known], next); near != "" {
		sentence += fmt.Sprintf(" Did you mean '%s'?", strings.TrimSpace(group+" "+near))
	} else if group != "" && len(next) > 0 {
		sentence += fmt.Sprintf(" It has: %s.", strings.Join(next, ", "))
	}
	return mistake("command", sentence)
}

// leadingWords are the arguments before the first flag.
func leadingWords(args []string) []string {
	if end := slices.IndexFunc(args, isFlag); end >= 0 {
		return args[:end]
	}
	return args
}

func commandNamed(words []string) (contract.Command, bool) {
	name := strings.Join(words, " ")
	for _, c := range commands {
		if c.Name == name {
			return c, true
		}
	}
	return contract.Command{}, false
}

// nextWords lists what can follow words in the name of a command.
func nextWords(words []string) []string {
	var list []string
	for _, c := range commands {
		name := strings.Split(c.Name, " ")
		if len(name) <= len(words) || !slices.Equal(name[:len(words)], words) {
			continue
		}
		if next := name[len(words)]; !slices.Contains(list, next) {
			list = append(list, next)
		}
	}
	return list
}

// helpFor returns a command whose Help explains the longest command or group at the beginning of words. The help
// of a group lists its commands; without words it is that of the program.
func helpFor(words []string) contract.Command {
	for n := len(words); n > 0; n-- {
		if c, ok := commandNamed(words[:n]); ok {
			return c
		}
		name := strings.Join(words[:n], " ")
		var texts []string
		for _, c := range commands {
			if strings.HasPrefix(c.Name, name+" ") {
				texts = append(texts, c.Help)
			}
		}
		if len(texts) > 0 {
			return contract.Command{Name: name, Help: strings.Join(texts, "\n")}
		}
	}
	return contract.Command{Help: cli.Help}
}
