package emit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/browserhive/browserhive/tools/contractgen/internal/goname"
	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

// shapes writes Go declarations for types, and remembers the names that inline shapes were given.
type shapes struct {
	s *source
	// prefix qualifies named types, "types." outside their own package.
	prefix string
	queue  []func()
	// made remembers which shape has which name.
	made map[string]*model.Type
}

func newShapes(s *source, prefix string) *shapes {
	return &shapes{s: s, prefix: prefix, made: map[string]*model.Type{}}
}

// claim reports whether t is to be written under name, which it is once.
func (g *shapes) claim(name string, t *model.Type) bool {
	switch g.made[name] {
	case nil:
		g.made[name] = t
		return true
	case t:
		return false
	}
	g.s.fail("two shapes would both be named %s in Go; rename a type or a field", name)
	return false
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
		return g.prefix + goname.Of(t.Ref)
	case model.String:
		if len(t.Enum) > 0 {
			if g.claim(name, t) {
				g.queue = append(g.queue, func() { g.enum(name, f.About(), t) })
			}
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
		if g.claim(name, t) {
			g.queue = append(g.queue, func() { g.object(name, f.About(), t) })
		}
		return name
	default:
		g.s.use("encoding/json")
		return "json.RawMessage"
	}
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
	default:
		return true
	}
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
	g.s.comment("", name+": "+orElse(doc, "one element."))
	g.s.p("type %s string\n", name)
	g.s.p("// Values of %s.", name)
	g.s.p("const (")
	for _, v := range t.Enum {
		g.claim(name+goname.Of(v.Value), &model.Type{})
		if v.Doc != "" {
			g.s.comment("\t", v.Doc)
		}
		g.s.p("\t%s%s %s = %q", name, goname.Of(v.Value), name, v.Value)
	}
	g.s.p(")\n")
}

func (g *shapes) object(name, doc string, t *model.Type) {
	g.s.comment("", name+": "+orElse(doc, "one element."))
	g.s.p("type %s struct {", name)
	for _, f := range t.Fields {
		if d := f.About(); d != "" {
			g.s.comment("\t", d)
		}
		typ := g.typeOf(f, name+goname.Of(f.Name))
		if pointer(f) {
			typ = "*" + typ
		}
		tag := f.Name
		if f.Optional {
			tag += ",omitempty"
		}
		g.s.p("\t%s %s `json:%q`", goname.Of(f.Name), typ, tag)
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
			g.s.p("\t\t%s: %s,", goname.Of(f.Name), g.literal(f, g.typeOf(f, name+goname.Of(f.Name))))
		}
	}
	g.s.p("\t}\n}\n")
}

// literal writes the default of a field as a Go expression of type typ, or of a pointer to it.
func (g *shapes) literal(f *model.Field, typ string) string {
	var out string
	switch x := f.Default.(type) {
	case []any:
		var elements []string
		for _, e := range x {
			elements = append(elements, scalar(e))
		}
		out = typ + "{" + strings.Join(elements, ", ") + "}"
	case map[string]any:
		out = typ + "{}"
	default:
		out = scalar(x)
	}
	if pointer(f) {
		g.s.use(pathContract)
		return fmt.Sprintf("contract.To[%s](%s)", typ, out)
	}
	return out
}

func scalar(v any) string {
	if s, ok := v.(string); ok {
		return strconv.Quote(s)
	}
	return fmt.Sprint(v)
}

// named writes one type of contracts/types.
func (g *shapes) named(n *model.Named) {
	name := goname.Of(n.Name)
	t := n.Type
	g.claim(name, t)
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
	g := newShapes(s, "")
	for _, n := range m.Types {
		g.named(n)
	}
	b, err := s.bytes()
	return Files{"gen/types/types.go": b}, err
}
