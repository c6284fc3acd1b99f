package store

import (
	"context"
	"database/sql"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

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

// SessionSorts are all columns that sessions are sorted by.
var SessionSorts = sessionSorts

// The bounds of a page.
const (
	LookLimit   = lookLimit
	FacetLimit  = facetLimit
	DomainLimit = domainLimit
)

// Statement is one that a list may send.
type Statement struct {
	SQL  string
	Args []any
	// Page says that it reads rows in the order of the list, Marked from a mark on or up to an edge. Few says
	// that it may put them in order.
	Page, Marked, Few bool
}

// Statements are all that a query may send.
func (q CallQuery) Statements() []Statement {
	all := statements(q.question(said{[]string{"click"}, []string{"TAB_NOT_FOUND"}}))
	if !q.byHour() {
		return all
	}
	from, to, _ := wholeHours(q.From, q.To)
	for _, columns := range [][]string{nil, {"tool", "error_code"}} {
		statement, args := q.question(said{}).hours(from, to, columns)
		all = append(all, Statement{SQL: statement, Args: args})
	}
	return all
}

func (q VisitQuery) Statements() []Statement        { return statements(q.question()) }
func (q BlockedQuery) Statements() []Statement      { return statements(q.question()) }
func (q ScreenshotQuery) Statements() []Statement   { return statements(q.question()) }
func (q RequestQuery) Statements() []Statement      { return statements(q.question()) }
func (q VaultLogQuery) Statements() []Statement     { return statements(q.question()) }
func (q SystemEventQuery) Statements() []Statement  { return statements(q.question()) }
func (q NotificationQuery) Statements() []Statement { return statements(q.question()) }
func (q SessionQuery) Statements() []Statement      { return statements(q.question()) }

// Statements are without those that look for the oldest visit, which are edges like others.
func (q DomainQuery) Statements() []Statement {
	visits := VisitQuery{SessionIDs: q.SessionIDs, Categories: q.Categories, From: q.From, To: q.To}.question().asked()
	statement, args := q.statement(visits, visits.branches(), &Mark{ID: "m"})
	return []Statement{{SQL: statement, Args: args, Few: true}}
}

func statements(q question) []Statement {
	var all []Statement
	columns := make([]string, len(q.facets))
	for i, f := range q.facets {
		columns[i] = f.column
	}
	page := func(asked question, b branch, marked bool) {
		for _, s := range asked.stretches() {
			for _, edge := range []*Mark{nil, {Key: int64(1), ID: "a"}} {
				statement, args := asked.page(b, s, edge, "1", asked.Limit)
				all = append(all, Statement{SQL: statement, Args: args, Page: true, Marked: marked && len(s.list) > 0 || edge != nil, Few: b.few})
			}
			statement, args := asked.edge(b, s, b.limit())
			all = append(all, Statement{SQL: statement, Args: args, Page: true, Few: b.few})
		}
	}
	for _, mark := range []*Mark{nil, {Key: int64(5), ID: "m"}, {ID: "m"}} {
		asked := q.asked()
		asked.Mark = mark
		for _, b := range asked.branches() {
			page(asked, b, mark != nil)
		}
	}
	for _, counted := range []question{q, q.asked()} {
		for _, b := range counted.branches() {
			statement, args := counted.over(b, b.limit())
			all = append(all, Statement{SQL: statement, Args: args})
			statement, args = counted.groups(b, columns)
			all = append(all, Statement{SQL: statement, Args: args})
		}
	}
	return all
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
