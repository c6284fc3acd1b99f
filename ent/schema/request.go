package schema

import (
	"encoding/json"

	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	entschema "entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Request is one request to an operator, whether for help with a page or for consent to a vault fill.
type Request struct{ ent.Schema }

// Annotations names the table.
func (Request) Annotations() []entschema.Annotation { return table("requests") }

// Fields are the columns.
func (Request) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").Immutable(),
		field.String("kind").Immutable(),
		field.String("session_id").Immutable(),
		field.String("session_slug").Immutable(),
		field.String("owner").Immutable(),
		field.String("tool").Immutable(),
		field.String("event_id").Optional().Nillable(),
		field.String("mode").Optional().Nillable(),
		field.String("entry_name").Optional().Nillable(),
		field.String("status"),
		field.String("resolved_by").Optional().Nillable(),
		field.String("resolution_reason").Optional().Nillable(),
		field.Int64("created_at").Immutable(),
		field.Int64("resolved_at").Optional().Nillable(),
		field.Int64("deadline_at"),
		field.String("page_url").Optional().Nillable(),
		field.String("reason").Optional().Nillable(),
		field.String("message").Optional().Nillable(),
		field.JSON("options", json.RawMessage{}).Optional(),
	}
}

// Indexes serve the lists of requests, those that wait first of all.
func (Request) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("kind", "status", "id"),
		index.Fields("kind", "id"),
		index.Fields("session_id", "id"),
		index.Fields("session_id", "kind").StorageKey("request_pending").Annotations(entsql.IndexWhere("status = 'pending'")),
	}
}
