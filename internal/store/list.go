package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/browserhive/browserhive/gen/types"
)

// Mark is where a row stands in a list. A row that comes later or goes does not move it.
type Mark struct {
	// Key is the value of the column that the list is sorted by: an int64, a string, or nil where the row has
	// none and where the id alone sorts.
	Key any
	ID  string
}

// Span is the part of a list that is wanted.
type Span struct {
	// Mark is the row beyond which it lies; nil for the start.
	Mark *Mark
	// Before wants the rows before the mark instead of those after it.
	Before bool
	// Ascending puts the smallest first.
	Ascending bool
	// Limit is how many rows a page has at most.
	Limit int
	// Count asks for total and facets.
	Count bool
}

// up reports whether the rows are read from the smallest on: what lies before a mark is read from the mark.
func (s Span) up() bool { return s.Ascending != s.Before }

// Page is a page of rows.
type Page[R any] struct {
	Rows []R
	// First and Last are its edges, from which the pages before and after it are asked for; nil when it is
	// empty. A page that ends early, because it looked at lookLimit rows, ends at the last that it looked at:
	// it may be short or empty while More is true.
	First, Last *Mark
	// More says that others may follow on the side that the page was read towards.
	More bool
	// Total is how many rows match in all; nil when they are too many to count, or nobody asked.
	Total *int64
	// Facets count the matching rows by the values of a column, each without regard to its own filter, the
	// most frequent first; nil when they are too many to count, or nobody asked.
	Facets map[string][]types.FacetValue
}

// The bounds of what one page may cost.
const (
	// lookLimit is how many rows a page looks at where an index leads to more than what is asked for, as with
	// a part of a text, and how many are counted one by one for a total and its facets. Where they lie apart,
	// a row takes some 4 µs. A page that finds less in them ends there; what is more has no total.
	lookLimit = 5_000
	// coveredLimit is the same where the index itself holds what is looked at, at some 1 µs a row.
	coveredLimit = 15_000
	// facetLimit is how many values of a facet are told: more than anybody reads.
	facetLimit = 100
	// branchLimit is how many values of a filter are looked up each by itself. More are compared row by row.
	branchLimit = 16
)

// entry is a row and where it stands.
type entry[R any] struct {
	Mark
	row R
}

// part is some of the rows of a list, in the order of the list.
type part[R any] struct {
	entries []entry[R]
	// end is where reading stopped although more may follow; nil when it did not.
	end *Mark
}

// table is a kind of rows: where they are kept and what is read of them.
type table[R any] struct {
	name    string
	columns string
	// into are the places of a row for the columns.
	into func(*R) []any
}

// list reads a page of rows.
func list[R any](ctx context.Context, s *Store, t table[R], q question) (Page[R], error) {
	if q.Limit <= 0 {
		return Page[R]{}, nil
	}
	branches := q.branches()
	parts := make([]part[R], 0, len(branches))
	for _, b := range branches {
		p, err := readBranch(ctx, s, t, q, b, b.limit()/len(branches))
		if err != nil {
			return Page[R]{}, err
		}
		parts = append(parts, p)
	}
	return merge(parts, q.Span), nil
}

// readBranch reads at most a page of rows from one index.
func readBranch[R any](ctx context.Context, s *Store, t table[R], q question, b branch, look int) (p part[R], err error) {
	for _, stretch := range q.stretches() {
		edge, err := s.edge(ctx, q, b, stretch, look)
		if err != nil {
			return p, err
		}
		statement, args := q.page(b, stretch, edge, t.columns, q.Limit+1-len(p.entries))
		rows, err := s.reads.QueryContext(ctx, statement, args...)
		if err != nil {
			return p, err
		}
		if p.entries, err = scan(rows, t, p.entries); err != nil {
			return p, err
		}
		if len(p.entries) > q.Limit {
			p.entries = p.entries[:q.Limit]
			p.end = &p.entries[q.Limit-1].Mark
			return p, nil
		}
		if edge != nil {
			p.end = edge
			return p, nil
		}
	}
	return p, nil
}

// edge is the last row that may be looked at in a stretch, nil when all may.
func (s *Store) edge(ctx context.Context, q question, b branch, stretch stretch, look int) (*Mark, error) {
	if b.few || len(b.rest.list) == 0 {
		return nil, nil
	}
	return s.edgeOf(ctx, q, b, stretch, look)
}

// edgeOf is the last of look rows of a stretch, nil when there are no more than that.
func (s *Store) edgeOf(ctx context.Context, q question, b branch, stretch stretch, look int) (*Mark, error) {
	statement, args := q.edge(b, stretch, look)
	rows, err := s.reads.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var m Mark
	if rows.Next() {
		err = rows.Scan(&m.ID, &m.Key)
	}
	if err != nil || !rows.Next() {
		return nil, errors.Join(err, rows.Err())
	}
	return &m, nil
}

func scan[R any](rows *sql.Rows, t table[R], to []entry[R]) ([]entry[R], error) {
	defer rows.Close()
	for rows.Next() {
		var e entry[R]
		if err := rows.Scan(append([]any{&e.ID, &e.Key}, t.into(&e.row)...)...); err != nil {
			return to, err
		}
		to = append(to, e)
	}
	return to, rows.Err()
}

// merge makes a page of the beginnings of several lists that are sorted alike. It ends where the first of
// them stopped reading.
func merge[R any](parts []part[R], span Span) Page[R] {
	order := compareMarks
	if !span.up() {
		order = func(a, b Mark) int { return compareMarks(b, a) }
	}
	var all []entry[R]
	var end *Mark
	for _, p := range parts {
		all = append(all, p.entries...)
		if p.end != nil && (end == nil || order(*p.end, *end) < 0) {
			end = p.end
		}
	}
	if len(parts) > 1 {
		slices.SortFunc(all, func(a, b entry[R]) int { return order(a.Mark, b.Mark) })
	}
	if end != nil {
		all = slices.DeleteFunc(all, func(e entry[R]) bool { return order(e.Mark, *end) > 0 })
	}
	if len(all) > span.Limit {
		all = all[:span.Limit]
		end = &all[span.Limit-1].Mark
	}
	page := Page[R]{Rows: make([]R, 0, len(all)), More: end != nil, Last: end}
	if len(all) > 0 {
		page.First = &all[0].Mark
		if end == nil {
			page.Last = &all[len(all)-1].Mark
		}
	} else {
		page.First = end
	}
	for _, e := range all {
		page.Rows = append(page.Rows, e.row)
	}
	if span.Before {
		slices.Reverse(page.Rows)
		page.First, page.Last = page.Last, page.First
	}
	return page
}

// compareMarks is the order of SQLite: nothing before numbers before texts.
func compareMarks(a, b Mark) int {
	rank := func(v any) int {
		switch v.(type) {
		case nil:
			return 0
		case int64:
			return 1
		}
		return 2
	}
	byKey := cmp.Compare(rank(a.Key), rank(b.Key))
	if byKey == 0 {
		switch key := a.Key.(type) {
		case int64:
			byKey = cmp.Compare(key, b.Key.(int64))
		case string:
			byKey = strings.Compare(key, b.Key.(string))
		}
	}
	return cmp.Or(byKey, strings.Compare(a.ID, b.ID))
}

// object is the place for a column with JSON, left as it is without.
type object struct{ to any }

// Scan implements sql.Scanner.
func (o object) Scan(value any) error {
	switch raw := value.(type) {
	case nil:
		return nil
	case []byte:
		return json.Unmarshal(raw, o.to)
	case string:
		return json.Unmarshal([]byte(raw), o.to)
	}
	return fmt.Errorf("a column with JSON holds a %T", value)
}
