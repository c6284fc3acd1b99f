package logging

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/secret"
)

// The bounds of a kept record, in bytes: enough for a stack, and no room for a page.
const (
	maxText  = 8 << 10
	maxAttr  = 4 << 10
	maxAttrs = 16 << 10
	// overhead is what a record takes beside its text.
	overhead = 400
)

// reserved are the keys that a record has from elsewhere than its attributes.
var reserved = []string{"seq", "ts", "level", "msg"}

// keeper is the handler that puts records into a ring.
type keeper struct {
	ring    *Ring
	secrets *secret.Redactor
	attrs   []slog.Attr // With their groups in the key.
	group   string
}

func (k *keeper) Enabled(context.Context, slog.Level) bool { return true }

func (k *keeper) WithAttrs(attrs []slog.Attr) slog.Handler {
	next := *k
	next.attrs = slices.Clip(k.attrs)
	for _, a := range attrs {
		next.attrs = flat(next.attrs, k.group, a)
	}
	return &next
}

func (k *keeper) WithGroup(name string) slog.Handler {
	next := *k
	next.group = k.group + name + "."
	return &next
}

// flat appends an attribute, and those of a group one by one, under dotted keys.
func flat(to []slog.Attr, group string, a slog.Attr) []slog.Attr {
	a.Value = a.Value.Resolve()
	if a.Value.Kind() != slog.KindGroup {
		a.Key = group + a.Key
		return append(to, a)
	}
	if a.Key != "" {
		group += a.Key + "."
	}
	for _, one := range a.Value.Group() {
		to = flat(to, group, one)
	}
	return to
}

// Handle implements slog.Handler.
func (k *keeper) Handle(_ context.Context, r slog.Record) error {
	b := builder{secrets: k.secrets, record: &types.LogRecord{
		Ts: r.Time.UnixMilli(), Level: types.LogLevel(levelName(r.Level)),
	}}
	b.record.Msg = b.text(r.Message, maxText)
	for _, a := range k.attrs {
		b.add(a)
	}
	var own []slog.Attr
	r.Attrs(func(a slog.Attr) bool {
		own = flat(own[:0], k.group, a)
		for _, one := range own {
			b.add(one)
		}
		return true
	})
	k.ring.add(r.Level, b.record, b.bytes+overhead)
	return nil
}

// builder makes a record of attributes, without secrets and within the bounds.
type builder struct {
	secrets *secret.Redactor
	record  *types.LogRecord
	bytes   int
}

// text is a text as it may be kept.
func (b *builder) text(s string, most int) string {
	s = b.secrets.Scrub(s) // All of it: half of a secret is not recognised.
	s = strings.ToValidUTF8(cut(s, min(most, max(maxAttrs-b.bytes, 0))), "�")
	b.bytes += len(s)
	return s
}

// cut shortens a text on a rune boundary.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

func (b *builder) add(a slog.Attr) {
	r := b.record
	if to := field(r, a.Key); to != nil {
		s := b.text(a.Value.String(), maxAttr)
		*to = &s
		return
	}
	if a.Key == "err" || a.Key == "error" {
		r.Err = b.failure(a.Value)
		return
	}
	if b.bytes >= maxAttrs || a.Equal(slog.Attr{}) {
		return
	}
	key := b.text(a.Key, 100)
	if slices.Contains(reserved, key) {
		key = "attr." + key
	}
	if r.Extra == nil {
		r.Extra = map[string]json.RawMessage{}
	}
	r.Extra[key] = b.value(a.Value)
}

// field is the field of the contract for an attribute, nil when there is none.
func field(r *types.LogRecord, key string) **string {
	switch key {
	case ModuleKey:
		return &r.Module
	case "trace_id":
		return &r.TraceID
	case "span_id":
		return &r.SpanID
	case "request_id", "ref":
		return &r.RequestID
	case "session_id":
		return &r.SessionID
	case "principal":
		return &r.Principal
	case "transport":
		return &r.Transport
	}
	return nil
}

func (b *builder) failure(v slog.Value) *types.LogError {
	out := &types.LogError{Message: b.text(v.String(), maxText)}
	var e *contract.Error
	if err, ok := v.Any().(error); ok && errors.As(err, &e) {
		code := string(e.Code)
		out.Code = &code
	}
	return out
}

// value encodes an attribute: a number as a number, what JSON knows as JSON, and everything else as text.
func (b *builder) value(v slog.Value) json.RawMessage {
	switch v.Kind() {
	case slog.KindBool, slog.KindInt64, slog.KindUint64, slog.KindFloat64:
		return b.encoded(v.Any(), v.String())
	case slog.KindAny:
		switch any := v.Any().(type) {
		case error, fmt.Stringer:
		default:
			return b.encoded(any, v.String())
		}
	}
	return quoted(b.text(v.String(), maxAttr))
}

// encoded is a value as JSON, if that is short and holds no secret; otherwise its text.
func (b *builder) encoded(v any, text string) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil || len(raw) > maxAttr || b.secrets.Scrub(string(raw)) != string(raw) {
		return quoted(b.text(text, maxAttr))
	}
	b.bytes += len(raw)
	return raw
}

func quoted(s string) json.RawMessage {
	raw, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage(`""`) // Never: a valid text always encodes.
	}
	return raw
}
