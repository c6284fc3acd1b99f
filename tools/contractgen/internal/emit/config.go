package emit

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/browserhive/browserhive/tools/contractgen/internal/goname"
	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

func flagName(key string) string { return "--" + key }

// envName is BROWSERHIVE_ and the key in capitals, words joined by underscores.
func envName(key string) string {
	var b strings.Builder
	b.WriteString("BROWSERHIVE_")
	for i, r := range key {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}

// goGrammar is the Go type of a value of a grammar.
func goGrammar(k *model.Key) string {
	switch k.Grammar {
	case "boolean":
		return "bool"
	case "integer", "port", "max_sessions":
		return "int"
	case "number":
		return "float64"
	case "duration":
		return "time.Duration"
	case "bytes":
		return "int64"
	case "list", "tokens", "proxies":
		return "[]string"
	case "map":
		return "map[string]string"
	}
	return "string"
}

// expected says in words what a key accepts.
func expected(k *model.Key) string {
	bound := ""
	switch {
	case k.Min != "" && k.Max != "":
		bound = fmt.Sprintf(" between %s and %s", k.Min, k.Max)
	case k.Min != "":
		bound = " of at least " + k.Min
	}
	switch k.Grammar {
	case "boolean":
		return "true, false, 1, 0, yes or no"
	case "integer":
		return "a whole number" + bound
	case "port":
		return "a port" + bound
	case "number":
		return "a number" + bound
	case "duration":
		return "a duration" + bound + ", such as 2h, 30m, 90s or 500ms, or a whole number of milliseconds"
	case "bytes":
		return "a size" + bound + ", such as 64MiB or 1GB, or a whole number of bytes"
	case "enum":
		return "one of: " + strings.Join(choiceNames(k.Enum), ", ")
	case "list":
		if len(k.Enum) > 0 {
			return "a comma-separated subset of: " + strings.Join(choiceNames(k.Enum), ", ")
		}
		return "a comma-separated list such as a,b,c (an array in the file)"
	case "map":
		return "pairs such as k=v,k2=v2 (an object in the file)"
	case "url":
		return "an absolute http: or https: URL"
	case "host":
		return "an IPv4 address, an IPv6 address or a host name"
	case "path":
		return "a path"
	case "levels":
		return "a level, or a level and levels per module, such as info,sessions=debug (levels: error, warn, info, debug, trace)"
	case "tokens":
		return "comma-separated name:token pairs, each token at least 32 characters"
	case "proxies":
		return "comma-separated IP addresses or CIDR ranges"
	case "max_sessions":
		return "a whole number of at least 1, or unbounded"
	}
	return "text that is not empty"
}

func choiceNames(list []model.EnumValue) []string {
	var out []string
	for _, v := range list {
		out = append(out, v.Value)
	}
	return out
}

// defaultText is how help and documents show the default.
func defaultText(k *model.Key) string {
	if len(k.DerivedFrom) > 0 {
		return "derived: " + k.DerivedDoc
	}
	switch d := k.Default.(type) {
	case nil:
		return "unset"
	case []any:
		if len(d) == 0 {
			return "empty"
		}
		var out []string
		for _, x := range d {
			out = append(out, fmt.Sprint(x))
		}
		return strings.Join(out, ",")
	case map[string]any:
		if len(d) == 0 {
			return "empty"
		}
	}
	return fmt.Sprint(k.Default)
}

func goConfig(m *model.Model) (Files, error) {
	s := newSource("config", "contracts/config", "Package config holds the configuration of the contract: the effective values, the descriptors of the keys, and the rules between them.")
	s.use(pathContract)
	s.p("// Config is the effective configuration. Durations are exact, sizes are in bytes.")
	s.p("type Config struct {")
	for _, k := range m.Keys {
		s.comment("\t", k.Doc)
		if k.Grammar == "max_sessions" {
			s.comment("\t", "0 means unbounded.")
		}
		if k.Grammar == "duration" {
			s.use("time")
		}
		s.p("\t%s %s", goname.Of(k.Name), goGrammar(k))
	}
	s.p("}\n")
	for _, k := range m.Keys {
		if k.Grammar != "enum" {
			continue
		}
		s.p("// Values of %s.\nconst (", k.Name)
		for _, v := range k.Enum {
			s.p("\t%s%s = %q", goname.Of(k.Name), goname.Of(v.Value), v.Value)
		}
		s.p(")\n")
	}
	s.p("// Set assigns a value whose Go type is that of the key's grammar; ok is false for an unknown key.")
	s.p("func (c *Config) Set(key string, v any) (ok bool) {")
	s.p("\tswitch key {")
	for _, k := range m.Keys {
		s.p("\tcase %q:\n\t\tc.%s, ok = v.(%s)", k.Name, goname.Of(k.Name), goGrammar(k))
	}
	s.p("\t}\n\treturn ok\n}\n")
	s.p("// Get returns the value of a key, or nil for an unknown key.")
	s.p("func (c *Config) Get(key string) any {")
	s.p("\tswitch key {")
	for _, k := range m.Keys {
		s.p("\tcase %q:\n\t\treturn c.%s", k.Name, goname.Of(k.Name))
	}
	s.p("\t}\n\treturn nil\n}\n")
	s.p("// Names of the keys.\nconst (")
	for _, k := range m.Keys {
		s.deprecated(k.Deprecated)
		s.p("\tKey%s = %q", goname.Of(k.Name), k.Name)
	}
	s.p(")\n")
	s.p("// Keys lists every key in the order of the contract.")
	s.p("var Keys = []contract.Key{")
	for _, k := range m.Keys {
		s.p("\t{")
		s.p("\t\tName: %q, Group: %q, Flag: %q, Env: %q, Alias: %q,", k.Name, k.Group.Name, flagName(k.Name), envName(k.Name), k.Alias)
		s.p("\t\tDoc: %q,", oneLine(k.Doc))
		s.p("\t\tGrammar: %q, Expected: %q,", k.Grammar, expected(k))
		if k.Default != nil {
			s.p("\t\tDefault: %s,", goValue(k.Default))
		}
		if k.Min != "" || k.Max != "" {
			s.p("\t\tMin: %q, Max: %q,", k.Min, k.Max)
		}
		goChoices(s, "Enum", k.Enum)
		goChoices(s, "Reserved", k.Reserved)
		s.p("\t\tSecret: %t, Runtime: %t, File: %t, Planned: %t,", k.Secret, k.Runtime, k.File, k.Stage == model.Planned)
		if len(k.DerivedFrom) > 0 {
			s.p("\t\tDerivedFrom: []string{%s}, DerivedDoc: %q,", quoted(k.DerivedFrom), k.DerivedDoc)
		}
		if len(k.Examples) > 0 {
			s.p("\t\tExamples: []string{%s},", quoted(k.Examples))
		}
		if d := k.Deprecated; d != nil {
			s.p("\t\tDeprecatedSince: %q, Use: %q,", d.Since, d.Use)
		}
		s.p("\t},")
	}
	s.p("}\n")
	s.p("// Reserved maps names kept for later releases to what they will be.")
	s.p("var Reserved = map[string]string{")
	for _, r := range m.Reserved {
		s.p("\t%q: %q,", r.Value, r.Doc)
	}
	s.p("}\n")
	s.p("// Rules lists the rules between keys.")
	s.p("var Rules = []contract.Rule{")
	for _, r := range m.Rules {
		s.p("\t{Name: %q, Code: %q, Reason: %q,", r.Name, r.Code, r.Reason)
		goConds(s, "If", r.If)
		goConds(s, "Need", r.Need)
		goConds(s, "NeedAny", r.NeedAny)
		s.p("\t},")
	}
	s.p("}")
	b, err := s.bytes()
	return Files{"gen/config/config.go": b}, err
}

func goChoices(s *source, name string, list []model.EnumValue) {
	if len(list) == 0 {
		return
	}
	s.p("\t\t%s: []contract.Choice{", name)
	for _, v := range list {
		s.p("\t\t\t{Value: %q, Doc: %q},", v.Value, v.Doc)
	}
	s.p("\t\t},")
}

func goConds(s *source, name string, list []model.Cond) {
	if len(list) == 0 {
		return
	}
	s.p("\t\t%s: []contract.Cond{", name)
	for _, c := range list {
		line := fmt.Sprintf("Key: %q", c.Key)
		if c.Is != nil {
			line += ", Is: " + goValue(c.Is)
		}
		if len(c.In) > 0 {
			line += ", In: []string{" + quoted(c.In) + "}"
		}
		if c.Set != nil {
			line += fmt.Sprintf(", Set: contract.To(%t)", *c.Set)
		}
		if c.Explicit {
			line += ", Explicit: true"
		}
		if len(c.ExplicitBy) > 0 {
			line += ", ExplicitBy: []string{" + quoted(c.ExplicitBy) + "}"
		}
		if c.Above != nil {
			line += fmt.Sprintf(", Above: contract.To(float64(%v))", *c.Above)
		}
		if c.BelowKey != "" {
			line += fmt.Sprintf(", BelowKey: %q", c.BelowKey)
		}
		if c.Loopback != nil {
			line += fmt.Sprintf(", Loopback: contract.To(%t)", *c.Loopback)
		}
		s.p("\t\t\t{%s},", line)
	}
	s.p("\t\t},")
}

// goValue writes a YAML value as a Go expression of type any.
func goValue(v any) string {
	switch x := v.(type) {
	case string:
		return fmt.Sprintf("%q", x)
	case int, int64, bool:
		return fmt.Sprint(x)
	case float64:
		return fmt.Sprintf("float64(%v)", x)
	case []any:
		var out []string
		for _, e := range x {
			out = append(out, goValue(e))
		}
		return "[]any{" + strings.Join(out, ", ") + "}"
	case map[string]any:
		return "map[string]any{}"
	}
	return "nil"
}
