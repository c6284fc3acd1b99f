package emit

import (
	"slices"
	"strings"

	"github.com/browserhive/browserhive/tools/contractgen/internal/goname"
	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

const messageRef = "#/components/messages/"

// messageKey is the name of a message among the components: type names hold dots, which component
// keys may hold too, but stream messages need a prefix so that they do not meet replies.
func messageKey(kind, name string) string { return kind + "." + name }

// tagged are the fields of a message with the type that tells it from others in front.
func tagged(msg *model.Message) []*model.Field {
	out := []*model.Field{{
		Name: "type", Type: &model.Type{Kind: model.String, Const: msg.Name}, Doc: "Says which message this is.",
	}}
	for _, f := range msg.Fields {
		if f.Name != "type" {
			out = append(out, f)
		}
	}
	return out
}

func messagePayload(msg *model.Message) object {
	o := append(object{{"type", "object"}, {"description", msg.Doc}}, byRef.properties(tagged(msg), false)...)
	return deprecated(o, msg.Deprecated)
}

func asyncAPI(m *model.Model) object {
	w := &m.WS
	messages := object{}
	family := func(kind string, list []*model.Message) {
		for _, msg := range list {
			payload := messagePayload(msg)
			if kind == "command" {
				payload = withCorr(payload)
			}
			o := object{
				{"name", msg.Name},
				{"title", kind + " " + msg.Name},
				{"summary", msg.Doc},
				{"contentType", jsonType},
				{"payload", payload},
				{"x-kind", kind},
			}
			if kind == "command" {
				o.set("x-scope", nil)
				if msg.Scope != "" {
					o[len(o)-1].Value = msg.Scope
				}
				if msg.Reply != "" {
					o.set("x-reply", msg.Reply)
				}
			}
			messages.set(messageKey(kind, msg.Name), o)
		}
	}
	family("command", w.Commands)
	family("reply", w.Replies)
	family("event", w.Events)
	family("stream", w.Stream)

	channels := object{}
	operations := object{}
	for _, t := range w.Topics {
		ms := object{}
		for _, e := range t.Events {
			ms.set(e.Name, object{{"$ref", messageRef + messageKey("event", e.Name)}})
		}
		for _, e := range t.Stream {
			ms.set(e.Name, object{{"$ref", messageRef + messageKey("stream", e.Name)}})
		}
		ch := object{
			{"address", t.Address},
			{"title", t.Name},
			{"description", t.Doc},
			{"x-scope", t.Scope},
			{"messages", ms},
		}
		if i := strings.IndexByte(t.Address, '{'); i >= 0 {
			name := strings.TrimSuffix(t.Address[i+1:], "}")
			ch.set("parameters", object{{name, object{{"description", "The session."}}}})
		}
		channels.set(t.Name, ch)
		operations.set("receive."+t.Name, object{
			{"action", "send"},
			{"summary", "The server sends what happens on the topic."},
			{"channel", object{{"$ref", "#/channels/" + t.Name}}},
		})
	}
	cmds := object{}
	for _, c := range w.Commands {
		cmds.set(c.Name, object{{"$ref", messageRef + messageKey("command", c.Name)}})
	}
	replies := object{}
	for _, r := range w.Replies {
		replies.set(r.Name, object{{"$ref", messageRef + messageKey("reply", r.Name)}})
	}
	channels.set("commands", object{
		{"address", "commands"}, {"title", "commands"},
		{"description", "What a client may send. This is the connection itself, not a topic."},
		{"messages", cmds},
	})
	channels.set("replies", object{
		{"address", "replies"}, {"title", "replies"},
		{"description", "How the server answers commands, on the connection that sent them."},
		{"messages", replies},
	})
	operations.set("command", object{{"action", "receive"}, {"summary", "The client sends a command."},
		{"channel", object{{"$ref", "#/channels/commands"}}}})
	operations.set("reply", object{{"action", "send"}, {"summary", "The server answers a command."},
		{"channel", object{{"$ref", "#/channels/replies"}}}})

	comps := object{}
	if w.Envelope != nil {
		comps.set("Envelope", append(object{{"type", "object"}, {"description", w.Envelope.Doc}}, byRef.properties(w.Envelope.Fields, false)...))
	}
	for _, in := range w.Inputs {
		comps.set(goname.Of(in.Name)+"Input", messagePayload(in))
	}
	for _, n := range reachable(m, messageFields(m)) {
		comps.set(n.Name, namedSchema(n))
	}
	limits := object{}
	for _, l := range w.Limits {
		limits.set(l.Name, l.N)
	}
	closes := []any{}
	for _, c := range w.CloseCodes {
		closes = append(closes, object{{"code", c.Code}, {"name", c.Name}, {"description", c.Doc}})
	}
	header := []any{}
	for _, h := range w.Header {
		header = append(header, object{{"field", h.Name}, {"offset", h.Offset}, {"encoding", h.Encoding}, {"description", h.Doc}})
	}
	return object{
		{"asyncapi", "3.0.0"},
		{"info", object{
			{"title", "BrowserHive realtime protocol"},
			{"version", "1.0.0"},
			{"description", "Live feeds, screencast and takeover input over one WebSocket at /api/v1/ws, subprotocol browserhive.v1. Server text frames are an Envelope around a payload; client frames are commands. " + w.BinaryDoc},
			{"license", object{{"name", "MIT"}}},
		}},
		{"defaultContentType", jsonType},
		{"servers", object{{"local", object{{"host", "127.0.0.1:9876"}, {"pathname", "/api/v1/ws"}, {"protocol", "ws"}, {"description", "The default address."}}}}},
		{"channels", channels},
		{"operations", operations},
		{"components", object{{"messages", messages}, {"schemas", comps}}},
		{"x-limits", limits},
		{"x-close-codes", closes},
		{"x-binary-header", header},
		{"x-binary-endian", w.BinaryEndian},
	}
}

// withCorr adds the correlation that any command may carry.
func withCorr(o object) object {
	for i := range o {
		if o[i].Key == "properties" {
			props := o[i].Value.(object)
			props.set("corr", object{{"type", "string"}, {"description", "Echoed on the reply or error."}, {"minLength", 1}, {"maxLength", 64}})
			o[i].Value = props
		}
	}
	return o
}

// messageFields are the members of all messages.
func messageFields(m *model.Model) []*model.Field {
	w := &m.WS
	var out []*model.Field
	for _, msg := range slices.Concat(w.Commands, w.Replies, w.Events, w.Stream, w.Inputs) {
		out = append(out, msg.Fields...)
	}
	if w.Envelope != nil {
		out = append(out, w.Envelope.Fields...)
	}
	return out
}

// reachable lists the named types that fields use, in the order of the contract.
func reachable(m *model.Model, fields []*model.Field) []*model.Named {
	seen := map[string]bool{}
	var visit func(f *model.Field)
	visit = func(f *model.Field) {
		if f.Type.Kind == model.Ref && f.Type.Target != nil && !seen[f.Type.Ref] {
			seen[f.Type.Ref] = true
			model.Walk([]*model.Field{{Name: f.Type.Ref, Type: f.Type.Target.Type}}, visit)
		}
	}
	model.Walk(fields, visit)
	var out []*model.Named
	for _, n := range m.Types {
		if seen[n.Name] {
			out = append(out, n)
		}
	}
	return out
}
