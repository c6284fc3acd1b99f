package load

import "github.com/browserhive/browserhive/tools/contractgen/internal/model"

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
		Fields: b.fields(y.Fields)}
	usual, one, most := defaultPage, 1.0, float64(maxPage)
	if y.Limit != nil {
		usual, most = y.Limit.Default, float64(y.Limit.Max)
	}
	add := func(f *model.Field) {
		f.Pos = l.Pos
		o.Query = append(o.Query, f)
	}
	add(&model.Field{Name: "cursor", Optional: true, Type: &model.Type{Kind: model.String, MaxLength: intp(512)},
		Doc: "Where to continue: next_cursor or prev_cursor of an earlier page."})
	add(&model.Field{Name: "limit", Default: usual, Type: &model.Type{Kind: model.Integer, Min: &one, Max: &most},
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
	ref := func(name string) *model.Type { return &model.Type{Kind: model.Ref, Ref: name, Pos: l.Pos} }
	row := &model.Field{Pos: l.Pos, Type: ref(l.Of)}
	env := []*model.Field{
		{Name: "data", Pos: l.Pos, Doc: "The rows of this page.", Type: &model.Type{Kind: model.Array, Items: row}},
		{Name: "page", Pos: l.Pos, Doc: "Where this page stands.", Type: ref("Page")},
	}
	if len(l.Facets) > 0 {
		var fs []*model.Field
		for _, name := range l.Facets {
			count := &model.Field{Pos: l.Pos, Type: ref("FacetValue")}
			fs = append(fs, &model.Field{Name: name, Pos: l.Pos, Doc: "Rows per value of " + name + ".",
				Type: &model.Type{Kind: model.Array, Items: count}})
		}
		env = append(env, &model.Field{Name: "facets", Pos: l.Pos, Doc: "How many matching rows each value has.",
			Type: &model.Type{Kind: model.Object, Fields: fs}})
	}
	env = append(env, l.Fields...)
	env = append(env,
		&model.Field{Name: "applied", Pos: l.Pos, Doc: "The filters, sort and limit that were applied.", Type: ref("Applied")},
		&model.Field{Name: "meta", Pos: l.Pos, Doc: "About the answer itself.", Type: ref("ListMeta")})
	body := b.lift(upper(e.Name)+"Page", &model.Field{Name: "response", Pos: l.Pos, Doc: "One page of " + l.Of + " rows.",
		Type: &model.Type{Kind: model.Object, Fields: env}}, o.Stage)
	if len(o.Responses) > 0 {
		b.fault(e.Node, "%s: a list answers with a page, so 'responses' has no place beside it", e.Name)
	} else {
		o.Responses = []model.Response{{Status: 200, Doc: "One page of rows.", Content: jsonType, Body: body}}
	}
	return l
}

func intp(n int) *int { return &n }
