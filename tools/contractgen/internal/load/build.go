package load

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
	"github.com/browserhive/browserhive/tools/contractgen/internal/nearest"
)

// builder turns decoded files into the model.
type builder struct {
	m      *model.Model
	faults []model.Fault
	file   string
	sets   map[string][]Ref
	groups []group
}

// group is a file that has an order among those of its family.
type group struct {
	*model.Group
	family string
	add    func()
}

func (b *builder) fault(n *yaml.Node, msg string, args ...any) {
	b.faultAt(posOf(b.file, n), msg, args...)
}

func (b *builder) faultAt(p model.Pos, msg string, args ...any) {
	b.faults = append(b.faults, model.Fault{Pos: p, Msg: fmt.Sprintf(msg, args...)})
}

// decode cannot fail after the grammar check; should the two disagree, the fault is said all the same.
func decode[T any](b *builder, n *yaml.Node) T {
	var v T
	if err := n.Decode(&v); err != nil {
		_, msg := lineOf(err.Error())
		b.fault(n, "cannot be read: %s", msg)
	}
	return v
}

// group registers the file as a group; add runs once all files are read, in the groups' order.
func (b *builder) group(s source, g *model.Group, add func()) {
	g.File = strings.TrimSuffix(path.Base(s.file), ".yaml")
	g.Pos = posOf(s.file, s.root)
	b.groups = append(b.groups, group{g, s.family, func() { b.file = s.file; add() }})
}

func (b *builder) read(s source) {
	b.file = s.file
	switch s.family {
	case "types":
		f := decode[TypesFile](b, s.root)
		g := &model.Group{Order: f.Order, Doc: text(f.Doc)}
		b.group(s, g, func() { b.types(g, f) })
	case "errors":
		f := decode[ErrorsFile](b, s.root)
		g := &model.Group{Name: f.Category, Order: f.Order, Doc: text(f.Doc)}
		b.group(s, g, func() { b.errors(g, f) })
	case "tools":
		f := decode[ToolsFile](b, s.root)
		g := &model.Group{Name: f.Pack, Order: f.Order, Doc: text(f.Doc), Requires: f.Requires}
		b.group(s, g, func() { b.tools(g, f) })
	case "catalogue":
		b.catalogue(decode[CatalogueFile](b, s.root))
	case "config":
		f := decode[ConfigFile](b, s.root)
		g := &model.Group{Name: f.Group, Order: f.Order, Doc: text(f.Doc)}
		b.group(s, g, func() { b.keys(g, f) })
	case "rules":
		b.rules(decode[RulesFile](b, s.root))
	case "reserved":
		b.m.Reserved = docs(decode[ReservedFile](b, s.root).Reserved)
	case "cli":
		b.cli(decode[CLIFile](b, s.root))
	case "scopes":
		b.m.Scopes = docs(decode[ScopesFile](b, s.root).Scopes)
	case "http":
		f := decode[HTTPFile](b, s.root)
		g := &model.Group{Name: f.Tag, Order: f.Order, Doc: text(f.Doc)}
		b.group(s, g, func() { b.operations(g, f) })
	case "ws":
		b.ws(decode[WSFile](b, s.root))
	}
}

func (b *builder) finish() {
	// Types come first, so that a shape lifted out of an operation cannot take the name of one.
	slices.SortStableFunc(b.groups, func(x, y group) int {
		switch xFirst, yFirst := x.family == "types", y.family == "types"; {
		case xFirst && !yFirst:
			return -1
		case yFirst && !xFirst:
			return 1
		}
		return x.Order - y.Order
	})
	first := map[string]model.Pos{}
	for _, g := range b.groups {
		if name := g.family + " " + g.Name; g.Name != "" {
			if pos, dup := first[name]; dup {
				b.faultAt(g.Pos, "'%s' names the files of two groups; the other is %s", g.Name, pos.File)
			}
			first[name] = g.Pos
		}
		g.add()
	}
	// Types may be used before they are declared, so references resolve last.
	b.m.EachField(b.resolve)
	b.m.EachField(func(f *model.Field) {
		if f.Deprecated != nil {
			doc := f.About()
			if t := f.Type.Target; f.Doc == "" && t != nil && t.Deprecated != nil {
				doc = strings.TrimSpace(strings.TrimSuffix(doc, t.Deprecated.Text()))
			}
			f.Doc = f.Deprecated.Describe(doc)
		}
	})
}

func (b *builder) resolve(f *model.Field) {
	t := f.Type
	if t.Kind != model.Ref {
		return
	}
	if t.Target = b.m.TypeNamed(t.Ref); t.Target != nil {
		return
	}
	known := builtinNames()
	for _, n := range b.m.Types {
		known = append(known, n.Name)
	}
	b.faultAt(t.Pos, "%s: no type '%s' in contracts/types%s", orElement(f.Name), t.Ref, nearest.Hint(t.Ref, known))
}

func docs(m Mapping[string]) []model.EnumValue {
	var out []model.EnumValue
	for _, e := range m {
		out = append(out, model.EnumValue{Value: e.Name, Doc: text(e.Value)})
	}
	return out
}

func enum(e Enum) []model.EnumValue { return docs(Mapping[string](e)) }

// text drops the newline that YAML leaves at the end of a folded text.
func text(s string) string { return strings.TrimSpace(s) }

func (b *builder) types(g *model.Group, f TypesFile) {
	b.m.TypeGroups = append(b.m.TypeGroups, g)
	for _, e := range f.Types {
		b.named(e)
	}
}

func (b *builder) named(e Entry[Field]) {
	b.misplaced(e.Value, "a type; write it where the type is used",
		"optional", "nullable", "default", "sensitive", "typed", "code", "follows")
	d := b.deprecation(e.Value.Deprecated)
	n := &model.Named{Name: e.Name, Pos: posOf(b.file, e.Node), Doc: d.Describe(text(e.Value.Doc)), Deprecated: d,
		Type: b.typ(e.Name, e.Value), Example: e.Value.Example, Stage: model.Stage(e.Value.Stage)}
	if !b.m.AddType(n) {
		b.fault(e.Node, "type '%s' is declared twice; the first is at %s", e.Name, b.m.TypeNamed(e.Name).Pos)
	}
}

func (b *builder) errors(g *model.Group, f ErrorsFile) {
	b.m.Categories = append(b.m.Categories, g)
	for _, e := range f.Errors {
		y := e.Value
		me := &model.Error{
			Code: e.Name, Pos: posOf(b.file, e.Node), Title: text(y.Title), HTTP: y.HTTP, Category: f.Category,
			Retryable: y.Retryable, Exit: y.Exit, Message: text(y.Message), Hint: text(y.Hint),
			Deprecated: b.deprecation(y.Deprecated), Resolution: text(y.Resolution), Details: b.fields(y.Details),
		}
		me.Cause = me.Deprecated.Describe(text(y.Cause))
		if !b.m.AddError(me) {
			b.fault(e.Node, "error '%s' is declared twice; the first is at %s", e.Name, b.m.ErrorNamed(e.Name).Pos)
		}
	}
}
