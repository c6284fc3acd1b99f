package listing_test

import (
	"database/sql"
	"fmt"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // The driver "sqlite".

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/store/listing"
)

// call is a row of the table of these tests.
type call struct{ id, tool string }

var calls = listing.Table[call]{Columns: "id, tool", Into: func(c *call) []any { return []any{&c.id, &c.tool} }}

// ofSessions asks for the calls of sessions.
func ofSessions(sessions ...string) listing.Query {
	q := listing.Query{
		Span: listing.Span{Limit: 50}, Table: "calls", Facets: []listing.Facet{listing.NewFacet[string]("tool", nil)},
		Paths: []listing.AccessPath{
			{Index: "calls_session_id", Columns: []string{"session_id"}},
			{Index: "calls_failed", Predicates: []string{"ok = 0"}, Covering: true},
			{Union: true},
			{Index: "calls_id"},
		},
	}
	q.Filter("session_id", listing.Values(sessions))
	return q
}

// database makes n calls, whose ids are their numbers. Every third failed.
func database(t *testing.T, n int) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1) // Each connection has a memory of its own.
	t.Cleanup(func() { _ = db.Close() })
	for _, statement := range []string{
		"CREATE TABLE calls (id TEXT NOT NULL, session_id TEXT, tool TEXT, ok BOOL)",
		fmt.Sprintf(`WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			INSERT INTO calls SELECT printf('%%06d', i), 's-' || (i %% 2), iif(i %% 4 = 0, 'click', 'fill'), i %% 3 <> 0 FROM n`, n-1),
		"CREATE INDEX calls_session_id ON calls (session_id, id)",
		"CREATE INDEX calls_failed ON calls (id, tool) WHERE ok = 0",
		"CREATE INDEX calls_id ON calls (id)",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	return db
}

// The statements in the comment of the package are those that the package makes.
func TestTheExampleIsTrue(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "listing.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	flat := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	var shown []string
	for _, block := range new(comment.Parser).Parse(file.Doc.Text()).Content {
		if code, ok := block.(*comment.Code); ok {
			for _, one := range strings.Split(code.Text, "\n\n") {
				shown = append(shown, flat(one))
			}
		}
	}
	q := ofSessions("s-0", "s-1")
	q.Predicates = []string{"ok = 0"}
	var made []string
	for _, one := range q.Statements(calls.Columns) {
		made = append(made, flat(one.SQL))
	}
	if len(shown) != 4 {
		t.Errorf("%d statements are shown", len(shown))
	}
	for _, one := range shown {
		if !slices.Contains(made, one) {
			t.Errorf("the package does not make\n%s\nbut\n%s", one, strings.Join(made, "\n"))
		}
	}
}

// walk reads the pages of a query to the end, and returns the ids and how many pages it took.
func walk(t *testing.T, db *sql.DB, q listing.Query) (found []string, pages int) {
	t.Helper()
	for {
		page, err := listing.Read(t.Context(), db, calls, q)
		if err != nil {
			t.Fatal(err)
		}
		pages++
		var list []string
		for _, c := range page.Rows {
			list = append(list, c.id)
		}
		if q.Before {
			found, q.Mark = append(list, found...), page.First
		} else {
			found, q.Mark = append(found, list...), page.Last
		}
		if !page.More {
			return found, pages
		}
	}
}

// want are the ids of the calls that are wanted, the last first.
func want(n int, wanted func(i int) bool) (list []string) {
	for i := n - 1; i >= 0; i-- {
		if wanted(i) {
			list = append(list, fmt.Sprintf("%06d", i))
		}
	}
	return list
}

func TestPagesAreMergedFromSeveralScans(t *testing.T) {
	t.Parallel()
	const n = 300
	db := database(t, n)
	q := ofSessions("s-0", "s-1", "s-0", "gone")
	if scans := q.Plan(); len(scans) != 3 {
		t.Fatalf("%d scans", len(scans))
	}
	q.Predicates = []string{"ok = 0"}
	failed := want(n, func(i int) bool { return i%3 == 0 })
	if got, pages := walk(t, db, q); !slices.Equal(got, failed) || pages != 2 {
		t.Errorf("%d pages: %v", pages, got)
	}
	q.Mark, q.Before = &listing.Mark{ID: "000150"}, true
	if got, _ := walk(t, db, q); !slices.Equal(got, failed[:slices.Index(failed, "000150")]) {
		t.Errorf("backwards: %v", got)
	}
	q.Mark, q.Before, q.Ascending = nil, false, true
	slices.Reverse(failed)
	if got, _ := walk(t, db, q); !slices.Equal(got, failed) {
		t.Errorf("ascending: %v", got)
	}
}

