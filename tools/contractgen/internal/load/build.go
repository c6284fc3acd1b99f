package load

import (
	"fmt"
	"math"
	"path"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

// builder turns decoded files into the model.
type builder struct {
	m      *model.Model
	faults []model.Fault
	file   string
	groups map[string]*model.Group
	sets   map[string][]Ref

	perGroup map[*model.Group]func()
	order    []*model.Group
}

func (b *builder) fault(n *yaml.Node, msg string, args ...any) {
	b.faults = append(b.faults, model.Fault{Pos: posOf(b.file, n), Msg: fmt.Sprintf(msg, args...)})
}

// decode cannot fail after the grammar check except for values the schema cannot judge.
func decode[T any](b *builder, n *yaml.Node) T {
	var v T
	if err := n.Decode(&v); err != nil {
		b.fault(n, "%s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return v
}

// group registers the file as a group; add runs once all files are read, in the groups' order.
func (b *builder) group(s source, g *model.Group, add func()) {
	g.File = strings.TrimSuffix(path.Base(s.file), ".yaml")
	g.Pos = posOf(s.file, s.root)
	if b.perGroup == nil {
		b.perGroup = map[*model.Group]func(){}
	}
	file := s.file
	b.perGroup[g] = func() { b.file = file; add() }
	b.order = append(b.order, g)
}

func (b *builder) read(s source) {
	b.file = s.file
	switch s.family {
	case "types":
		f := decode[TypesFile](b, s.root)
		g := &model.Group{Order: f.Order, Doc: f.Doc}
		b.group(s, g, func() { b.types(g, f) })
	case "errors":
		f := decode[ErrorsFile](b, s.root)
		g := &model.Group{Name: f.Category, Order: f.Order, Doc: f.Doc}
		b.group(s, g, func() { b.errors(g, f) })
	case "tools":
		f := decode[ToolsFile](b, s.root)
		g := &model.Group{Name: f.Pack, Order: f.Order, Doc: f.Doc, Requires: f.Requires}
		b.group(s, g, func() { b.tools(g, f) })
	case "catalogue":
		b.catalogue(decode[CatalogueFile](b, s.root))
	case "config":
		f := decode[ConfigFile](b, s.root)
		g := &model.Group{Name: f.Group, Order: f.Order, Doc: f.Doc}
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
		g := &model.Group{Name: f.Tag, Order: f.Order, Doc: f.Doc}
		b.group(s, g, func() { b.operations(g, f) })
	case "ws":
		b.ws(decode[WSFile](b, s.root))
	}
}

func (b *builder) finish() {
	sort.SliceStable(b.order, func(i, j int) bool { return b.order[i].Order < b.order[j].Order })
	for _, g := range b.order {
		b.perGroup[g]()
	}
	// Types may be used before they are declared, so references resolve last.
	b.resolve()
}

func (b *builder) resolve() {
	fix := func(f *model.Field) {
		if f.Type.Kind == model.Ref {
			f.Type.Target = b.m.TypeNamed(f.Type.Ref)
			if f.Type.Target == nil {
				b.faults = append(b.faults, model.Fault{Pos: f.Pos,
					Msg: fmt.Sprintf("%s: no type '%s' in contracts/types", f.Name, f.Type.Ref)})
			}
		}
	}
	b.m.EachField(fix)
}

func docs(m Mapping[string]) []model.EnumValue {
	var out []model.EnumValue
	for _, e := range m {
		out = append(out, model.EnumValue{Value: e.Name, Doc: e.Value})
	}
	return out
}

func enum(e Enum) []model.EnumValue { return docs(Mapping[string](e)) }

func (b *builder) fields(m Mapping[Field]) []*model.Field {
	var out []*model.Field
	for _, e := range m {
		f := b.field(e.Name, e.Value)
		f.Pos = posOf(b.file, e.Node)
		out = append(out, f)
	}
	return out
}

func (b *builder) field(name string, f Field) *model.Field {
	return &model.Field{
		Name: name, Pos: posOf(b.file, f.node), Doc: oneLine(f.Doc), Type: b.typ(name, f),
		Optional: f.Optional, Nullable: f.Nullable, Default: f.Default, Sensitive: f.Sensitive,
		Code: f.Code, Follows: f.Follows, Example: f.Example, Stage: model.Stage(f.Stage),
	}
}

// oneLine joins the lines of a folded text.
func oneLine(s string) string { return strings.TrimSpace(s) }

var builtin = map[string]model.Kind{
	"string": model.String, "integer": model.Integer, "number": model.Number, "boolean": model.Boolean,
	"object": model.Object, "array": model.Array, "map": model.Map, "any": model.Any,
}

func (b *builder) typ(name string, f Field) *model.Type {
	t := &model.Type{
		Enum: enum(f.Enum), Const: f.Const, Pattern: f.Pattern, Format: f.Format, Min: f.Min, Max: f.Max,
		MinLength: f.MinLength, MaxLength: f.MaxLength, MinItems: f.MinItems, MaxItems: f.MaxItems, Open: f.Open,
	}
	spec := f.Type
	if el, ok := strings.CutSuffix(spec, "[]"); ok {
		t.Kind = model.Array
		t.Items = b.field("", Field{Type: el, node: f.node})
		t.Items.Sensitive = f.Sensitive
		return t
	}
	if spec == "" {
		switch {
		case len(f.AnyOf) > 0:
			t.Kind = model.Union
		case len(f.Enum) > 0:
			t.Kind = model.String
		case f.Const != nil:
			t.Kind = kindOf(f.Const)
		case len(f.Fields) > 0:
			t.Kind = model.Object
		default:
			b.fault(f.node, "%s: has no type", orFile(name))
			t.Kind = model.Any
		}
	} else if k, ok := builtin[spec]; ok {
		t.Kind = k
	} else {
		t.Kind, t.Ref = model.Ref, spec
	}
	if f.Items != nil {
		t.Items = b.field("", *f.Items)
	}
	if f.Values != nil {
		t.Values = b.field("", *f.Values)
	}
	t.Fields = b.fields(f.Fields)
	for _, a := range f.AnyOf {
		t.AnyOf = append(t.AnyOf, b.field("", a))
	}
	switch {
	case t.Kind == model.Array && t.Items == nil:
		b.fault(f.node, "%s: an array needs 'items', or write the type as X[]", orFile(name))
		t.Items = &model.Field{Type: &model.Type{Kind: model.Any}}
	case t.Kind == model.Map && t.Values == nil:
		b.fault(f.node, "%s: a map needs 'values'", orFile(name))
		t.Values = &model.Field{Type: &model.Type{Kind: model.Any}}
	case t.Kind != model.Object && len(t.Fields) > 0:
		b.fault(f.node, "%s: only an object has 'fields'", orFile(name))
	case t.Kind != model.Union && len(t.AnyOf) > 0:
		b.fault(f.node, "%s: 'any_of' stands alone, without 'type'", orFile(name))
	}
	return t
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

func (b *builder) types(g *model.Group, f TypesFile) {
	b.m.TypeGroups = append(b.m.TypeGroups, g)
	for _, e := range f.Types {
		fd := b.field(e.Name, e.Value)
		n := &model.Named{Name: e.Name, Pos: posOf(b.file, e.Node), Doc: fd.Doc, Type: fd.Type, Stage: fd.Stage}
		if !b.m.AddType(n) {
			b.fault(e.Node, "type '%s' is declared twice; the first is at %s", e.Name, b.m.TypeNamed(e.Name).Pos)
		}
	}
}

func (b *builder) errors(g *model.Group, f ErrorsFile) {
	b.m.Categories = append(b.m.Categories, g)
	for _, e := range f.Errors {
		y := e.Value
		me := &model.Error{
			Code: e.Name, Pos: posOf(b.file, e.Node), Title: y.Title, HTTP: y.HTTP, Category: f.Category,
			Retryable: y.Retryable, Exit: y.Exit, Message: oneLine(y.Message), Hint: oneLine(y.Hint),
			Cause: oneLine(y.Cause), Resolution: oneLine(y.Resolution), Details: b.fields(y.Details),
		}
		if !b.m.AddError(me) {
			b.fault(e.Node, "error '%s' is declared twice; the first is at %s", e.Name, b.m.ErrorNamed(e.Name).Pos)
		}
	}
}

func (b *builder) catalogue(f CatalogueFile) {
	b.m.Capability = docs(f.Capabilities)
	b.sets = map[string][]Ref{}
	for _, e := range f.ErrorSets {
		b.sets[e.Name] = e.Value
		for _, r := range e.Value {
			b.m.SetRefs = append(b.m.SetRefs, model.NameAt{Name: r.Value, Pos: posOf(b.file, r.Node)})
		}
	}
	for _, r := range b.sets["any"] {
		b.m.AnyErrors = append(b.m.AnyErrors, r.Value)
	}
	b.m.CallLimits = b.limits(f.Limits)
}

func (b *builder) limits(m Mapping[LimitY]) []model.Value {
	var out []model.Value
	for _, e := range m {
		n, err := Quantity(e.Value.Value.Value)
		if err != nil {
			b.fault(e.Value.Value.Node, "%s: %v", e.Name, err)
		}
		out = append(out, model.Value{Name: e.Name, Pos: posOf(b.file, e.Node), Raw: e.Value.Value.Value, N: n, Doc: oneLine(e.Value.Doc)})
	}
	return out
}

// Quantity reads a count, a size in bytes or a duration in milliseconds.
func Quantity(s string) (int64, error) {
	i := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	num, unit := s, ""
	if i >= 0 {
		num, unit = s[:i], s[i:]
	}
	factor, ok := map[string]int64{
		"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
		"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000,
	}[unit]
	n, err := strconv.ParseInt(num, 10, 64)
	if err != nil || !ok {
		return 0, fmt.Errorf("'%s' is not a number with an optional unit (B KiB MiB GiB ms s m h d)", s)
	}
	if n > math.MaxInt64/factor {
		return 0, fmt.Errorf("'%s' is too large", s)
	}
	return n * factor, nil
}

func (b *builder) tools(g *model.Group, f ToolsFile) {
	b.m.Packs = append(b.m.Packs, g)
	for _, e := range f.Tools {
		y := e.Value
		t := &model.Tool{
			Name: e.Name, Pos: posOf(b.file, e.Node), Title: y.Title, Doc: oneLine(y.Doc), Pack: g,
			Capability: y.Capability, Since: y.Since, Stage: model.Stage(y.Stage), ReadOnly: y.ReadOnly,
			Destructive: y.Destructive, Idempotent: y.Idempotent, OpenWorld: y.OpenWorld,
			Args: b.fields(y.Args), Result: b.field("result", y.Result), As: y.As, Image: y.Image,
		}
		seen := map[string]bool{}
		add := func(r Ref) {
			t.ErrorRefs = append(t.ErrorRefs, model.NameAt{Name: r.Value, Pos: posOf(b.file, r.Node)})
			if !seen[r.Value] {
				seen[r.Value] = true
				t.Errors = append(t.Errors, r.Value)
			}
		}
		for _, r := range y.Errors {
			if r.Value != strings.ToLower(r.Value) {
				add(r)
				continue
			}
			set, ok := b.sets[r.Value]
			if !ok {
				b.fault(r.Node, "%s: no error set '%s' in tools/catalogue.yaml", e.Name, r.Value)
			}
			for _, s := range set {
				if !seen[s.Value] {
					seen[s.Value] = true
					t.Errors = append(t.Errors, s.Value)
				}
			}
		}
		b.m.Tools = append(b.m.Tools, t)
	}
}

func (b *builder) keys(g *model.Group, f ConfigFile) {
	b.m.KeyGroups = append(b.m.KeyGroups, g)
	for _, e := range f.Keys {
		y := e.Value
		k := &model.Key{
			Name: e.Name, Pos: posOf(b.file, e.Node), Doc: oneLine(y.Doc), Grammar: y.Type, Group: g,
			Default: y.Default, Min: text(y.Min), Max: text(y.Max), Enum: enum(y.Enum), Reserved: enum(y.Reserved),
			Secret: y.Secret, Runtime: y.Runtime, File: y.File == nil || *y.File, Alias: y.Alias,
			Examples: y.Examples, Stage: model.Stage(y.Stage),
		}
		if y.Derived != nil {
			k.DerivedFrom, k.DerivedDoc = y.Derived.From, oneLine(y.Derived.Doc)
		}
		if !b.m.AddKey(k) {
			b.fault(e.Node, "key '%s' is declared twice; the first is at %s", e.Name, b.m.KeyNamed(e.Name).Pos)
		}
	}
}

func text(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

func (b *builder) rules(f RulesFile) {
	conds := func(in []CondY) []model.Cond {
		var out []model.Cond
		for _, c := range in {
			out = append(out, model.Cond{
				Key: c.Key.Value, Pos: posOf(b.file, c.Key.Node), Is: c.Is, In: c.In, Set: c.Set, Explicit: c.Explicit,
				ExplicitBy: c.ExplicitBy, Above: c.Above, BelowKey: c.BelowKey, Loopback: c.Loopback,
			})
		}
		return out
	}
	for _, e := range f.Rules {
		y := e.Value
		b.m.Rules = append(b.m.Rules, &model.Rule{
			Name: e.Name, Pos: posOf(b.file, e.Node), If: conds(y.If), Need: conds(y.Need), NeedAny: conds(y.NeedAny),
			Code: y.Code.Value, Reason: oneLine(y.Reason),
		})
	}
}

func (b *builder) cli(f CLIFile) {
	for _, e := range f.Commands {
		y := e.Value
		c := &model.Command{Name: e.Name, Pos: posOf(b.file, e.Node), Doc: oneLine(y.Doc), Stage: model.Stage(y.Stage),
			Args: b.fields(y.Args), Flags: b.fields(y.Flags)}
		switch v := y.ServerFlags.(type) {
		case nil:
		case bool:
			c.AllKeys = v
		case []any:
			for _, k := range v {
				c.Keys = append(c.Keys, fmt.Sprint(k))
			}
		default:
			b.fault(e.Node, "%s: server_flags is true or a list of configuration keys", e.Name)
		}
		b.m.Commands = append(b.m.Commands, c)
	}
	for _, e := range f.ExitCodes {
		n, err := strconv.Atoi(e.Name)
		if err != nil {
			b.fault(e.Node, "an exit code is a number, not '%s'", e.Name)
		}
		b.m.ExitCodes = append(b.m.ExitCodes, model.ExitCode{Code: n, Name: e.Value.Name, Doc: oneLine(e.Value.Doc)})
	}
}

func (b *builder) operations(g *model.Group, f HTTPFile) {
	b.m.Tags = append(b.m.Tags, g)
	for _, e := range f.Operations {
		y := e.Value
		o := &model.Operation{
			ID: e.Name, Pos: posOf(b.file, e.Node), Method: y.Method, Path: y.Path, Scope: y.Scope.Value, Auth: y.Auth,
			Doc: oneLine(y.Doc), Tag: g, Stage: model.Stage(y.Stage), PathParams: b.fields(y.PathParams),
			Query: b.fields(y.Query), Headers: b.fields(y.Headers), IfMatch: y.IfMatch, Idempotency: y.Idempotency,
		}
		if y.Body != nil {
			o.BodyContent = y.Body.Content
			if o.BodyContent == "" {
				o.BodyContent = "application/json"
			}
			if o.BodyContent == "application/json" || y.Body.Type != "" || len(y.Body.Fields) > 0 {
				o.Body = b.lift(upper(e.Name)+"Request", b.field("body", y.Body.Field), o.Stage)
			}
		}
		for _, r := range y.Responses {
			st, err := strconv.Atoi(r.Name)
			if err != nil || st < 100 || st > 399 {
				b.fault(r.Node, "%s: '%s' is not the status of a success", e.Name, r.Name)
				continue
			}
			res := model.Response{Status: st, Doc: oneLine(r.Value.Doc), Content: r.Value.Content, Headers: b.fields(r.Value.Headers)}
			hasBody := r.Value.Type != "" || len(r.Value.Fields) > 0 || len(r.Value.AnyOf) > 0
			if hasBody {
				if res.Content == "" {
					res.Content = "application/json"
				}
				res.Body = b.field("response", r.Value.Field)
				if res.Content == "application/json" {
					name := upper(e.Name) + "Response"
					if len(o.Responses) > 0 {
						name = fmt.Sprintf("%sResponse%d", upper(e.Name), st)
					}
					res.Body = b.lift(name, res.Body, o.Stage)
				}
			}
			o.Responses = append(o.Responses, res)
		}
		if y.List != nil {
			o.List = b.list(e, o)
		}
		for _, r := range y.Errors {
			o.Errors = append(o.Errors, r.Value)
			o.ErrorRefs = append(o.ErrorRefs, model.NameAt{Name: r.Value, Pos: posOf(b.file, r.Node)})
		}
		b.m.Operations = append(b.m.Operations, o)
	}
}

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// lift gives an inline object a name of its own, so that Go, TypeScript and OpenAPI share it.
func (b *builder) lift(name string, f *model.Field, st model.Stage) *model.Field {
	if f.Type.Kind != model.Object || len(f.Type.Fields) == 0 {
		return f
	}
	doc := f.Doc
	if doc == "" {
		doc = "Body of an operation."
	}
	if st == model.Planned {
		st = model.Draft
	}
	n := &model.Named{Name: name, Pos: f.Pos, Doc: doc, Type: f.Type, Stage: st, Lifted: true}
	if !b.m.AddType(n) {
		b.faults = append(b.faults, model.Fault{Pos: f.Pos,
			Msg: fmt.Sprintf("the inline shape would be named '%s', which contracts/types has already", name)})
	}
	return &model.Field{Name: f.Name, Pos: f.Pos, Doc: f.Doc, Optional: f.Optional, Nullable: f.Nullable,
		Type: &model.Type{Kind: model.Ref, Ref: name}}
}
