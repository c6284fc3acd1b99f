package store

import (
	"context"
	"database/sql"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/browserhive/browserhive/gen/ent"
	"github.com/browserhive/browserhive/gen/ent/row"
	"github.com/browserhive/browserhive/internal/store/listing"
)

// Add and Commit give the writer to tests.
func (s *Store) Add(table string, do func(context.Context, *ent.Tx) error) { s.writer.add(table, do) }

func (s *Store) Commit(ctx context.Context, table string, do func(context.Context, *ent.Tx) error) error {
	return s.writer.commit(ctx, table, do)
}

// Audit adds a row of the table with the fewest columns.
func Audit(id string) func(context.Context, *ent.Tx) error {
	return func(ctx context.Context, tx *ent.Tx) error {
		return insert(ctx, tx, row.AuthAudit{ID: id, Ts: 1, Action: "test", Ok: true})
	}
}

// WriterConn is the writer's connection.
func (s *Store) WriterConn() *sql.DB { return s.writes }

// Reads are the readers' connections.
func (s *Store) Reads() *sql.DB { return s.reads }

// MaxQueue is how many writes may wait.
const MaxQueue = maxQueue

// SessionSorts are all columns that sessions are sorted by.
var SessionSorts = sessionSorts

// The bounds of a page.
const (
	MaxScan         = listing.MaxScan
	MaxFacetValues  = listing.MaxFacetValues
	MaxDomainVisits = maxDomainVisits
)

// Statement is one that a list may send.
type Statement = listing.Statement

// Statements are all that a query may send.
func (q CallQuery) Statements() []Statement {
	all := q.query(textMatches{[]string{"click"}, []string{"TAB_NOT_FOUND"}}).Statements("1")
	if !q.byHour() {
		return all
	}
	from, to, _ := fullHours(q.From, q.To)
	for _, columns := range [][]string{nil, {"tool", "error_code"}} {
		statement, args := hourlyCounts(q.query(textMatches{}), from, to, columns)
		all = append(all, Statement{SQL: statement, Args: args})
	}
	return all
}

func (q VisitQuery) Statements() []Statement        { return q.query().Statements("1") }
func (q BlockedQuery) Statements() []Statement      { return q.query().Statements("1") }
func (q ScreenshotQuery) Statements() []Statement   { return q.query().Statements("1") }
func (q RequestQuery) Statements() []Statement      { return q.query().Statements("1") }
func (q VaultLogQuery) Statements() []Statement     { return q.query().Statements("1") }
func (q SystemEventQuery) Statements() []Statement  { return q.query().Statements("1") }
func (q NotificationQuery) Statements() []Statement { return q.query().Statements("1") }
func (q SessionQuery) Statements() []Statement      { return q.query().Statements("1") }

// Statements are without those that look for the oldest visit, which are cutoffs like others.
func (q DomainQuery) Statements() []Statement {
	visits := q.visits()
	statement, args := q.statement(visits, visits.Plan(), &Mark{ID: "m"})
	return []Statement{{SQL: statement, Args: args, Few: true}}
}

// Spy is the store with what its reading client asks noted.
func (s *Store) Spy(note func(statement string, args []any)) *Store {
	spied := *s
	spied.client = ent.NewClient(ent.Driver(spy{entsql.OpenDB(dialect.SQLite, s.reads), note}))
	return &spied
}

type spy struct {
	dialect.Driver
	note func(statement string, args []any)
}

func (d spy) Query(ctx context.Context, statement string, args, to any) error {
	given, _ := args.([]any)
	d.note(statement, given)
	return d.Driver.Query(ctx, statement, args, to)
}
