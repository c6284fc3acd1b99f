package emit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

// shapes writes Go declarations for types, and remembers the names that inline shapes were given.
type shapes struct {
	s *source
	// prefix qualifies named types, "types." outside their own package.
	prefix string
	queue  []func()
}

// typeOf is the Go type of a value of f, apart from whether it may be absent. name is what an inline
// shape would be called.
func (g *shapes) typeOf(f *model.Field, name string) string {
	t := f.Type
	switch t.Kind {
	case model.Ref:
		if g.prefix != "" {
			g.s.use(pathTypes)
		}
		return g.prefix + goName(t.Ref)
	case model.String:
		if len(t.Enum) > 0 {
			g.queue = append(g.queue, func() { g.enum(name, f.About(), t) })
			return name
		}
		return "string"
	case model.Integer:
		return "int64"
	case model.Number:
		return "float64"
	case model.Boolean:
		return "bool"
	case model.Array:
		return "[]" + g.typeOf(t.Items, name+"Item")
	case model.Map:
		return "map[string]" + g.typeOf(t.Values, name+"Value")
	case model.Object:
		if len(t.Fields) == 0 {
			g.s.use("encoding/json")
			return "map[string]json.RawMessage"
		}
		g.queue = append(g.queue, func() { g.object(name, f.About(), t) })
		return name
	}
	g.s.use("encoding/json")
	return "json.RawMessage"
}

// pointer reports whether absence or null needs a pointer: slices, maps and raw values have nil.
func pointer(f *model.Field) bool {
	if !f.Nullable && !f.Optional {
		return false
	}
	switch b := f.Type.Base(); b.Kind {
	case model.Array, model.Map, model.Any, model.Union:
		return false
	case model.Object:
		return len(b.Fields) > 0
	}
	return true
}

// flush writes the inline shapes met so far, and those met while writing them.
func (g *shapes) flush() {
	for len(g.queue) > 0 {
		next := g.queue[0]
		g.queue = g.queue[1:]
		next()
	}
}

func (g *shapes) enum(name, doc string, t *model.Type) {
	g.s.comment("", name+": "+doc)
	g.s.p("type %s string\n", name)
	g.s.p("// Values of %s.", name)
	g.s.p("const (")
	for _, v := range t.Enum {
		if v.Doc != "" {
			g.s.comment("\t", v.Doc)
		}
		g.s.p("\t%s%s %s = %q", name, goName(v.Value), name, v.Value)
	}
	g.s.p(")\n")
}

func (g *shapes) object(name, doc string, t *model.Type) {
	g.s.comment("", name+": "+doc)
	g.s.p("type %s struct {", name)
	for _, f := range t.Fields {
		if d := f.About(); d != "" {
			g.s.comment("\t", d)
		}
		typ := g.typeOf(f, name+goName(f.Name))
		if pointer(f) {
			typ = "*" + typ
		}
		tag := f.Name
		if f.Optional {
			tag += ",omitempty"
		}
		g.s.p("\t%s %s `json:%q`", goName(f.Name), typ, tag)
	}
	if t.Open {
		g.s.use("encoding/json")
		g.s.p("\t// Extra holds the keys that the contract does not name.")
		g.s.p("\tExtra map[string]json.RawMessage `json:\"-\"`")
	}
	g.s.p("}\n")
	if t.Open {
		g.open(name, t)
	}
}

// open writes the codec of an object that keeps unknown keys.
func (g *shapes) open(name string, t *model.Type) {
	g.s.use(pathContract)
	known := ""
	for i, f := range t.Fields {
		if i > 0 {
			known += ", "
		}
		known += strconv.Quote(f.Name)
	}
	g.s.p("// UnmarshalJSON implements json.Unmarshaler and keeps unknown keys in Extra.")
	g.s.p("func (v *%s) UnmarshalJSON(b []byte) error {", name)
	g.s.p("\ttype plain %s", name)
	g.s.p("\tif err := json.Unmarshal(b, (*plain)(v)); err != nil {\n\t\treturn err\n\t}")
	g.s.p("\tvar err error\n\tv.Extra, err = contract.ExtraKeys(b, %s)\n\treturn err\n}\n", known)
	g.s.p("// MarshalJSON implements json.Marshaler and writes Extra beside the named keys.")
	g.s.p("func (v %s) MarshalJSON() ([]byte, error) {", name)
	g.s.p("\ttype plain %s", name)
	g.s.p("\treturn contract.WithExtra(plain(v), v.Extra)\n}\n")
}

// defaults writes the function that fills in what the contract defaults.
func (g *shapes) defaults(name string, fields []*model.Field) {
	g.s.p("// New%s returns %s with the contract's defaults; decode the caller's values over it.", name, name)
	g.s.p("func New%s() %s {", name, name)
	g.s.p("\treturn %s{", name)
	for _, f := range fields {
		if f.HasDefault() {
			g.s.p("\t\t%s: %s,", goName(f.Name), literal(f.Default))
		}
	}
	g.s.p("\t}\n}\n")
}

func literal(v any) string {
	switch x := v.(type) {
	case string:
		return strconv.Quote(x)
	case bool, int, int64, float64:
		return fmt.Sprint(x)
	}
	return fmt.Sprintf("%#v", v)
}

