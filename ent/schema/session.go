package schema

import (
	"encoding/json"

	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	entschema "entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Session is one session, live or finished, with what happened in it counted.
type Session struct{ ent.Schema }

// Annotations names the table.
func (Session) Annotations() []entschema.Annotation { return table("sessions") }

// Fields are the columns.
func (Session) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").Immutable(),
		field.String("slug").Immutable(),
		field.String("owner").Immutable(),
		field.String("tenant_id").Optional().Nillable(),
		field.String("channel"),
		field.String("engine").Optional().Nillable(),
		field.Bool("headless"),
		field.Bool("incognito"),
		field.String("persistence_mode"),
		field.String("state"),
		field.String("current_url").Optional().Nillable(),
		field.Int64("created_at").Immutable(),
		field.Int64("last_activity_at"),
		field.Int64("closed_at").Optional().Nillable(),
		field.String("closed_reason").Optional().Nillable(),
		field.Int64("archived_at").Optional().Nillable(),
		field.Bool("disable_evaluate"),
		field.Bool("vault_enabled"),
		field.Bool("stealth").Optional().Nillable(),
		field.Bool("fingerprint").Optional().Nillable(),
		field.Bool("humanize").Optional().Nillable(),
		field.String("proxy_label").Optional().Nillable(),
		field.Int64("tool_calls").Default(0),
		field.Int64("errors").Default(0),
		field.Int64("pages").Default(0),
		field.Int64("screenshots").Default(0),
		field.Int64("blocked").Default(0),
		field.Int64("vault_accesses").Default(0),
		field.JSON("client", json.RawMessage{}).Optional(),
		field.JSON("identity", json.RawMessage{}).Optional(),
		field.JSON("warnings", []string{}).Optional(),
		// trace is how far the trace of the session is, with size and time; empty without tracing.
		field.JSON("trace", json.RawMessage{}).Optional(),
	}
}

// Indexes serve the list of sessions, one for each column that it is sorted by, and the start that looks for
// those a dead server left. That of the default order holds every column that a filter or a count looks at.
// Live sessions are as many as browsers run; archived ones as many as an operator chose.
func (Session) Indexes() []ent.Index {
	all := []ent.Index{
		index.Fields("created_at", "id", "closed_at", "archived_at", "owner", "channel", "persistence_mode", "closed_reason", "slug").
			StorageKey("session_created_at_id"),
		index.Fields("owner", "created_at", "id"),
		index.Fields("created_at", "id").StorageKey("session_live").Annotations(entsql.IndexWhere("closed_at IS NULL")),
		index.Fields("created_at", "id").StorageKey("session_archived").Annotations(entsql.IndexWhere("archived_at IS NOT NULL")),
	}
	for _, column := range []string{
		"last_activity_at", "closed_at", "slug", "owner", "channel", "persistence_mode", "state", "current_url",
		"tool_calls", "errors", "blocked",
	} {
		all = append(all, index.Fields(column, "id"))
	}
	return all
}
