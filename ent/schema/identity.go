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

// Principal is somebody who may call. Only operators have a password.
type Principal struct{ ent.Schema }

// Annotations names the table.
func (Principal) Annotations() []entschema.Annotation { return append(table("principals"), Client{}) }

// Fields are the columns.
func (Principal) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").Immutable(),
		field.String("kind").Immutable(),
		// password_hash is an Argon2id record with its parameters.
		field.String("password_hash").Optional().Nillable().Sensitive(),
		field.Bool("must_change_password").Default(false),
		field.Int64("password_changed_at").Optional().Nillable(),
		field.Int64("created_at").Immutable(),
	}
}

// Edges are what goes with a principal.
func (Principal) Edges() []ent.Edge {
	return []ent.Edge{
		edge.To("credentials", Credential.Type).Annotations(entsql.OnDelete(entsql.Cascade)),
		edge.To("operator_sessions", OperatorSession.Type).Annotations(entsql.OnDelete(entsql.Cascade)),
		edge.To("notifications", Notification.Type).Annotations(entsql.OnDelete(entsql.Cascade)),
		edge.To("preference", Preference.Type).Unique().Annotations(entsql.OnDelete(entsql.Cascade)),
	}
}

// Credential is an issued token, without its secret.
type Credential struct{ ent.Schema }

// Annotations names the table.
func (Credential) Annotations() []entschema.Annotation { return append(table("credentials"), Client{}) }

// Fields are the columns.
func (Credential) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").Immutable(),
		field.String("principal_id").Immutable(),
		field.String("name").Immutable(),
		field.String("kind").Immutable(),
		field.String("prefix").Immutable(),
		// hash is the SHA-256 of the token.
		field.Bytes("hash").Immutable().Sensitive().Unique(),
		field.Int64("created_at").Immutable(),
		field.String("created_by").Optional().Nillable().Immutable(),
		field.Int64("last_used_at").Optional().Nillable(),
		field.Int64("revoked_at").Optional().Nillable(),
	}
}

// Edges tie a credential to its principal.
func (Credential) Edges() []ent.Edge { return []ent.Edge{ofPrincipal("credentials")} }

// Indexes serve the list of tokens.
func (Credential) Indexes() []ent.Index {
	return []ent.Index{index.Fields("created_at", "id"), index.Fields("principal_id")}
}

// OperatorSession is a dashboard session. Its id is the SHA-256 of the cookie's value, as hexadecimal digits.
type OperatorSession struct{ ent.Schema }

// Annotations names the table.
func (OperatorSession) Annotations() []entschema.Annotation {
	return append(table("operator_sessions"), Client{})
}

// Fields are the columns.
func (OperatorSession) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").Immutable(),
		field.String("principal_id").Immutable(),
		field.String("remote_addr").Optional().Nillable(),
		field.String("user_agent").Optional().Nillable(),
		field.Int64("created_at").Immutable(),
		field.Int64("last_seen_at"),
		field.Int64("expires_at").Immutable(),
	}
}

// Edges tie a dashboard session to its principal.
func (OperatorSession) Edges() []ent.Edge { return []ent.Edge{ofPrincipal("operator_sessions")} }

// Indexes serve the list of dashboard sessions and the sweep of those that are over.
func (OperatorSession) Indexes() []ent.Index {
	return []ent.Index{index.Fields("principal_id", "last_seen_at"), index.Fields("expires_at")}
}

// AuthAudit is one thing that happened to an identity: a login, a failed one, a token or a password that
// changed.
type AuthAudit struct{ ent.Schema }

// Annotations names the table.
func (AuthAudit) Annotations() []entschema.Annotation { return table("auth_audit") }

// Mixin adds id and time.
func (AuthAudit) Mixin() []ent.Mixin { return []ent.Mixin{event{}} }

// Fields are the columns.
func (AuthAudit) Fields() []ent.Field {
	return []ent.Field{
		field.String("action"),
		field.Bool("ok"),
		field.String("principal_id").Optional().Nillable(),
		field.String("actor").Optional().Nillable(),
		field.String("remote_addr").Optional().Nillable(),
		field.JSON("details", json.RawMessage{}).Optional(),
	}
}

// Indexes serve a search for one kind of event, and for one principal.
func (AuthAudit) Indexes() []ent.Index {
	return []ent.Index{index.Fields("action", "id"), index.Fields("principal_id", "id")}
}

// ofPrincipal is the edge back to the principal that a row belongs to.
func ofPrincipal(name string) ent.Edge {
	return edge.From("principal", Principal.Type).Ref(name).Field("principal_id").Unique().Required().Immutable()
}
