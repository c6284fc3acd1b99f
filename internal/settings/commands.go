package settings

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
	if near := nearCommand(group, words[known], next); near != "" {
		sentence += fmt.Sprintf(" Did you mean '%s'?", near)
	} else if group != "" && len(next) > 0 {
		sentence += fmt.Sprintf(" It has: %s.", strings.Join(next, ", "))
	}
	return mistake("command", sentence)
}

// nearCommand is the command that was probably meant by a word that follows a group, or "". Without a group it
// may be the last word of a name, as in backup for db backup.
func nearCommand(group, word string, next []string) string {
	if near := suggest(word, next); near != "" {
		return strings.TrimSpace(group + " " + near)
	}
	if group != "" {
		return ""
	}
	last := map[string]string{}
	var lasts []string
	for _, c := range commands {
		if i := strings.LastIndexByte(c.Name, ' '); i >= 0 && last[c.Name[i+1:]] == "" {
			last[c.Name[i+1:]] = c.Name
			lasts = append(lasts, c.Name[i+1:])
		}
	}
	return last[suggest(word, lasts)]
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

// helpFor returns a command whose Help explains the longest command, group or topic at the beginning of words:
// that of a group is the help of its commands, and without a word it is the overview.
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

// topicNamed is what help explains under a name beside commands.
func topicNamed(words []string) (contract.Topic, bool) {
	for _, t := range cli.Topics {
		if len(words) == 1 && words[0] == t.Name {
			return t, true
		}
	}
	return contract.Topic{}, false
}

// long adds to the help of a command every setting that it takes as a flag, and to the overview all that help
// explains.
func long(c contract.Command) contract.Command {
	for _, t := range cli.Topics {
		if c.Name == "" || c.AllKeys && t.Name == SettingsTopic {
			c.Help += "\n" + t.Help
		}
	}
	return c
}

// SettingsTopic is what help explains the settings under.
const SettingsTopic = "settings"

// HelpTopic is what to ask help for after a mistake in the arguments: a command, a topic, or "" for the
// overview.
func HelpTopic(args []string) string {
	command, rest, err := findCommand(args)
	switch {
	case err != nil:
		return helpFor(leadingWords(args)).Name
	case len(rest) == len(args) && len(leadingWords(args)) > 0: // A word that is no command.
		return ""
	case command.Name == defaultCommand:
		return SettingsTopic
	case command.Name == "help":
		return ""
	}
	return command.Name
}
