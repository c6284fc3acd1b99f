package emit

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	Key   string
	Value any
}

func (o *object) set(key string, v any) { *o = append(*o, member{key, v}) }

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		k, err := encode(m.Key)
		if err != nil {
			return nil, err
		}
		v, err := encode(m.Value)
		if err != nil {
			return nil, err
		}
		b.Write(k)
		b.WriteByte(':')
		b.Write(v)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encode is json.Marshal without the escaping of <, > and &, which documents show to people.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// pretty is the published form of a JSON document.
func pretty(v any) ([]byte, error) {
	raw, err := encode(v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// schemas writes JSON Schema. ref is the prefix of references to named types; when it is empty, named
// types are written out in place, which every MCP client understands.
type schemas struct{ ref string }

// field is the schema of a field's value.
func (s schemas) field(f *model.Field) object {
	o := s.typ(f.Type, f.Nullable)
	if d := f.About(); d != "" && (f.Doc != "" || s.ref == "") {
		o = put(o, "description", d)
	}
	if f.HasDefault() {
		o.set("default", f.Default)
	}
	// A reference leads to the example of its type; in place, it is the field's.
	if e := f.Example; e != nil {
		o.set("examples", []any{e})
	} else if e := example(f); e != nil && s.ref == "" {
		o.set("examples", []any{e})
	}
	if f.Sensitive {
		o.set("x-sensitive", true)
	}
	if s.ref != "" {
		return deprecatedFor(o, f.Deprecated)
	}
	return deprecated(o, f.Deprecated)
}

// deprecated marks a schema, an operation or a parameter; the description says the rest.
func deprecated(o object, d *model.Deprecation) object {
	if d != nil {
		o.set("deprecated", true)
	}
	return o
}

// deprecatedFor is deprecated with the reason where oapi-codegen looks for it.
func deprecatedFor(o object, d *model.Deprecation) object {
	if d != nil {
		o.set("deprecated", true)
		o.set("x-deprecated-reason", d.Reason())
	}
	return o
}

// put sets a member in front of the others of its kind, replacing one of the same name.
func put(o object, key string, v any) object {
	for i := range o {
		if o[i].Key == key {
			o[i].Value = v
			return o
		}
	}
	o.set(key, v)
	return o
}

func num(f float64) any {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return int64(f)
	}
	return f
}

func (s schemas) typ(t *model.Type, nullable bool) object {
	var o object
	if t.Kind == model.Ref {
		if s.ref == "" {
			o = s.typ(t.Target.Type, nullable)
			return s.bounds(o, t)
		}
		o.set("$ref", s.ref+t.Ref)
		if nullable {
			return object{{"anyOf", []any{o, object{{"type", "null"}}}}}
		}
		return s.bounds(o, t)
	}
	kind := func(k string) {
		if nullable {
			o.set("type", []string{k, "null"})
		} else {
			o.set("type", k)
		}
	}
	switch t.Kind {
	case model.Any:
	case model.Union:
		var alts []any
		for _, a := range t.AnyOf {
			alts = append(alts, s.field(a))
		}
		if nullable {
			alts = append(alts, object{{"type", "null"}})
		}
		o.set("anyOf", alts)
	case model.Map:
		kind("object")
		o.set("additionalProperties", s.field(t.Values))
	case model.Array:
		kind("array")
		o.set("items", s.field(t.Items))
	case model.Object:
		kind("object")
		o = append(o, s.properties(t.Fields, t.Open)...)
	default:
		kind(string(t.Kind))
	}
	if len(t.Enum) > 0 {
		var vals []any
		for _, v := range t.Enum {
			vals = append(vals, v.Value)
		}
		if nullable {
			vals = append(vals, nil)
		}
		o.set("enum", vals)
	}
	if t.Const != nil {
		o.set("const", t.Const)
	}
	return s.bounds(o, t)
}

func (s schemas) bounds(o object, t *model.Type) object {
	if t.Pattern != "" {
		o.set("pattern", t.Pattern)
	}
	if t.Format != "" {
		o.set("format", t.Format)
	}
	for _, b := range []struct {
		k string
		v *float64
	}{{"minimum", t.Min}, {"maximum", t.Max}} {
		if b.v != nil {
			o.set(b.k, num(*b.v))
		}
	}
	for _, b := range []struct {
		k string
		v *int
	}{{"minLength", t.MinLength}, {"maxLength", t.MaxLength}, {"minItems", t.MinItems}, {"maxItems", t.MaxItems}} {
		if b.v != nil {
			o.set(b.k, *b.v)
		}
	}
	return o
}

// properties is the part of an object schema that its fields make.
func (s schemas) properties(fields []*model.Field, open bool) object {
	props := object{}
	required := []string{}
	for _, f := range fields {
		props.set(f.Name, s.field(f))
		if f.Required() {
			required = append(required, f.Name)
		}
	}
	o := object{{"properties", props}}
	if len(required) > 0 {
		o.set("required", required)
	}
	o.set("additionalProperties", open)
	return o
}

// closed is the schema of an object that has these fields and no others.
func (s schemas) closed(fields []*model.Field) object {
	return append(object{{"type", "object"}}, s.properties(fields, false)...)
}

// inline is how tools and errors write schemas.
var inline = schemas{}

// argsSchema and resultSchema are what tools/list carries.
func argsSchema(t *model.Tool) object { return inline.closed(t.Args) }

func resultSchema(t *model.Tool) object {
	if t.As == "" {
		o := inline.field(t.Result)
		return tolerant(o)
	}
	list := object{{"type", "object"}, {"properties", object{{t.As, inline.field(t.Result)}}}, {"required", []string{t.As}}}
	return tolerant(list)
}

// tolerant lets results gain fields: a client that validates against an older schema must not break.
func tolerant(v object) object {
	var out object
	for _, m := range v {
		if m.Key == "additionalProperties" && m.Value == false {
			continue
		}
		switch x := m.Value.(type) {
		case object:
			m.Value = tolerant(x)
		case []any:
			alts := make([]any, len(x))
			for i, a := range x {
				if ao, ok := a.(object); ok {
					a = tolerant(ao)
				}
				alts[i] = a
			}
			m.Value = alts
		}
		out = append(out, m)
	}
	return out
}
