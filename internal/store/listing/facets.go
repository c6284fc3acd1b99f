package listing

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"

	"github.com/browserhive/browserhive/gen/types"
)

// Facet is a column whose values are counted.
type Facet struct {
	// Name is that of the facet, Column where its values stand.
	Name, Column string
	// Chosen are the values that the query asks for, all when empty. Predicates say the same without values,
	// for an index that is limited to them; empty when nothing does.
	Chosen, Predicates []string
}

// NewFacet returns a facet that is named as its column.
func NewFacet[T ~string](column string, chosen []T) Facet { return NamedFacet(column, column, chosen) }

// NamedFacet returns a facet.
func NamedFacet[T ~string](name, column string, chosen []T) Facet {
	f := Facet{Name: name, Column: column}
	for _, v := range chosen {
		f.Chosen = append(f.Chosen, string(v))
	}
	return f
}

// includes reports whether rows with a value are asked for.
func (f Facet) includes(value *string) bool {
	return len(f.Chosen) == 0 || value != nil && slices.Contains(f.Chosen, *value)
}

func facetColumns(facets []Facet) []string {
	columns := make([]string, len(facets))
	for i, f := range facets {
		columns[i] = f.Column
	}
	return columns
}

// Group is how many rows have the same values in the columns of all facets.
type Group struct {
	Values []*string
	Rows   int64
}

// Grouping counts the rows that a query chooses, whatever its facets ask for, by the values of columns. ok is
// false when they are too many.
type Grouping func(ctx context.Context, q Query, columns []string) (groups []Group, ok bool, err error)

// Count fills in total and facets of a page, if the query asks for them.
func Count[R any](ctx context.Context, page *Page[R], q Query, by Grouping) error {
	if !q.Count {
		return nil
	}
	// One look at the rows serves total and facets, as each of them leaves out filters of facets only.
	groups, ok, err := by(ctx, q, facetColumns(q.Facets))
	switch {
	case err != nil:
		return err
	case ok:
		page.Facets = map[string][]types.FacetValue{}
		for i, f := range q.Facets {
			page.Facets[f.Name] = q.facetValues(groups, i)
		}
	case !slices.ContainsFunc(q.Facets, func(f Facet) bool { return len(f.Chosen) > 0 }):
		return nil
	default: // With the filters of the facets there may be few enough for a total.
		if groups, ok, err = by(ctx, q.Filtered(), nil); err != nil || !ok {
			return err
		}
		q.Facets = nil
	}
	var total int64
	for _, g := range groups {
		if q.includes(g, -1) {
			total += g.Rows
		}
	}
	page.Total = &total
	return nil
}

// includes reports whether the rows of a group are asked for, the filter of one facet left out.
func (q Query) includes(g Group, except int) bool {
	for i, f := range q.Facets {
		if i != except && !f.includes(g.Values[i]) {
			return false
		}
	}
	return true
}

// facetValues are the values of a facet, the most frequent first.
func (q Query) facetValues(groups []Group, facet int) []types.FacetValue {
	counts := map[string]int64{}
	var without int64
	for _, g := range groups {
		switch value := g.Values[facet]; {
		case !q.includes(g, facet):
		case value == nil:
			without += g.Rows
		default:
			counts[*value] += g.Rows
		}
	}
	found := make([]types.FacetValue, 0, len(counts)+1)
	if without > 0 {
		found = append(found, types.FacetValue{Count: without})
	}
	for value, n := range counts {
		found = append(found, types.FacetValue{Value: &value, Count: n})
	}
	SortFacet(found)
	return found[:min(len(found), MaxFacetValues)]
}

// SortFacet puts the most frequent value first.
func SortFacet(list []types.FacetValue) {
	slices.SortFunc(list, func(a, b types.FacetValue) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(textOf(a.Value), textOf(b.Value)))
	})
}

func textOf(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}

// Tally returns the grouping that looks at rows one by one, as many as the scans may.
func Tally(db *sql.DB) Grouping {
	return func(ctx context.Context, q Query, columns []string) (groups []Group, ok bool, err error) {
		scans := q.Plan()
		for _, s := range scans {
			statement, args := q.exceedsSQL(s, s.share(scans))
			var one int
			switch err := db.QueryRowContext(ctx, statement, args...).Scan(&one); {
			case err == nil && !s.Few:
				return nil, false, nil
			case err != nil && !errors.Is(err, sql.ErrNoRows):
				return nil, false, err
			}
			statement, args = q.groupsSQL(s, columns)
			more, err := ReadGroups(db.QueryContext(ctx, statement, args...))
			if err != nil {
				return nil, false, err
			}
			groups = append(groups, more...)
		}
		return groups, true, nil
	}
}

// Grouped returns the statement that selects a sum by the values of columns. Several columns are one value:
// SQLite sorts by one twice as fast as by four. from is the FROM clause and the WHERE clause.
func Grouped(columns []string, sum, from string) string {
	return "SELECT " + sum + " AS n, json_array(" + strings.Join(columns, ", ") + ") AS key" + from + " GROUP BY key HAVING n > 0"
}

// ReadGroups reads what Grouped selects.
func ReadGroups(rows *sql.Rows, err error) (groups []Group, _ error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var g Group
		if err := rows.Scan(&g.Rows, JSON(&g.Values)); err != nil {
			return nil, err
		}
		groups = append(groups, g)
	}
	return groups, rows.Err()
}
