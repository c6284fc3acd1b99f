package emit

import (
	"fmt"
	"strings"

	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

func apiPage(m *model.Model) []byte {
	d := newMD("REST API", "contracts/http", fmt.Sprintf("The %d operations of the REST API. Bodies are JSON in snake_case, timestamps are milliseconds since the Unix epoch, unknown query parameters and keys are refused. The document for tools is [openapi.json](openapi.json), from which oapi-codegen, openapi-typescript, hey-api and ogen make clients; ogen with `ignore_not_implemented: [\"object defaults\"]`.", len(m.Operations)))
	d.shapes = ""
	d.heading(2, "scopes", "Scopes")
	var rows [][]string
	for _, s := range m.Scopes {
		rows = append(rows, []string{anchor("scope-"+s.Value) + code(s.Value), cell(s.Doc)})
	}
	d.table([]string{"Scope", "Allows"}, rows)
	for _, g := range m.Tags {
		d.heading(2, "tag-"+g.File, g.Name)
		d.p("%s", prose(g.Doc))
		for _, o := range m.Operations {
			if o.Tag == g {
				d.operation(m, o)
			}
		}
	}
	d.heading(2, "shapes", "Shapes")
	for _, n := range m.Types {
		if !n.Lifted {
			d.named(n)
		}
	}
	return d.page()
}

// named describes a type; what is no more than a text or a number is described where it is used.
func (d *md) named(n *model.Named) {
	if n.Type.Kind != model.Object && len(n.Type.Enum) == 0 {
		return
	}
	d.heading(3, "type-"+n.Name, n.Name)
	d.p("%s\n", prose(n.Doc))
	if n.Stage == model.Draft {
		d.p("Draft: nothing serves it yet, so it may change.\n")
	}
	if n.Type.Kind == model.Object {
		d.object(n.Type)
		return
	}
	var rows [][]string
	for _, v := range n.Type.Enum {
		rows = append(rows, []string{code(v.Value), cell(v.Doc)})
	}
	d.table([]string{"Value", "Meaning"}, rows)
}

func (d *md) operation(m *model.Model, o *model.Operation) {
	d.heading(3, o.ID, code(o.ID))
	d.p("`%s %s`\n\n%s\n", o.Method, o.Path, prose(o.Doc))
	if o.Stage == model.Planned {
		d.p("Not built yet: it answers %s.\n", codeLinks([]string{"NOT_IMPLEMENTED"}))
	}
	scope := "none"
	if o.Scope != "" {
		scope = scopeLink("", o.Scope)
	}
	d.para("Scope: %s. Authentication: %s.", scope, strings.Join(o.Auth, ", "))
	for _, part := range []struct {
		what   string
		fields []*model.Field
	}{{"In the path:", o.PathParams}, {"In the query:", o.Query}, {"Headers:", o.Headers}} {
		if len(part.fields) > 0 {
			d.para("%s", part.what)
			d.fieldTable(part.fields)
		}
	}
	if o.IfMatch {
		d.para("`If-Match` carries the version that the change is based on.")
	}
	if o.Idempotency {
		d.para("`Idempotency-Key` makes repeating the request harmless.")
	}
	if o.BodyContent != "" {
		d.para("Body:")
		d.body(o.Body, o.BodyContent)
	}
	for _, r := range o.Responses {
		d.para("Answer %d: %s", r.Status, prose(orElse(r.Doc, "done.")))
		if r.Content != "" {
			d.body(r.Body, r.Content)
		}
		if len(r.Headers) > 0 {
			d.para("Headers:")
			d.fieldTable(r.Headers)
		}
	}
	d.para("Errors: %s.", codeLinks(operationCodes(m, o)))
}

// body describes what a request or an answer carries.
func (d *md) body(f *model.Field, content string) {
	if content != jsonType {
		d.para("Media type %s.", code(content))
	}
	if f == nil {
		return
	}
	if b := f.Type.Base(); b.Kind == model.Object {
		d.object(b)
		return
	}
	d.para("A value of the type %s.", d.typeText(f))
}

func wsPage(m *model.Model) []byte {
	w := &m.WS
	d := newMD("WebSocket", "contracts/ws", "The realtime protocol of the dashboard, at `/api/v1/ws` with the subprotocol `browserhive.v1`. The document for tools is [asyncapi.json](asyncapi.json).")
	if w.Envelope != nil {
		d.heading(2, "envelope", "Envelope")
		d.p("%s\n", prose(w.Envelope.Doc))
		d.fieldTable(w.Envelope.Fields)
	}
	d.heading(2, "topics", "Topics")
	var rows [][]string
	for _, t := range w.Topics {
		var carries []string
		for _, e := range t.Events {
			carries = append(carries, link(code(e.Name), "#event-"+e.Name))
		}
		for _, s := range t.Stream {
			carries = append(carries, link(code(s.Name), "#stream-"+s.Name))
		}
		rows = append(rows, []string{anchor("topic-"+t.Name) + code(t.Address), scopeLink("api.md", t.Scope), cell(t.Doc), strings.Join(carries, ", ")})
	}
	d.table([]string{"Topic", "Scope", "About", "Carries"}, rows)
	for _, f := range []struct {
		kind, title string
		list        []*model.Message
	}{{"command", "Commands", w.Commands}, {"reply", "Replies", w.Replies}, {"event", "Events", w.Events}, {"stream", "Screencast messages", w.Stream}, {"input", "Live input", w.Inputs}} {
		d.heading(2, f.kind+"s", f.title)
		for _, msg := range f.list {
			d.message(f.kind, msg)
		}
	}
	d.heading(2, "binary", "Binary frames")
	d.p("%s Numbers are %s-endian.\n", prose(w.BinaryDoc), w.BinaryEndian)
	rows = nil
	for _, h := range w.Header {
		rows = append(rows, []string{fmt.Sprint(h.Offset), anchor("header-"+h.Name) + code(h.Name), cell(h.Encoding), cell(h.Doc)})
	}
	d.table([]string{"Offset", "Field", "Encoding", "Meaning"}, rows)
	d.heading(2, "limits", "Limits")
	d.values("limit-", w.Limits)
	d.heading(2, "close-codes", "Close codes")
	rows = nil
	for _, c := range w.CloseCodes {
		rows = append(rows, []string{fmt.Sprint(c.Code), anchor("close-"+c.Name) + code(c.Name), cell(c.Doc)})
	}
	d.table([]string{"Code", "Name", "Meaning"}, rows)
	return d.page()
}

func (d *md) message(kind string, msg *model.Message) {
	d.heading(3, kind+"-"+msg.Name, code(msg.Name))
	d.p("%s", prose(msg.Doc))
	if kind == "command" {
		scope := "any caller that is signed in"
		if msg.Scope != "" {
			scope = scopeLink("api.md", msg.Scope)
		}
		line := "Scope: " + scope + "."
		if msg.Reply != "" {
			line += " Reply: " + link(code(msg.Reply), "#reply-"+msg.Reply) + "."
		}
		d.para("%s", line)
	}
	d.fieldTable(msg.Fields)
}
