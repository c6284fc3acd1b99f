package settings

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
)

// Invocation is a parsed command line.
type Invocation struct {
	// Command is what to run; with Help, its Help is the text to print, also for groups of commands and
	// for the command line as a whole.
	Command contract.Command
	// Args are the positional arguments by name.
	Args map[string]string
	// Flags are the command's own flags that were given, by name; booleans are "true" or "false".
	Flags map[string]string
	// Settings are the configuration flags that were given, as text by key, for Input.Flags.
	Settings map[string]string
	// Help and Version ask for a text instead of the command.
	Help, Version bool
}

// ParseArgs parses the arguments after the program name. --help, which is long, and -h, which fits a screen, win
// over everything, also over mistakes, and --version over everything else. Errors are *contract.Error with the code CONFIG_UNKNOWN_KEY or
// CONFIG_INVALID. The text of settings is not checked: Resolve does that.
func ParseArgs(args []string) (*Invocation, error) {
	command, rest, err := findCommand(args)
	switch topic := helpFor(leadingWords(args)); {
	case asks(args, "--help"):
		return &Invocation{Help: true, Command: long(topic)}, nil
	case asks(args, "-h"):
		return &Invocation{Help: true, Command: topic}, nil
	}
	if asks(args, "--version", "-v") {
		return &Invocation{Version: true, Command: command}, nil
	}
	if err != nil {
		return nil, err
	}
	p := parser{
		Invocation: Invocation{
			Command: command, Args: map[string]string{}, Flags: map[string]string{}, Settings: map[string]string{},
		},
		implied: len(rest) == len(args),
		given:   map[string]string{},
	}
	if err := p.parse(rest); err != nil {
		return nil, err
	}
	return &p.Invocation, nil
}

// asks reports whether one of the names is among the flags.
func asks(args []string, names ...string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.ContainsFunc(args, func(arg string) bool { return slices.Contains(names, arg) })
}

type parser struct {
	Invocation
	implied bool              // serve, because no command was named
	given   map[string]string // flag by key or own name, as it was written
	words   []string          // positional arguments
}

// flag is what a name on the command line means.
type flag struct {
	name    string         // key, or name of an own flag
	own     *contract.Flag // nil for a setting
	boolean bool
	negated bool // --noAdmin
}

func (p *parser) parse(args []string) error {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			p.words = append(p.words, args[i+1:]...)
			break
		}
		if !isFlag(arg) {
			p.words = append(p.words, arg)
			continue
		}
		name, value, inline := strings.Cut(arg, "=")
		f, err := p.lookup(name)
		if err != nil {
			return err
		}
		next := ""
		if i+1 < len(args) {
			next = args[i+1]
		}
		switch _, literal := parseBoolean(next); {
		case f.negated && (inline || literal):
			return usage(f.name, name, "it takes no value")
		case f.boolean && !inline && literal:
			return usage(f.name, name, fmt.Sprintf("its value has to be part of it; write %s=%s", name, next))
		case f.boolean && !inline:
			value = fmt.Sprint(!f.negated)
		case !inline && (next == "" && i+1 >= len(args) || isFlag(next)):
			return usage(f.name, name, "it needs a value; write "+name+"=VALUE")
		case !inline:
			value = next
			i++
		}
		if err := p.set(f, name, value); err != nil {
			return err
		}
	}
	return p.assign()
}

// isFlag reports whether an argument is meant as a flag; a lone dash is not.
func isFlag(arg string) bool { return len(arg) > 1 && arg[0] == '-' }

// lookup finds the flag that the command has under a name such as --admin or --noAdmin.
func (p *parser) lookup(name string) (flag, error) {
	if f, ok := flagOf(&p.Command, name); ok {
		return f, nil
	}
	if name == "--help" || name == "-h" || name == "--version" || name == "-v" {
		// With a value, or ParseArgs would have seen it.
		return flag{}, usage(strings.TrimLeft(name, "-"), name, "it takes no value")
	}
	var others []string
	for i := range commands {
		if _, ok := flagOf(&commands[i], name); ok {
			others = append(others, commands[i].Name)
		}
	}
	if len(others) > 0 {
		err := errcode.ConfigUnknownKey{Key: name, Source: "flag"}.Err()
		err.Message = fmt.Sprintf("%s does not take %s, which is a flag of %s.", p.Command.Name, name, enumerate(others))
		return flag{}, err
	}
	return flag{}, unknownKey(name, "flag", flagsOf(&p.Command))
}

func flagOf(c *contract.Command, name string) (flag, bool) {
	name, ok := strings.CutPrefix(name, "--")
	if !ok {
		return flag{}, false
	}
	if f, ok := plainFlag(c, name); ok {
		return f, true
	}
	if name, ok := strings.CutPrefix(name, "no"); ok && name != "" {
		f, ok := plainFlag(c, strings.ToLower(name[:1])+name[1:])
		f.negated = true
		return f, ok && f.boolean && name[0] >= 'A' && name[0] <= 'Z'
	}
	return flag{}, false
}

