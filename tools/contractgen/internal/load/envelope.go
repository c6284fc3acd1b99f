package load

import (
	"go.yaml.in/yaml/v3"

	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

// UnmarshalYAML implements yaml.Unmarshaler, to remember the position.
func (l *ListY) UnmarshalYAML(n *yaml.Node) error {
	type plain ListY
	l.node = n
	return n.Decode((*plain)(l))
}

// A page never holds more rows than this unless the operation says so: 200 rows of the widest kind
// stay well under a megabyte.
const (
	defaultPage = 50
	maxPage     = 200
)

// list adds the parameters and the envelope that every collection has.
func (b *builder) list(e Entry[Operation], o *model.Operation) *model.List {
	y := e.Value.List
	l := &model.List{Of: y.Of, Pos: posOf(b.file, y.node), Sort: y.Sort, Facets: y.Facets, Total: y.Total,
		Fields: b.fields(y.Fields), DefaultLimit: defaultPage, MaxLimit: maxPage}
	if y.Limit != nil {
		l.DefaultLimit, l.MaxLimit = y.Limit.Default, y.Limit.Max
	}
	one, most := 1.0, float64(l.MaxLimit)
	add := func(f *model.Field) {
		f.Pos = o.Pos
		o.Query = append(o.Query, f)
	}
	add(&model.Field{Name: "cursor", Optional: true, Type: &model.Type{Kind: model.String, MaxLength: intp(512)},
		Doc: "Where to continue: next_cursor or prev_cursor of an earlier page."})
	add(&model.Field{Name: "limit", Default: l.DefaultLimit, Type: &model.Type{Kind: model.Integer, Min: &one, Max: &most},
		Doc: "Rows in a page."})
	if len(l.Sort) > 0 {
		var vals []model.EnumValue
		for _, s := range l.Sort {
			vals = append(vals, model.EnumValue{Value: s})
		}
		add(&model.Field{Name: "sort", Default: l.Sort[0], Type: &model.Type{Kind: model.String, Enum: vals}, Doc: "Column to sort by."})
		add(&model.Field{Name: "dir", Default: "desc", Doc: "Direction of the sort.",
			Type: &model.Type{Kind: model.String, Enum: []model.EnumValue{{Value: "asc"}, {Value: "desc"}}}})
	}
	row := &model.Field{Pos: l.Pos, Type: &model.Type{Kind: model.Ref, Ref: l.Of}}
	env := []*model.Field{
		{Name: "data", Pos: l.Pos, Doc: "The rows of this page.", Type: &model.Type{Kind: model.Array, Items: row}},
		{Name: "page", Pos: l.Pos, Doc: "Where this page stands.", Type: &model.Type{Kind: model.Ref, Ref: "Page"}},
	}
	if len(l.Facets) > 0 {
		var fs []*model.Field
		for _, name := range l.Facets {
			count := &model.Field{Pos: l.Pos, Type: &model.Type{Kind: model.Ref, Ref: "FacetValue"}}
			fs = append(fs, &model.Field{Name: name, Pos: l.Pos, Doc: "Rows per value of " + name + ".",
				Type: &model.Type{Kind: model.Array, Items: count}})
		}
		env = append(env, &model.Field{Name: "facets", Pos: l.Pos, Doc: "How many matching rows each value has.",
			Type: &model.Type{Kind: model.Object, Fields: fs}})
	}
	env = append(env, l.Fields...)
	env = append(env,
		&model.Field{Name: "applied", Pos: l.Pos, Doc: "The filters, sort and limit that were applied.", Type: &model.Type{Kind: model.Ref, Ref: "Applied"}},
		&model.Field{Name: "meta", Pos: l.Pos, Doc: "About the answer itself.", Type: &model.Type{Kind: model.Ref, Ref: "ListMeta"}})
	body := b.lift(upper(e.Name)+"Page", &model.Field{Name: "response", Pos: l.Pos, Doc: "One page of " + l.Of + " rows.",
		Type: &model.Type{Kind: model.Object, Fields: env}}, o.Stage)
	if len(o.Responses) == 0 {
		o.Responses = []model.Response{{Status: 200, Doc: "One page of rows.", Content: "application/json", Body: body}}
	}
	return l
}

func intp(n int) *int { return &n }

func (b *builder) ws(f WSFile) {
	w := &b.m.WS
	msgs := func(in Mapping[MessageY]) []*model.Message {
		var out []*model.Message
		for _, e := range in {
			out = append(out, b.message(e.Name, e.Node, e.Value))
		}
		return out
	}
	w.Commands = append(w.Commands, msgs(f.Commands)...)
	w.Replies = append(w.Replies, msgs(f.Replies)...)
	w.Events = append(w.Events, msgs(f.Events)...)
	w.Stream = append(w.Stream, msgs(f.Stream)...)
	w.Inputs = append(w.Inputs, msgs(f.Inputs)...)
	if f.Envelope != nil {
		w.Envelope = b.message("envelope", nil, *f.Envelope)
	}
	refs := func(in []Ref) []model.NameAt {
		var out []model.NameAt
		for _, r := range in {
			out = append(out, model.NameAt{Name: r.Value, Pos: posOf(b.file, r.Node)})
		}
		return out
	}
	for _, e := range f.Topics {
		t := e.Value
		w.Topics = append(w.Topics, &model.Topic{Name: e.Name, Pos: posOf(b.file, e.Node), Address: t.Address,
			Scope: t.Scope.Value, Doc: oneLine(t.Doc), Events: refs(t.Events), Stream: refs(t.Stream)})
	}
	w.Limits = append(w.Limits, b.limits(f.Limits)...)
	for _, e := range f.CloseCodes {
		w.CloseCodes = append(w.CloseCodes, model.CloseCode{Name: e.Name, Code: e.Value.Code, Doc: oneLine(e.Value.Doc)})
	}
	if f.Binary != nil {
		w.BinaryDoc, w.BinaryEndian = oneLine(f.Binary.Doc), f.Binary.Endian
		for _, e := range f.Binary.Header {
			w.Header = append(w.Header, model.HeaderField{Name: e.Name, Offset: e.Value.Offset, Encoding: e.Value.Encoding, Doc: oneLine(e.Value.Doc)})
		}
	}
}

func (b *builder) message(name string, n *yaml.Node, y MessageY) *model.Message {
	return &model.Message{Name: name, Pos: posOf(b.file, n), Doc: oneLine(y.Doc), Scope: y.Scope.Value,
		Reply: y.Reply.Value, Fields: b.fields(y.Fields)}
}
