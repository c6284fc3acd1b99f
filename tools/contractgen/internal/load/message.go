package load

import (
	"go.yaml.in/yaml/v3"

	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

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
		if w.Envelope != nil {
			b.fault(f.Envelope.node, "the envelope is declared twice; the first is at %s", w.Envelope.Pos)
		}
		w.Envelope = b.message("envelope", f.Envelope.node, *f.Envelope)
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
			Scope: t.Scope.Value, Doc: text(t.Doc), Events: refs(t.Events), Stream: refs(t.Stream)})
	}
	w.Limits = append(w.Limits, b.limits(f.Limits)...)
	for _, e := range f.CloseCodes {
		w.CloseCodes = append(w.CloseCodes, model.CloseCode{Name: e.Name, Pos: posOf(b.file, e.Node), Code: e.Value.Code, Doc: text(e.Value.Doc)})
	}
	if f.Binary != nil {
		if w.Header != nil {
			b.fault(f.Binary.node, "the binary frame is declared twice")
		}
		w.BinaryDoc, w.BinaryEndian = text(f.Binary.Doc), f.Binary.Endian
		for _, e := range f.Binary.Header {
			w.Header = append(w.Header, model.HeaderField{Name: e.Name, Offset: e.Value.Offset, Encoding: e.Value.Encoding, Doc: text(e.Value.Doc)})
		}
	}
}

func (b *builder) message(name string, n *yaml.Node, y MessageY) *model.Message {
	d := b.deprecation(y.Deprecated)
	return &model.Message{Name: name, Pos: posOf(b.file, n), Doc: d.Describe(text(y.Doc)), Scope: y.Scope.Value,
		Reply: y.Reply.Value, Fields: b.fields(y.Fields), Deprecated: d}
}
