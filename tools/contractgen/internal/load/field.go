package load

import (
	"maps"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

// fields reads named fields: arguments, properties, details, parameters.
func (b *builder) fields(m Mapping[Field]) []*model.Field {
	var out []*model.Field
	for _, e := range m {
		f := b.field(e.Name, e.Value)
		f.Pos = posOf(b.file, e.Node)
		out = append(out, f)
	}
	for _, f := range out {
		if f.Deprecated != nil {
			f.Deprecated.Among = out
		}
	}
	return out
}

// element reads a value that has no name of its own, so that it can be neither absent nor defaulted.
func (b *builder) element(name string, f Field) *model.Field {
	b.misplaced(f, "a value without a name; write it on the field that holds it",
		"optional", "default", "typed", "code", "follows", "stage", "deprecated")
	return b.field(name, f)
}

func (b *builder) field(name string, f Field) *model.Field {
	return &model.Field{
		Name: name, Pos: posOf(b.file, f.node), Doc: text(f.Doc), Type: b.typ(name, f),
		Optional: f.Optional, Nullable: f.Nullable, Default: f.Default, Sensitive: f.Sensitive, Typed: f.Typed,
		Code: f.Code, Follows: f.Follows, Example: f.Example, Stage: model.Stage(f.Stage),
		Deprecated: b.deprecation(f.Deprecated),
	}
}

func (b *builder) deprecation(y *DeprecatedY) *model.Deprecation {
	if y == nil {
		return nil
	}
	return &model.Deprecation{Since: y.Since.Value, Use: y.Use.Value, Pos: posOf(b.file, y.node)}
}

// misplaced reports keys that would be read and mean nothing.
func (b *builder) misplaced(f Field, where string, keys ...string) {
	for _, k := range keys {
		if n := f.key(k); n != nil {
			b.fault(n, "'%s' means nothing on %s", k, where)
		}
	}
}

// key finds a key of the field as it was written, or nil.
func (f Field) key(name string) *yaml.Node {
	if f.node == nil {
		return nil
	}
	k, _ := member(f.node, name)
	return k
}

// shaped reports whether the field says what its value looks like.
func (f Field) shaped() bool {
	return slices.ContainsFunc([]string{"type", "enum", "const", "any_of", "fields", "items", "values"},
		func(k string) bool { return f.key(k) != nil })
}

var builtin = map[string]model.Kind{
	"string": model.String, "integer": model.Integer, "number": model.Number, "boolean": model.Boolean,
	"object": model.Object, "array": model.Array, "map": model.Map, "any": model.Any,
}

func builtinNames() []string { return slices.Sorted(maps.Keys(builtin)) }

// shapeKeys are the keys that each kind gives a meaning; a named type may be narrowed by bounds.
var shapeKeys = map[model.Kind][]string{
	model.String:  {"enum", "const", "pattern", "format", "min_length", "max_length"},
	model.Integer: {"const", "min", "max", "format"},
	model.Number:  {"const", "min", "max", "format"},
	model.Boolean: {"const"},
	model.Object:  {"fields", "open"},
	model.Array:   {"items", "min_items", "max_items"},
	model.Map:     {"values"},
	model.Any:     {},
	model.Union:   {"any_of"},
	model.Ref:     {"pattern", "format", "min", "max", "min_length", "max_length", "min_items", "max_items"},
}

var allShapeKeys = []string{"enum", "const", "pattern", "format", "min", "max", "min_length", "max_length",
	"min_items", "max_items", "items", "values", "fields", "open", "any_of"}

func (b *builder) typ(name string, f Field) *model.Type {
	t := &model.Type{
		Enum: enum(f.Enum), Const: f.Const, Pattern: f.Pattern, Format: f.Format, Min: f.Min, Max: f.Max,
		MinLength: f.MinLength, MaxLength: f.MaxLength, MinItems: f.MinItems, MaxItems: f.MaxItems, Open: f.Open,
		Pos: posOf(b.file, f.node),
	}
	if f.node != nil {
		if _, v := member(f.node, "type"); v != nil {
			t.Pos = posOf(b.file, v)
		}
	}
	who := orElement(name)
	if el, ok := strings.CutSuffix(f.Type, "[]"); ok {
		t.Kind = model.Array
		b.allow(f, who, f.Type+"; write 'type: array' and put it under 'items'", []string{"min_items", "max_items"})
		t.Items = b.field("", Field{Type: el, Sensitive: f.Sensitive})
		t.Items.Pos, t.Items.Type.Pos = t.Pos, t.Pos
		return t
	}
	switch k, ok := builtin[f.Type]; {
	case ok:
		t.Kind = k
	case f.Type != "":
		t.Kind, t.Ref = model.Ref, f.Type
	case len(f.AnyOf) > 0:
		t.Kind = model.Union
	case len(f.Enum) > 0:
		t.Kind = model.String
	case f.Const != nil:
		t.Kind = kindOf(f.Const)
	case len(f.Fields) > 0:
		t.Kind = model.Object
	default:
		b.fault(f.node, "%s: has no type", who)
		t.Kind = model.Any
		return t
	}
	what := "type " + string(t.Kind)
	switch t.Kind {
	case model.Ref:
		what = "the named type " + t.Ref
	case model.Union:
		what = "any_of"
	default:
	}
	b.allow(f, who, what, shapeKeys[t.Kind])
	b.inner(t, f, who)
	return t
}

// inner reads the shapes inside a shape.
func (b *builder) inner(t *model.Type, f Field, who string) {
	if f.Items != nil {
		t.Items = b.element("", *f.Items)
	}
	if f.Values != nil {
		t.Values = b.element("", *f.Values)
	}
	t.Fields = b.fields(f.Fields)
	for _, a := range f.AnyOf {
		t.AnyOf = append(t.AnyOf, b.element("", a))
	}
	if t.Kind == model.Array && t.Items == nil {
		b.fault(f.node, "%s: an array needs 'items', or write the type as X[]", who)
		t.Items = &model.Field{Type: &model.Type{Kind: model.Any}}
	}
	if t.Kind == model.Map && t.Values == nil {
		b.fault(f.node, "%s: a map needs 'values'", who)
		t.Values = &model.Field{Type: &model.Type{Kind: model.Any}}
	}
}

// allow reports the shape keys that the kind of a field gives no meaning.
func (b *builder) allow(f Field, who, what string, keys []string) {
	for _, k := range allShapeKeys {
		if n := f.key(k); n != nil && !slices.Contains(keys, k) {
			b.fault(n, "%s: '%s' does not go with %s", who, k, what)
		}
	}
}

func orElement(name string) string {
	if name == "" {
		return "element"
	}
	return name
}

func kindOf(v any) model.Kind {
	switch x := v.(type) {
	case bool:
		return model.Boolean
	case int, int64:
		return model.Integer
	case float64:
		if x == math.Trunc(x) {
			return model.Integer
		}
		return model.Number
	}
	return model.String
}
