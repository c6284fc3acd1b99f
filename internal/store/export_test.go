package store

import (
	"context"
	"database/sql"

	"github.com/browserhive/browserhive/gen/ent"
)

// Add and Commit give the writer to tests.
func (s *Store) Add(table string, do func(context.Context, *ent.Tx) error) { s.writer.add(table, do) }

func (s *Store) Commit(ctx context.Context, table string, do func(context.Context, *ent.Tx) error) error {
	return s.writer.commit(ctx, table, do)
}

// WriterConn is the writer's connection.
func (s *Store) WriterConn() *sql.DB { return s.writes }

// Reads are the readers' connections.
func (s *Store) Reads() *sql.DB { return s.reads }

// Client reads.
func (s *Store) Client() *ent.Client { return s.client }

// QueueLength is how many writes may wait.
const QueueLength = queueLength

// Statement is the statement of a page.
func (q CallQuery) Statement(textTools []string) (string, []any) { return q.statement(textTools) }
