package schema

import (
	"encoding/json"

	"entgo.io/ent"
	entschema "entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// VaultAccess is one row of the vault log. No row of any table holds a credential of the vault.
type VaultAccess struct{ ent.Schema }

// Annotations names the table.
func (VaultAccess) Annotations() []entschema.Annotation { return table("vault_accesses") }

// Mixin adds id and time.
func (VaultAccess) Mixin() []ent.Mixin { return []ent.Mixin{event{}} }

// Fields are the columns.
func (VaultAccess) Fields() []ent.Field {
	return []ent.Field{
		field.String("session_id"),
		field.String("session_slug"),
		field.String("tool_event_id").Optional().Nillable(),
		field.String("entry_name").Optional().Nillable(),
		field.String("handle").Optional().Nillable(),
		field.String("result"),
		field.String("reason").Optional().Nillable(),
		field.Bool("evaluate_enabled"),
		field.String("origin_check"),
		field.String("principal_id"),
		field.String("page_url").Optional().Nillable(),
		field.JSON("details", json.RawMessage{}).Optional(),
	}
}

// Indexes serve the lists of the vault log.
func (VaultAccess) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("session_id", "id"),
		index.Fields("result", "id"),
		index.Fields("entry_name", "id"),
		index.Fields("principal_id", "id"),
	}
}

// VaultBinding permits agents to fill one entry under a handle, which is its id.
type VaultBinding struct{ ent.Schema }

// Annotations names the table.
func (VaultBinding) Annotations() []entschema.Annotation { return table("vault_bindings") }

// Fields are the columns.
func (VaultBinding) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").Immutable(),
		field.String("item_name"),
		field.String("item_id").Optional().Nillable(),
		field.JSON("allowed_origins", []string{}),
		field.JSON("authorized_sessions", []string{}),
		field.JSON("authorized_principals", []string{}),
		field.Bool("dashboard_confirm"),
		field.Bool("require_no_evaluate"),
		field.Bool("redact_username"),
		// version grows by one with every change, for If-Match.
		field.Int64("version").Default(1),
		field.Int64("created_at").Immutable(),
		field.Int64("updated_at"),
		field.String("updated_by"),
	}
}

// VaultPolicy says what agents may fill from one folder. The id of the folder is empty for entries without one.
type VaultPolicy struct{ ent.Schema }

// Annotations names the table.
func (VaultPolicy) Annotations() []entschema.Annotation { return table("vault_policies") }

// Fields are the columns.
func (VaultPolicy) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").Immutable(),
		field.String("mode"),
		field.JSON("authorized_sessions", []string{}),
		field.Bool("dashboard_confirm"),
		field.Bool("require_no_evaluate"),
		field.Bool("redact_username"),
		field.Int64("version").Default(1),
		field.Int64("updated_at"),
		field.String("updated_by"),
	}
}
