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
		if next := nextWords(lead[:n]); len(next) > 0 {
			return command, nil, incomplete(lead, n, next)
		}
	}
	command, _ = commandNamed([]string{defaultCommand})
	return command, args, nil
}

// incomplete is the error for a group without one of its commands.
func incomplete(lead []string, n int, next []string) error {
	group := strings.Join(lead[:n], " ")
	sentence := fmt.Sprintf("%s needs one of: %s.", group, strings.Join(next, ", "))
	if n < len(lead) {
		sentence = fmt.Sprintf("%s has no command %s.", group, mention(lead[n]))
		if near := suggest(lead[n], next); near != "" {
			sentence += fmt.Sprintf(" Did you mean '%s %s'?", group, near)
		} else {
			sentence += fmt.Sprintf(" It has: %s.", strings.Join(next, ", "))
		}
	}
	return mistake(group, sentence)
}

// unknownCommand is the error for a word where only a command or flags can stand.
func unknownCommand(word string) error {
	if _, ok := commandNamed([]string{word}); ok || len(nextWords([]string{word})) > 0 {
		return mistake(word, fmt.Sprintf("The command %s has to come before the flags.", quote(word)))
	}
	sentence := fmt.Sprintf("There is no command %s.", mention(word))
	if near := suggest(word, nextWords(nil)); near != "" && wordForm.MatchString(word) {
		sentence += fmt.Sprintf(" Did you mean '%s'?", near)
	}
	return mistake(mention(word), sentence)
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

// helpFor returns a command whose Help explains the longest command or group at the beginning of words:
// that of a group is the help of its commands, and without a word it is the help of the whole.
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
