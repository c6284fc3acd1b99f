package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"

	"github.com/browserhive/browserhive/gen/types"
)

// facet is a column whose values are counted.
type facet struct {
	// name is that of the facet, column where its values stand.
	name, column string
	// chosen are the values that the question wants, all when empty. facts say the same without values, for
	// an index that is limited to them; empty when nothing does.
	chosen, facts []string
}

// texts are the values of a filter.
func texts[T ~string](list []T) []string {
	all := make([]string, len(list))
	for i, v := range list {
		all[i] = string(v)
	}
	return all
}

// wants reports whether rows with a value are asked for.
func (f facet) wants(value *string) bool {
	return len(f.chosen) == 0 || value != nil && slices.Contains(f.chosen, *value)
}

// group is how many rows have the same values in the columns of all facets.
type group struct {
	values []*string
	n      int64
}

// grouping counts the rows that a question chooses, whatever its facets want, by the values of columns. ok is
// false when they are too many.
type grouping func(ctx context.Context, q question, columns []string) (groups []group, ok bool, err error)

// countOf fills in total and facets of a page.
func countOf[R any](ctx context.Context, page *Page[R], q question, by grouping) error {
	if !q.Count {
		return nil
	}
	columns := make([]string, len(q.facets))
	for i, f := range q.facets {
		columns[i] = f.column
	}
	// One look at the rows serves total and facets, as each of them leaves out filters of facets only.
	groups, ok, err := by(ctx, q, columns)
	switch {
	case err != nil:
		return err
	case ok:
		page.Facets = map[string][]types.FacetValue{}
		for i, f := range q.facets {
			page.Facets[f.name] = q.values(groups, i)
		}
	case !slices.ContainsFunc(q.facets, func(f facet) bool { return len(f.chosen) > 0 }):
		return nil
	default: // With the filters of the facets there may be few enough for a total.
		if groups, ok, err = by(ctx, q.asked(), nil); err != nil || !ok {
			return err
		}
		q.facets = nil
	}
	var total int64
	for _, g := range groups {
		if q.wants(g, -1) {
			total += g.n
		}
	}
	page.Total = &total
	return nil
}

// counted is a page of a list whose rows are counted one by one.
func counted[R any](ctx context.Context, s *Store, t table[R], q question) (Page[R], error) {
	page, err := list(ctx, s, t, q.asked())
	if err != nil {
		return page, err
	}
	return page, countOf(ctx, &page, q, s.tally)
}

// wants reports whether a group is asked for, the filter of one facet left out.
func (q question) wants(g group, but int) bool {
	for i, f := range q.facets {
		if i != but && !f.wants(g.values[i]) {
			return false
		}
	}
	return true
}

// values are those of a facet, the most frequent first.
func (q question) values(groups []group, facet int) []types.FacetValue {
	counts := map[string]int64{}
	var without int64
	for _, g := range groups {
		switch value := g.values[facet]; {
		case !q.wants(g, facet):
		case value == nil:
			without += g.n
		default:
			counts[*value] += g.n
		}
	}
	found := make([]types.FacetValue, 0, len(counts)+1)
	if without > 0 {
		found = append(found, types.FacetValue{Count: without})
	}
	for value, n := range counts {
		found = append(found, types.FacetValue{Value: &value, Count: n})
	}
	sortFacet(found)
	return found[:min(len(found), facetLimit)]
}

// sortFacet puts the most frequent value first.
func sortFacet(list []types.FacetValue) {
	slices.SortFunc(list, func(a, b types.FacetValue) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(text(a.Value), text(b.Value)))
	})
}

// tally is a grouping that looks at rows one by one, as far as the limits of the branches.
func (s *Store) tally(ctx context.Context, q question, columns []string) (groups []group, ok bool, err error) {
	branches := q.branches()
	for _, b := range branches {
		statement, args := q.over(b, b.limit()/len(branches))
		var one int
		switch err := s.reads.QueryRowContext(ctx, statement, args...).Scan(&one); {
		case err == nil && !b.few:
			return nil, false, nil
		case err != nil && !errors.Is(err, sql.ErrNoRows):
			return nil, false, err
		}
		statement, args = q.groups(b, columns)
		rows, err := s.reads.QueryContext(ctx, statement, args...)
		if err != nil {
			return nil, false, err
		}
		if groups, err = scanGroups(rows, groups); err != nil {
			return nil, false, err
		}
	}
	return groups, true, nil
}

// over finds a row of a branch when there are more than limit.
func (q question) over(b branch, limit int) (string, []any) {
	c := b.lead.clone()
	c.add(q.bounds)
	return "SELECT 1" + q.source(b) + c.where() + limitOf(1) + offsetOf(limit), c.args
}

// groups counts the rows of a branch by the values of columns.
func (q question) groups(b branch, columns []string) (string, []any) {
	c := b.lead.clone()
	c.add(q.bounds)
	c.add(b.rest)
	return grouped(columns, "count(*)", q.source(b)+c.where()), c.args
}

// grouped selects a sum by the values of columns. Several columns are one value: SQLite sorts by one twice as
// fast as by four.
func grouped(columns []string, sum, from string) string {
	return "SELECT " + sum + " AS n, json_array(" + strings.Join(columns, ", ") + ") AS key" + from + " GROUP BY key HAVING n > 0"
}

func scanGroups(rows *sql.Rows, to []group) ([]group, error) {
	defer rows.Close()
	for rows.Next() {
		var g group
		if err := rows.Scan(&g.n, object{&g.values}); err != nil {
			return to, err
		}
		to = append(to, g)
	}
	return to, rows.Err()
}
