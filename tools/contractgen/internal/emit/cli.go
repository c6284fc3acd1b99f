package emit

import (
	"fmt"
	"strings"

	"github.com/browserhive/browserhive/tools/contractgen/internal/goname"
	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

const programme = "browserhive"

func goCLI(m *model.Model) (Files, error) {
	s := newSource("cli", "contracts/cli", "Package cli holds the commands of the contract and their help.")
	s.use(pathContract)
	s.p("// Exit codes.\nconst (")
	for _, e := range m.ExitCodes {
		s.comment("\t", e.Doc)
		s.p("\tExit%s = %d", goname.Of(e.Name), e.Code)
	}
	s.p(")\n")
	s.p("// Help is an overview of the commands.\nconst Help = %s\n", goText(helpRoot(m)))
	s.p("// Topics are what help explains beside commands, in the order of the long help.\nvar Topics = []contract.Topic{")
	s.p("\t{Name: %q, Help: %s},", settingsTopic, goText(helpSettings(m)))
	s.p("\t{Name: %q, Help: %s},", exitCodesTopic, goText(helpExitCodes(m)))
	s.p("}\n")
	s.p("// Commands lists every command in the order of the contract.")
	s.p("var Commands = []contract.Command{")
	for _, c := range m.Commands {
		s.p("\t{Name: %q, Doc: %q, Planned: %t, AllKeys: %t,", c.Name, oneLine(c.Doc), c.Stage == model.Planned, c.AllKeys)
		if len(c.Keys) > 0 {
			s.p("\t\tKeys: []string{%s},", quoted(c.KeyNames()))
		}
		goFlags(s, "Args", c.Args)
		goFlags(s, "Flags", c.Flags)
		s.p("\t\tHelp: %s,", goText(helpCommand(m, c)))
		s.p("\t},")
	}
	s.p("}")
	b, err := s.bytes()
	return Files{"gen/cli/cli.go": b}, err
}

func goText(s string) string {
	if strings.Contains(s, "`") {
		return fmt.Sprintf("%q", s)
	}
	return "`" + s + "`"
}

func goFlags(s *source, name string, list []*model.Field) {
	if len(list) == 0 {
		return
	}
	s.p("\t\t%s: []contract.Flag{", name)
	for _, f := range list {
		s.p("\t\t\t{Name: %q, Doc: %q, Kind: %q, Optional: %t, Planned: %t, Path: %t,", f.Name, oneLine(f.About()), string(f.Type.Base().Kind), !f.Required(), f.Stage == model.Planned, f.Type.Base().Format == "path")
		goChoices(s, "Enum", f.Type.Base().Enum)
		s.p("\t\t\t},")
	}
	s.p("\t\t},")
}

const helpWidth = 96

func usage(c *model.Command) string {
	out := programme + " " + c.Name
	if c.Name == "serve" {
		out = programme + " [serve]"
	}
	for _, a := range c.Args {
		if a.Required() {
			out += " <" + a.Name + ">"
		} else {
			out += " [" + a.Name + "]"
		}
	}
	if c.AllKeys || len(c.Keys) > 0 || len(c.Flags) > 0 {
		out += " [flags]"
	}
	return out
}

// What help explains beside commands.
const (
	settingsTopic  = "settings"
	exitCodesTopic = "exit-codes"
)

// helpRoot lists the commands on one screen: of each what its first sentence says.
func helpRoot(m *model.Model) string {
	var b strings.Builder
	b.WriteString("BrowserHive gives AI agents isolated Chromium sessions over MCP.\n\n")
	fmt.Fprintf(&b, "Usage: %s [command] [flags]\n\nCommands:\n", programme)
	for _, c := range m.Commands {
		doc, _, _ := strings.Cut(c.Doc, ". ")
		doc = strings.TrimSuffix(doc, ".")
		if c.Stage == model.Planned {
			doc += " (not built yet)"
		}
		item(&b, strings.TrimSuffix(strings.TrimPrefix(usage(c), programme+" "), " [flags]"), doc)
	}
	b.WriteString("\nWithout a command, serve is meant. Every setting is a flag, a variable and a key of the config file.\n\n")
	item(&b, "help <command>", "explains a command and its flags, as -h does behind the command")
	item(&b, "help "+settingsTopic, "explains every setting")
	item(&b, "help "+exitCodesTopic, "lists the exit codes")
	item(&b, "--help", "prints this, settings and exit codes together")
	return b.String()
}

func helpSettings(m *model.Model) string {
	var b strings.Builder
	b.WriteString("Settings of serve, as flag, environment variable and key of browserhive.config.json.\n")
	b.WriteString("Flags win over the file, the file over variables, variables over defaults.\n")
	helpKeys(&b, m, nil)
	return b.String()
}

func helpExitCodes(m *model.Model) string {
	var b strings.Builder
	b.WriteString("Exit codes:\n")
	for _, e := range m.ExitCodes {
		item(&b, fmt.Sprint(e.Code), e.Doc)
	}
	return b.String()
}

func helpCommand(m *model.Model, c *model.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s\n\n", usage(c))
	doc := c.Doc
	if c.Stage == model.Planned {
		doc += " Not built yet."
	}
	for _, l := range wrap(doc, helpWidth) {
		b.WriteString(l + "\n")
	}
	if len(c.Args) > 0 {
		b.WriteString("\nArguments:\n")
		for _, a := range c.Args {
			item(&b, a.Name, a.About())
		}
	}
	if len(c.Flags) > 0 {
		b.WriteString("\nFlags:\n")
		for _, f := range c.Flags {
			name := flagName(f.Name)
			t := f.Type.Base()
			switch {
			case len(t.Enum) > 0:
				name += " <" + strings.Join(choiceNames(t.Enum), "|") + ">"
			case t.Kind != model.Boolean:
				name += " <" + string(t.Kind) + ">"
			}
			doc := f.About()
			if f.Stage == model.Planned {
				doc += " (not built yet)"
			}
			item(&b, name, doc)
		}
	}
	if c.AllKeys {
		fmt.Fprintf(&b, "\nEvery setting is a flag, too; see: %s help %s\n", programme, settingsTopic)
	} else if len(c.Keys) > 0 {
		b.WriteString("\nSettings, as for serve:\n")
		helpKeys(&b, m, c.KeyNames())
	}
	return b.String()
}

// item writes a term and its text, indented below when the term is long.
func item(b *strings.Builder, term, doc string) {
	const col = 30
	lines := wrap(oneLine(doc), helpWidth-col)
	if len(term) > col-4 {
		fmt.Fprintf(b, "  %s\n", term)
	} else {
		fmt.Fprintf(b, "  %-*s%s\n", col-2, term, lines[0])
		lines = lines[1:]
	}
	for _, l := range lines {
		fmt.Fprintf(b, "%s%s\n", strings.Repeat(" ", col), l)
	}
}

func helpKeys(b *strings.Builder, m *model.Model, only []string) {
	group := ""
	for _, k := range m.Keys {
		if only != nil && !contains(only, k.Name) {
			continue
		}
		if k.Group.Name != group {
			group = k.Group.Name
			fmt.Fprintf(b, "\n%s:\n", group)
		}
		doc := k.Doc
		if k.Stage == model.Planned {
			doc += " (not built yet)"
		}
		item(b, flagName(k.Name), doc)
		for _, l := range wrap(expected(k)+". Default: "+strings.TrimSuffix(defaultText(k), ".")+". "+envName(k.Name), helpWidth-30) {
			fmt.Fprintf(b, "%s%s\n", strings.Repeat(" ", 30), l)
		}
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