// The first path that suits a query is taken.
func TestPaths(t *testing.T) {
	t.Parallel()
	with := func(sessions []string, predicates ...string) listing.Query {
		q := ofSessions(sessions...)
		q.Predicates = predicates
		return q
	}
	many := make([]string, listing.MaxScans+1)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	union := with(nil)
	union.Union = []listing.IndexScan{{Index: "calls_tool", Prefix: listing.Where("tool = ?", "click")}}
	for name, c := range map[string]struct {
		query listing.Query
		index string
		scans int
	}{
		"nothing is asked for":              {with(nil), "calls_id", 1},
		"sessions":                          {with([]string{"a", "b"}), "calls_session_id", 2},
		"more sessions than are looked up":  {with(many), "calls_id", 1},
		"what a partial index is for":       {with(nil, "ok = 0"), "calls_failed", 1},
		"what no index is for":              {with(nil, "ok = 1"), "calls_id", 1},
		"scans that the query brings along": {union, "calls_tool", 1},
	} {
		if scans := c.query.Plan(); len(scans) != c.scans || scans[0].Index != c.index {
			t.Errorf("%s: %d scans of %s", name, len(scans), scans[0].Index)
		}
	}
}

// A page looks at a bounded number of rows, and goes on from the last that it looked at.
func TestASearchEndsAtItsBound(t *testing.T) {
	t.Parallel()
	n := 3*listing.MaxScan + 10
	db := database(t, n)
	q := ofSessions()
	q.Residual = listing.Where("id = ?", "000003")
	page, err := listing.List(t.Context(), db, calls, q)
	if err != nil || len(page.Rows) != 0 || !page.More || page.Last.ID != fmt.Sprintf("%06d", n-listing.MaxScan) {
		t.Fatalf("%+v, %v", page, err)
	}
	if got, pages := walk(t, db, q); !slices.Equal(got, []string{"000003"}) || pages != 4 {
		t.Errorf("%v after %d pages", got, pages)
	}
	q.Count = true
	if page, err := listing.List(t.Context(), db, calls, q); err != nil || page.Total != nil || page.Facets != nil {
		t.Errorf("counted %v, %v, %v", page.Total, page.Facets, err)
	}
}

func TestTotalAndFacets(t *testing.T) {
	t.Parallel()
	q := ofSessions("s-0")
	q.Count = true
	q.Facets = []listing.Facet{listing.NewFacet("tool", []string{"fill"}), listing.NamedFacet[string]("outcome", "iif(ok, NULL, 'failed')", nil)}
	page, err := listing.List(t.Context(), database(t, 24), calls, q)
	if err != nil || page.Total == nil || *page.Total != 6 || len(page.Rows) != 6 {
		t.Fatalf("%+v, %v", page, err)
	}
	text := func(list []types.FacetValue) (s string) {
		for _, f := range list {
			value := "none"
			if f.Value != nil {
				value = *f.Value
			}
			s += fmt.Sprintf("%s %d;", value, f.Count)
		}
		return s
	}
	// A facet leaves out its own filter, and heeds that of others.
	if tools, outcomes := text(page.Facets["tool"]), text(page.Facets["outcome"]); tools != "click 6;fill 6;" || outcomes != "none 4;failed 2;" {
		t.Errorf("%s %s", tools, outcomes)
	}
}

// Rows without a key are a range of their own, before the others.
func TestRowsWithoutAKey(t *testing.T) {
	t.Parallel()
	db := database(t, 10)
	for _, statement := range []string{
		"UPDATE calls SET session_id = NULL WHERE id IN ('000001', '000004')",
		"CREATE INDEX calls_by_session ON calls (session_id, id)",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	q := listing.Query{
		Span: listing.Span{Limit: 3, Ascending: true}, Table: "calls", Key: "session_id", Nullable: true,
		Paths: []listing.AccessPath{{Index: "calls_by_session"}},
	}
	ascending := []string{"000001", "000004", "000000", "000002", "000006", "000008", "000003", "000005", "000007", "000009"}
	if got, pages := walk(t, db, q); !slices.Equal(got, ascending) || pages != 4 {
		t.Errorf("%d pages: %v", pages, got)
	}
	q.Ascending = false
	slices.Reverse(ascending)
	if got, _ := walk(t, db, q); !slices.Equal(got, ascending) {
		t.Errorf("descending: %v", got)
	}
}

// A text is looked for as it is, whatever it means in a pattern.
func TestContains(t *testing.T) {
	t.Parallel()
	db := database(t, 1)
	for text, found := range map[string]bool{"100%": true, "0%d": false, "_done": true, "n_l": false, `\`: true, "DONE": true, "undone": false} {
		where, args := listing.Contains(text, "one", "other").SQL()
		var n int
		if err := db.QueryRow(`SELECT count(*) FROM (SELECT '100% _done' AS one, 'c:\null' AS other)`+where, args...).Scan(&n); err != nil || (n == 1) != found {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
}