func plainFlag(c *contract.Command, name string) (flag, bool) {
	for i := range c.Flags {
		if f := &c.Flags[i]; f.Name == name {
			return flag{name: name, own: f, boolean: f.Kind == "boolean"}, true
		}
	}
	if k := byName[name]; k != nil && (c.AllKeys || slices.Contains(c.Keys, name)) {
		return flag{name: name, boolean: k.Grammar == "boolean"}, true
	}
	return flag{}, false
}

// flagsOf lists what a command takes, for suggestions.
func flagsOf(c *contract.Command) []string {
	var list []string
	names := keyNames()
	for _, f := range c.Flags {
		names = append(names, f.Name)
	}
	for _, name := range names {
		f, ok := plainFlag(c, name)
		if ok {
			list = append(list, "--"+name)
		}
		if ok && f.boolean {
			list = append(list, "--no"+strings.ToUpper(name[:1])+name[1:])
		}
	}
	return append(list, "--help", "--version")
}

func (p *parser) set(f flag, as, value string) error {
	if earlier, again := p.given[f.name]; again {
		if earlier == as {
			return usage(f.name, as, "it is there twice")
		}
		return usage(f.name, as, fmt.Sprintf("%s is there too; give one of them", earlier))
	}
	p.given[f.name] = as
	if f.own == nil {
		p.Settings[f.name] = value
		return nil
	}
	switch {
	case f.boolean:
		b, ok := parseBoolean(value)
		if !ok {
			return usage(f.name, as, quote(value)+" is not accepted; expected true, false, 1, 0, yes or no")
		}
		value = fmt.Sprint(b)
	case strings.TrimSpace(value) == "":
		return usage(f.name, as, "it "+whyEmpty)
	default:
		if reason := outside(f.own.Enum, value); reason != "" {
			return usage(f.name, as, reason)
		}
	}
	p.Flags[f.name] = value
	return nil
}

// outside describes why a value is not one of the members; it is "" if it is one, or if any value is allowed.
func outside(members []contract.Choice, value string) string {
	var names []string
	for _, c := range members {
		if c.Value == value {
			return ""
		}
		names = append(names, c.Value)
	}
	if len(names) == 0 {
		return ""
	}
	return quote(value) + " is not accepted; expected one of: " + strings.Join(names, ", ")
}

// assign gives the positional arguments their names.
func (p *parser) assign() error {
	if p.Command.Name == "help" {
		return p.explain()
	}
	for i, arg := range p.Command.Args {
		switch {
		case i < len(p.words) && strings.TrimSpace(p.words[i]) != "":
			if reason := outside(arg.Enum, p.words[i]); reason != "" {
				return usage(arg.Name, "<"+arg.Name+">", reason)
			}
			p.Args[arg.Name] = p.words[i]
		case i < len(p.words):
			return mistake(arg.Name, fmt.Sprintf("The argument <%s> of %s %s.", arg.Name, p.Command.Name, whyEmpty))
		case !arg.Optional:
			return mistake(arg.Name, fmt.Sprintf("%s needs the argument <%s>.", p.Command.Name, arg.Name))
		}
	}
	if len(p.words) <= len(p.Command.Args) {
		return nil
	}
	extra := p.words[len(p.Command.Args)]
	if p.implied {
		return misplaced(extra)
	}
	return mistake("argument", fmt.Sprintf("%s does not take the argument %s.", p.Command.Name, mention(extra)))
}

// explain turns help into a request for the help of its arguments.
func (p *parser) explain() error {
	if t, ok := topicNamed(p.words); ok {
		p.Help, p.Command, p.Args["command"] = true, contract.Command{Name: t.Name, Help: t.Help}, t.Name
		return nil
	}
	topic := helpFor(p.words)
	if known := len(strings.Fields(topic.Name)); known < len(p.words) {
		return noCommand(p.words, known)
	}
	p.Help, p.Command, p.Args["command"] = true, topic, topic.Name
	return nil
}

var wordForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9.-]{0,23}$`)

// mention quotes a stray argument if it looks like a word. What does not may be the rest of a secret that
// the shell has split.
func mention(arg string) string {
	if wordForm.MatchString(arg) {
		return quote(arg)
	}
	return fmt.Sprintf("of %d characters", len([]rune(arg)))
}

// usage is the error for a flag that is used wrongly.
func usage(key, flag, reason string) error {
	return errcode.ConfigInvalid{Key: key, Source: flag, Reason: reason}.Err()
}

// mistake is the error for a command line that is wrong in another place than a flag.
func mistake(what, sentence string) error {
	err := errcode.ConfigInvalid{Key: what, Source: "the command line", Reason: sentence}.Err()
	err.Message = sentence
	return err
}

// enumerate lists at most a few names.
func enumerate(names []string) string {
	const maxListed = 4
	if len(names) > maxListed {
		return strings.Join(names[:maxListed], ", ") + " and other commands"
	}
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
