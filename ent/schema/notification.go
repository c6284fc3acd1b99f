package schema

import (
	"encoding/json"

	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	entschema "entgo.io/ent/schema"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Notification is something that an operator should see.
type Notification struct{ ent.Schema }

// Annotations names the table.
func (Notification) Annotations() []entschema.Annotation { return table("notifications") }

// Fields are the columns.
func (Notification) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").Immutable(),
		field.String("principal_id").Immutable(),
		field.String("type").Immutable(),
		// cause makes repetitions of the same matter one row.
		field.String("cause").Immutable(),
		field.String("title"),
		field.String("body").Optional().Nillable(),
		field.String("session_id").Optional().Nillable(),
		field.String("session_slug").Optional().Nillable(),
		field.String("target").Optional().Nillable(),
		field.String("source_event_id").Optional().Nillable(),
		field.Int64("created_at").Immutable(),
		field.Int64("updated_at"),
		field.Int64("count").Default(1),
		field.Int64("read_at").Optional().Nillable(),
		field.Int64("dismissed_at").Optional().Nillable(),
	}
}

// Edges tie a notification to the operator that it is for.
func (Notification) Edges() []ent.Edge { return []ent.Edge{ofPrincipal("notifications")} }

// Indexes serve the list of an operator, those not read yet, and the search for a row to count up.
func (Notification) Indexes() []ent.Index {
	shown := entsql.IndexWhere("dismissed_at IS NULL")
	return []ent.Index{
		index.Fields("principal_id", "updated_at", "id").Annotations(shown),
		index.Fields("principal_id", "type", "updated_at", "id").Annotations(shown),
		index.Fields("principal_id", "session_id", "updated_at", "id").Annotations(shown),
		index.Fields("principal_id", "updated_at", "id").StorageKey("notification_unread").
			Annotations(entsql.IndexWhere("read_at IS NULL AND dismissed_at IS NULL")),
		index.Fields("principal_id", "cause"),
		index.Fields("session_id"),
	}
}

// Preference holds the settings that a principal made in the dashboard.
type Preference struct{ ent.Schema }

// Annotations names the table.
func (Preference) Annotations() []entschema.Annotation { return table("preferences") }

// Fields are the columns.
func (Preference) Fields() []ent.Field {
	return []ent.Field{
		field.String("principal_id").Immutable(),
		field.JSON("value", json.RawMessage{}),
		field.Int64("updated_at"),
	}
}

// Edges tie preferences to their principal.
func (Preference) Edges() []ent.Edge {
	return []ent.Edge{edge.From("principal", Principal.Type).Ref("preference").Field("principal_id").Unique().Required().Immutable()}
}
