package emit

import (
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strings"

	"github.com/browserhive/browserhive/tools/contractgen/internal/goname"
	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

const (
	componentRef = "#/components/schemas/"
	jsonType     = "application/json"
	problemType  = "application/problem+json"
)

var byRef = schemas{ref: componentRef}

// operationCodes are the errors of an operation: those it declares and those that follow from what it
// is: authentication, scope, parameters, body and stage.
func operationCodes(m *model.Model, o *model.Operation) []string {
	seen := map[string]bool{}
	var out []string
	add := func(codes ...string) {
		for _, c := range codes {
			if !seen[c] && m.ErrorNamed(c) != nil {
				seen[c] = true
				out = append(out, c)
			}
		}
	}
	add(o.Errors...)
	public := contains(o.Auth, "public")
	if !public {
		add("UNAUTHORIZED")
		if !o.SeedPassword {
			add("PASSWORD_CHANGE_REQUIRED")
		}
	}
	if o.Scope != "" {
		add("FORBIDDEN")
	}
	if len(o.Query)+len(o.PathParams)+len(o.Headers) > 0 || o.BodyContent != "" {
		add("VALIDATION_FAILED")
	}
	if o.BodyContent != "" {
		add("PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE")
	}
	if len(o.PathParams) > 0 {
		add("NOT_FOUND")
	}
	if o.IfMatch {
		add("CONFLICT", "PRECONDITION_REQUIRED")
	}
	if o.Method != http.MethodGet && o.Method != http.MethodHead {
		add("ORIGIN_NOT_ALLOWED")
	}
	add("HOST_NOT_ALLOWED", "RATE_LIMITED", "INTERNAL_ERROR")
	if o.Stage == model.Planned {
		add("NOT_IMPLEMENTED")
	}
	return out
}

func openAPI(m *model.Model) object {
	paths := object{}
	at := map[string]int{}
	for _, o := range m.Operations {
		i, ok := at[o.Path]
		if !ok {
			i = len(paths)
			at[o.Path] = i
			paths.set(o.Path, object{})
		}
		item := paths[i].Value.(object)
		item.set(strings.ToLower(o.Method), openOperation(m, o))
		paths[i].Value = item
	}
	tags := []any{}
	for _, t := range m.Tags {
		tags = append(tags, object{{"name", t.Name}, {"description", t.Doc}})
	}
	comps := object{}
	for _, n := range reachable(m, operationFields(m)) {
		o := namedSchema(n)
		if slices.ContainsFunc(securitySchemes, func(s member) bool { return goname.Of(s.Key) == goname.Of(n.Name) }) {
			// ogen makes a type of each security scheme, and needs another name for this one.
			o.set("x-ogen-name", goname.Of(n.Name)+"Shape")
		}
		comps.set(n.Name, o)
	}
	comps.set("Problem", problemSchema(m))
	schemes := object{}
	for _, s := range securitySchemes {
		if slices.ContainsFunc(m.Operations, func(o *model.Operation) bool { return contains(o.Auth, s.Key) }) {
			schemes = append(schemes, s)
		}
	}
	return object{
		{"openapi", "3.1.0"},
		{"info", object{
			{"title", "BrowserHive REST API"},
			{"version", "0.1.0"},
			{"summary", "What the dashboard of BrowserHive is built on."},
			{"description", "Served on the port of MCP when admin is on. Bodies are JSON in snake_case, timestamps are milliseconds since the Unix epoch, and every failure is a problem document with a code of the error reference."},
			{"license", object{{"name", "MIT"}, {"identifier", "MIT"}}},
		}},
		{"jsonSchemaDialect", "https://json-schema.org/draft/2020-12/schema"},
		{"servers", []any{object{{"url", "/"}, {"description", "The server that serves this document."}}}},
		{"tags", tags},
		{"paths", paths},
		{"components", object{
			{"securitySchemes", schemes},
			{"schemas", comps},
		}},
	}
}

// securitySchemes are the ways in which a caller may prove itself.
var securitySchemes = object{
	{"cookie", object{{"type", "apiKey"}, {"in", "cookie"}, {"name", "browserhive_session"}, {"description", "Session cookie that login sets."}}},
	{"bearer", object{{"type", "http"}, {"scheme", "bearer"}, {"description", "API token of an operator or an agent."}}},
	{"grant", object{{"type", "apiKey"}, {"in", "query"}, {"name", "grant"}, {"description", "Single-use token for one download, valid for ten minutes."}}},
}

// operationFields are the values that requests and answers carry.
func operationFields(m *model.Model) []*model.Field {
	var out []*model.Field
	for _, o := range m.Operations {
		out = slices.Concat(out, o.PathParams, o.Query, o.Headers)
		if o.Body != nil {
			out = append(out, o.Body)
		}
		for _, r := range o.Responses {
			out = append(out, r.Headers...)
			if r.Body != nil {
				out = append(out, r.Body)
			}
		}
	}
	return out
}

func namedSchema(n *model.Named) object {
	o := byRef.typ(n.Type, false)
	o.set("description", n.Doc)
	if n.Example != nil {
		o.set("examples", []any{n.Example})
	}
	if n.Stage == model.Draft {
		o.set("x-stage", "draft")
	}
	return deprecatedFor(o, n.Deprecated)
}

func problemSchema(m *model.Model) object {
	codes := []string{}
	for _, e := range m.Errors {
		codes = append(codes, e.Code)
	}
	return object{
		{"type", "object"},
		{"description", "What went wrong, as RFC 9457 describes it."},
		{"properties", object{
			{"type", object{{"type", "string"}, {"format", "uri-reference"}, {"description", "Entry of the code in the error reference."}}},
			{"title", object{{"type", "string"}, {"description", "The code in a few words."}}},
			{"status", object{{"type", "integer"}, {"description", "HTTP status."}}},
			{"detail", object{{"type", "string"}, {"description", "What happened this time."}}},
			{"code", object{{"type", "string"}, {"enum", codes}, {"description", "Stable code."}}},
			{"retryable", object{{"type", "string"}, {"enum", retries}, {"description", "What a client may do."}}},
			{"hint", object{{"type", "string"}, {"description", "What to do next."}}},
			{"details", object{{"type", "object"}, {"additionalProperties", true}, {"description", "What the code's entry declares."}}},
			{"request_id", object{{"type", "string"}, {"description", "Finds the request in the log."}}},
		}},
		{"required", []string{"type", "title", "status", "detail", "code", "retryable", "request_id"}},
	}
}

var retries = []string{"never", "immediate", "backoff", "after_operator", "different_args"}

func openOperation(m *model.Model, o *model.Operation) object {
	op := object{
		{"operationId", o.ID},
		{"tags", []string{o.Tag.Name}},
		{"summary", firstSentence(o.Doc)},
		{"description", o.Doc},
		{"x-scope", nil},
	}
	if o.Scope != "" {
		op[len(op)-1].Value = o.Scope
	}
	if o.SeedPassword {
		op.set("x-seed-password", true)
	}
	if o.Stage != model.Built {
		op.set("x-stage", string(o.Stage))
	}
	op = deprecatedFor(op, o.Deprecated)
	var params []any
	param := func(in string, f *model.Field) {
		schema := byRef.field(f)
		p := object{{"name", f.Name}, {"in", in}, {"description", f.About()}, {"required", in == "path" || f.Required()}, {"schema", schema}}
		if in == "query" && f.Type.Base().Kind == model.Array {
			p.set("style", "form")
			p.set("explode", true)
		}
		params = append(params, deprecatedFor(p, f.Deprecated))
	}
	for _, f := range o.PathParams {
		param("path", f)
	}
	for _, f := range o.Query {
		param("query", f)
	}
	for _, f := range o.Headers {
		param("header", f)
	}
	if o.IfMatch {
		param("header", &model.Field{Name: "If-Match", Optional: true, Type: &model.Type{Kind: model.String},
			Doc: "Version that the change is based on. Needed to change what exists."})
	}
	if o.Idempotency {
		max := 128
		param("header", &model.Field{Name: "Idempotency-Key", Optional: true, Type: &model.Type{Kind: model.String, MaxLength: &max},
			Doc: "Repeating the request with the same key does the work once."})
	}
	if len(params) > 0 {
		op.set("parameters", params)
	}
	if o.BodyContent != "" {
		media := object{}
		if o.Body != nil {
			media.set("schema", byRef.field(o.Body))
		}
		op.set("requestBody", object{{"required", true}, {"content", object{{o.BodyContent, media}}}})
	}
	responses := object{}
	for _, r := range o.Responses {
		res := object{{"description", orElse(r.Doc, "Done.")}}
		if len(r.Headers) > 0 {
			hs := object{}
			for _, h := range r.Headers {
				hs.set(h.Name, deprecatedFor(object{{"description", h.About()}, {"schema", byRef.field(h)}}, h.Deprecated))
			}
			res.set("headers", hs)
		}
		if r.Content != "" {
			media := object{}
			switch {
			case r.Body != nil:
				media.set("schema", byRef.field(r.Body))
			case strings.HasPrefix(r.Content, "text/"):
				media.set("schema", object{{"type", "string"}})
			}
			content := object{}
			for _, c := range strings.Split(r.Content, ",") {
				content.set(strings.TrimSpace(c), media)
			}
			res.set("content", content)
		}
		responses.set(fmt.Sprint(r.Status), res)
	}
	byStatus := map[int][]string{}
	for _, c := range operationCodes(m, o) {
		e := m.ErrorNamed(c)
		byStatus[e.HTTP] = append(byStatus[e.HTTP], c)
	}
	var statuses []int
	for s := range byStatus {
		statuses = append(statuses, s)
	}
	sort.Ints(statuses)
	for _, s := range statuses {
		responses.set(fmt.Sprint(s), object{
			{"description", strings.Join(byStatus[s], ", ")},
			{"content", object{{problemType, object{{"schema", object{{"$ref", componentRef + "Problem"}}}}}}},
		})
	}
	responses.set("default", object{
		{"description", "Any other failure."},
		{"content", object{{problemType, object{{"schema", object{{"$ref", componentRef + "Problem"}}}}}}},
	})
	op.set("responses", responses)
	var sec []any
	if !contains(o.Auth, "public") {
		for _, a := range o.Auth {
			sec = append(sec, object{{a, []string{}}})
		}
	} else {
		sec = []any{}
	}
	op.set("security", sec)
	return op
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// firstSentence is a summary: the text up to its first full stop.
func firstSentence(s string) string {
	s, _, _ = strings.Cut(s, "\n\n")
	if i := strings.Index(s, ". "); i > 0 {
		return s[:i]
	}
	return strings.TrimSuffix(s, ".")
}
