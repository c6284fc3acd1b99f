package schema

import (
	"encoding/json"

	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	entschema "entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// ToolCall is one call of a tool. Columns that can be long stand last, so that a list never reads them.
type ToolCall struct{ ent.Schema }

// Annotations names the table.
func (ToolCall) Annotations() []entschema.Annotation { return table("tool_calls") }

// Mixin adds id and time.
func (ToolCall) Mixin() []ent.Mixin { return []ent.Mixin{event{}} }

// Fields are the columns.
func (ToolCall) Fields() []ent.Field {
	return []ent.Field{
		field.String("session_id").Optional().Nillable(),
		field.String("owner"),
		field.String("tool"),
		field.String("tab_id").Optional().Nillable(),
		field.Bool("ok"),
		field.String("error_code").Optional().Nillable(),
		field.String("error_message").Optional().Nillable(),
		field.Int64("duration_ms"),
		field.Int64("result_size_bytes").Optional().Nillable(),
		field.String("trace_id").Optional().Nillable(),
		field.Bool("has_screenshot").Default(false),
		field.JSON("client", json.RawMessage{}).Optional(),
		field.String("args_json").Optional().Nillable(),
		field.String("result_text").Optional().Nillable(),
	}
}

// Indexes serve the lists of calls: every filter that names few rows, in the order of time. A call that
// succeeded is in four of them only. Those of the sessions and of the ids hold what is counted, that of the
// failures what a text is looked for in, so that none of them reads the calls.
func (ToolCall) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("session_id", "id", "tool", "error_code").StorageKey("toolcall_session_id_id"),
		index.Fields("owner", "id"),
		index.Fields("tool", "id"),
		index.Fields("error_code", "id").Annotations(entsql.IndexWhere("error_code IS NOT NULL")),
		index.Fields("trace_id", "id").Annotations(entsql.IndexWhere("trace_id IS NOT NULL")),
		index.Fields("id", "tool", "error_code", "owner").StorageKey("toolcall_id"),
		index.Fields("id", "tool", "error_code", "error_message").StorageKey("toolcall_failure").
			Annotations(entsql.IndexWhere("ok = 0")),
	}
}

// CallCount counts the calls of one hour, so that totals and figures need not read the calls.
type CallCount struct{ ent.Schema }

// Annotations names the table.
func (CallCount) Annotations() []entschema.Annotation { return table("call_counts") }

// Fields are the columns.
func (CallCount) Fields() []ent.Field {
	return []ent.Field{
		// hour is its first millisecond; -1 counts all hours together.
		field.Int64("hour").Immutable(),
		field.String("owner").Immutable(),
		field.String("tool").Immutable(),
		// error_code is empty for calls that succeeded.
		field.String("error_code").Immutable(),
		field.Int64("calls"),
	}
}

// Indexes make one row of each combination.
func (CallCount) Indexes() []ent.Index {
	return []ent.Index{index.Fields("hour", "owner", "tool", "error_code").Unique()}
}

// Page is one navigation of a tab.
type Page struct{ ent.Schema }

// Annotations names the table.
func (Page) Annotations() []entschema.Annotation { return table("pages") }

// Mixin adds id and time.
func (Page) Mixin() []ent.Mixin { return []ent.Mixin{event{}} }

// Fields are the columns.
func (Page) Fields() []ent.Field {
	return []ent.Field{
		field.String("session_id"),
		field.String("tab_id").Optional().Nillable(),
		field.String("domain").Optional().Nillable(),
		field.String("category"),
		field.String("title").Optional().Nillable(),
		field.String("url"),
	}
}

// Indexes serve the lists of pages and the visits of a domain.
func (Page) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("session_id", "id"),
		index.Fields("domain", "id"),
		index.Fields("category", "id"),
	}
}

// Screenshot is one image that is kept on disk. Its id is that of the call which it belongs to.
type Screenshot struct{ ent.Schema }

// Annotations names the table.
func (Screenshot) Annotations() []entschema.Annotation { return table("screenshots") }

// Mixin adds id and time.
func (Screenshot) Mixin() []ent.Mixin { return []ent.Mixin{event{}} }

// Fields are the columns.
func (Screenshot) Fields() []ent.Field {
	return []ent.Field{
		field.String("session_id"),
		field.String("tool"),
		field.String("kind"),
		field.String("content_type"),
		field.Int64("width").Optional().Nillable(),
		field.Int64("height").Optional().Nillable(),
		field.Int64("size_bytes"),
		// path is below the data directory.
		field.String("path"),
	}
}

// Indexes serve the screenshots of a session.
func (Screenshot) Indexes() []ent.Index {
	return []ent.Index{index.Fields("session_id", "id")}
}

// BlockedAttempt is one request that the blocklist stopped.
type BlockedAttempt struct{ ent.Schema }

// Annotations names the table.
func (BlockedAttempt) Annotations() []entschema.Annotation { return table("blocked_attempts") }

// Mixin adds id and time.
func (BlockedAttempt) Mixin() []ent.Mixin { return []ent.Mixin{event{}} }

// Fields are the columns.
func (BlockedAttempt) Fields() []ent.Field {
	return []ent.Field{
		field.String("session_id"),
		field.String("session_slug"),
		field.String("tool_event_id").Optional().Nillable(),
		field.String("domain").Optional().Nillable(),
		field.String("pattern"),
		field.String("source"),
		field.String("tool").Optional().Nillable(),
		field.String("url"),
	}
}

// Indexes serve the lists of attempts and the hits of a rule.
func (BlockedAttempt) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("session_id", "id"),
		index.Fields("domain", "id"),
		index.Fields("pattern", "id"),
		index.Fields("source", "id"),
		index.Fields("tool", "id"),
	}
}
