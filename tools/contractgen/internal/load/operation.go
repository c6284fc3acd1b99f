package load

import (
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

func (b *builder) operations(g *model.Group, f HTTPFile) {
	b.m.Tags = append(b.m.Tags, g)
	for _, e := range f.Operations {
		y := e.Value
		o := &model.Operation{
			ID: e.Name, Pos: posOf(b.file, e.Node), Method: y.Method, Path: y.Path, Scope: y.Scope.Value, Auth: y.Auth,
			Doc: text(y.Doc), Tag: g, Stage: model.Stage(y.Stage), PathParams: b.fields(y.PathParams),
			Query: b.fields(y.Query), Headers: b.fields(y.Headers), IfMatch: y.IfMatch, Idempotency: y.Idempotency, SeedPassword: y.SeedPassword,
		}
		o.Deprecated = b.deprecation(y.Deprecated)
		o.Doc = o.Deprecated.Describe(o.Doc)
		if y.Body != nil {
			o.BodyContent = y.Body.Content
			if o.BodyContent == "" {
				o.BodyContent = jsonType
			}
			if o.BodyContent == jsonType || y.Body.shaped() {
				o.Body = b.lift(upper(e.Name)+"Request", b.element("body", y.Body.Field), o.Stage)
			}
		}
		for _, r := range y.Responses {
			status, err := strconv.Atoi(r.Name)
			if err != nil || status < 101 || status > 399 {
				b.fault(r.Node, "%s: '%s' is not the status of a success, 101 to 399", e.Name, r.Name)
				continue
			}
			o.Responses = append(o.Responses, b.response(e.Name, o, status, r.Value))
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

const jsonType = "application/json"

func (b *builder) response(id string, o *model.Operation, status int, y ResponseY) model.Response {
	res := model.Response{Status: status, Doc: text(y.Doc), Content: y.Content, Headers: b.fields(y.Headers)}
	if !y.shaped() {
		return res
	}
	if res.Content == "" {
		res.Content = jsonType
	}
	res.Body = b.element("response", y.Field)
	if res.Content == jsonType {
		name := upper(id) + "Response"
		if len(o.Responses) > 0 {
			name = fmt.Sprintf("%sResponse%d", upper(id), status)
		}
		res.Body = b.lift(name, res.Body, o.Stage)
	}
	return res
}

// upper makes the first letter a capital.
func upper(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
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
		b.faultAt(f.Pos, "the inline shape would be named '%s', which is declared at %s", name, b.m.TypeNamed(name).Pos)
	}
	return &model.Field{Name: f.Name, Pos: f.Pos, Doc: f.Doc, Optional: f.Optional, Nullable: f.Nullable,
		Sensitive: f.Sensitive, Example: f.Example, Type: &model.Type{Kind: model.Ref, Ref: name, Pos: f.Pos}}
}
