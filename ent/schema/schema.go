// Package schema declares the tables of the database. Times are milliseconds since 1970, in UTC. Ids of
// what happened are UUIDs of version 7, so that their order is the order of time and a list needs no
// second index for it.
//
// Rows that tell what happened name their session without a foreign key: retention deletes them in small
// steps, and a call that names an unknown session is recorded too.
package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	entschema "entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/mixin"
)

// table names a table and keeps an integer row id, which makes appending cheap.
func table(name string) []entschema.Annotation {
	return []entschema.Annotation{entsql.Annotation{Table: name}}
}

// Client asks for a client of ent for an entity: one whose rows are found and changed in several ways. Of the
// others only the row with its insert is generated, as what happened is never changed, and lists read what they
// need in SQL of their own.
type Client struct{}

// Name implements schema.Annotation.
func (Client) Name() string { return "Client" }

// event is what every row has that tells of one thing that happened.
type event struct{ mixin.Schema }

func (event) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").Immutable(),
		field.Int64("ts").Immutable(),
	}
}