// named writes one type of contracts/types.
func (g *shapes) named(n *model.Named) {
	name := goName(n.Name)
	t := n.Type
	switch {
	case t.Kind == model.Object && len(t.Fields) > 0:
		g.object(name, n.Doc, t)
	case t.Kind == model.String && len(t.Enum) > 0:
		g.enum(name, n.Doc, t)
	default:
		typ := g.typeOf(&model.Field{Name: n.Name, Doc: n.Doc, Type: t}, name+"Item")
		g.s.comment("", name+": "+n.Doc)
		g.s.p("type %s = %s\n", name, typ)
	}
	g.flush()
}

func goTypes(m *model.Model) (Files, error) {
	s := newSource("types", "contracts/types", "Package types holds the shapes that tools, REST and the WebSocket share.")
	g := &shapes{s: s}
	for _, n := range m.Types {
		g.named(n)
	}
	b, err := s.bytes()
	return Files{"gen/types/types.go": b}, err
}

func goErrors(m *model.Model) (Files, error) {
	s := newSource("errcode", "contracts/errors", "Package errcode holds one constructor per error code, and the catalogue of codes.")
	s.use(pathContract)
	g := &shapes{s: s}
	s.p("// The codes of the contract.\nconst (")
	for _, e := range m.Errors {
		s.p("\tCode%s contract.Code = %q", goName(e.Code), e.Code)
	}
	s.p(")\n")
	for _, e := range m.Errors {
		name := goName(e.Code)
		s.comment("", fmt.Sprintf("%s (%s): %s", name, e.Code, e.Cause))
		if len(e.Details) == 0 {
			s.p("type %s struct{}\n", name)
			s.p("// Err builds the error.\nfunc (%s) Err() *contract.Error {", name)
			s.p("\treturn contract.NewError(Code%s, %q, nil)\n}\n", name, e.Message)
			continue
		}
		s.p("type %s struct {", name)
		for _, f := range e.Details {
			s.comment("\t", f.About())
			typ := g.typeOf(f, name+goName(f.Name))
			if pointer(f) {
				typ = "*" + typ
			}
			tag := f.Name
			if f.Optional {
				tag += ",omitempty"
			}
			s.p("\t%s %s `json:%q`", goName(f.Name), typ, tag)
		}
		s.p("}\n")
		s.p("// Err builds the error.\nfunc (d %s) Err() *contract.Error {", name)
		s.p("\treturn contract.NewError(Code%s, %s, d)\n}\n", name, message(s, e))
		g.flush()
		for _, f := range e.Details {
			if f.Type.Kind == model.Array && f.Type.Items.Type.Kind == model.Object {
				stringer(s, name+goName(f.Name)+"Item", f.Type.Items.Type.Fields)
			}
		}
	}
	s.p("// Catalogue lists every code in the order of the contract.")
	s.p("var Catalogue = []contract.ErrorInfo{")
	for _, e := range m.Errors {
		exit := 1
		if e.Exit != nil {
			exit = *e.Exit
		}
		s.p("\t{Code: Code%s, Title: %q, HTTP: %d, Category: %q, Retryable: %q, Exit: %d, Hint: %q},",
			goName(e.Code), e.Title, e.HTTP, e.Category, e.Retryable, exit, e.Hint)
	}
	s.p("}\n")
	s.p("var byCode = contract.IndexErrors(Catalogue)\n")
	s.p("// Info returns what the contract says of a code; ok is false for a code it does not know.")
	s.p("func Info(c contract.Code) (info contract.ErrorInfo, ok bool) {\n\tinfo, ok = byCode[c]\n\treturn\n}")
	b, err := s.bytes()
	return Files{"gen/errcode/errcode.go": b}, err
}

// message is the Go expression that fills a message template.
func message(s *source, e *model.Error) string {
	format, args := "", ""
	rest := e.Message
	for {
		i := indexPlaceholder(rest)
		if i < 0 {
			format += escapePercent(rest)
			break
		}
		end := i + 1
		for rest[end] != '}' {
			end++
		}
		name := rest[i+1 : end]
		format += escapePercent(rest[:i]) + "%v"
		for _, d := range e.Details {
			if d.Name == name {
				arg := "d." + goName(name)
				switch {
				case pointer(d):
					arg = "contract.Deref(" + arg + ")"
				case d.Type.Base().Kind == model.Array:
					arg = "contract.Join(" + arg + ")"
				}
				args += ", " + arg
			}
		}
		rest = rest[end+1:]
	}
	if args == "" {
		return strconv.Quote(e.Message)
	}
	s.use("fmt")
	return fmt.Sprintf("fmt.Sprintf(%q%s)", format, args)
}

func indexPlaceholder(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] == '{' {
			for j := i + 1; j < len(s); j++ {
				if s[j] == '}' {
					return i
				}
			}
		}
	}
	return -1
}

func escapePercent(s string) string {
	out := ""
	for _, r := range s {
		if r == '%' {
			out += "%"
		}
		out += string(r)
	}
	return out
}

// stringer gives the elements of a list detail the form that a message prints: their texts in order.
func stringer(s *source, name string, fields []*model.Field) {
	var args []string
	for _, f := range fields {
		if f.Type.Base().Kind == model.String && f.Name != "code" {
			args = append(args, "v."+goName(f.Name))
		}
	}
	if len(args) == 0 {
		return
	}
	s.use("strings")
	s.p("// String is the element as a message prints it.")
	s.p("func (v %s) String() string { return strings.TrimPrefix(strings.Join([]string{%s}, \": \"), \": \") }\n", name, strings.Join(args, ", "))
}
