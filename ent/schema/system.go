package schema

import (
	"encoding/json"

	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	entschema "entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// SystemEvent is something wrong with the server. The same fault counts up while it lasts.
type SystemEvent struct{ ent.Schema }

// Annotations names the table.
func (SystemEvent) Annotations() []entschema.Annotation { return table("system_events") }

// Fields are the columns.
func (SystemEvent) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").Immutable(),
		field.String("code").Immutable(),
		// cause tells two faults of one code apart; empty where there is only one.
		field.String("cause").Immutable().Default(""),
		field.String("severity"),
		field.String("message"),
		field.Int64("first_seen_at").Immutable(),
		field.Int64("last_seen_at"),
		field.Int64("count").Default(1),
		field.Int64("resolved_at").Optional().Nillable(),
		field.JSON("details", json.RawMessage{}).Optional(),
	}
}

// Indexes serve the list of events, what is wrong now, and the search for a row to count up.
func (SystemEvent) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("last_seen_at", "id"),
		index.Fields("severity", "last_seen_at", "id"),
		index.Fields("code", "last_seen_at", "id"),
		index.Fields("last_seen_at", "id").StorageKey("systemevent_open").Annotations(entsql.IndexWhere("resolved_at IS NULL")),
		index.Fields("code", "cause", "resolved_at"),
	}
}

// LogRecord is one record of the server log, where records are kept.
type LogRecord struct{ ent.Schema }

// Annotations names the table.
func (LogRecord) Annotations() []entschema.Annotation { return table("log_records") }

// Mixin adds id and time.
func (LogRecord) Mixin() []ent.Mixin { return []ent.Mixin{event{}} }

// Fields are the columns.
func (LogRecord) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("seq"),
		field.String("level"),
		field.String("module").Optional().Nillable(),
		field.String("session_id").Optional().Nillable(),
		field.String("principal").Optional().Nillable(),
		field.String("trace_id").Optional().Nillable(),
		field.String("request_id").Optional().Nillable(),
		field.String("msg"),
		field.JSON("attrs", json.RawMessage{}).Optional(),
	}
}

// Indexes serve a search for the records of one session, and for the bad ones.
func (LogRecord) Indexes() []ent.Index {
	return []ent.Index{index.Fields("session_id", "id"), index.Fields("level", "id")}
}

// Migration is one migration that was applied.
type Migration struct{ ent.Schema }

// Annotations names the table.
func (Migration) Annotations() []entschema.Annotation { return table("schema_history") }

// Fields are the columns.
func (Migration) Fields() []ent.Field {
	return []ent.Field{
		// id is the version of the schema after the migration.
		field.Int("id").Immutable(),
		field.String("name").Immutable(),
		// reader is the oldest version of the schema whose code can still read the database.
		field.Int("reader").Immutable(),
		field.String("app_version").Immutable(),
		field.Int64("applied_at").Immutable(),
	}
}
