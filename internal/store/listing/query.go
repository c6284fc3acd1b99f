package listing

import "slices"

// Query is what is asked of a list, in terms of its table.
type Query struct {
	Span
	Table string
	// Key is the column that sorts before the id, "" where the id alone does. Nullable says that rows may
	// have none.
	Key      string
	Nullable bool
	// Range are conditions on the column that sorts, which an index answers by where it begins and ends.
	Range Conditions
	// Predicates are conditions without values. Partial indexes may be limited to them.
	Predicates []string
	// Residual are conditions that no index answers.
	Residual Conditions
	// Facets are columns whose values are counted.
	Facets []Facet
	// Paths are the indexes that lead to the rows, the one that leaves the fewest first. The last suits every
	// query.
	Paths []AccessPath
	// Union are scans that have no row in common and together find what Residual picks. They replace it where
	// the path is the one with Union; nil when there are none.
	Union []IndexScan

	filters []filter
}

// filter names the values that a column may have.
type filter struct {
	column string
	values []any
}

// Filter asks for rows with one of the values in a column; no values ask for nothing. A value that is named
// twice is looked up once.
func (q *Query) Filter(column string, values []any) {
	var unique []any
	for _, v := range values {
		if !slices.Contains(unique, v) {
			unique = append(unique, v)
		}
	}
	if len(unique) > 0 {
		q.filters = append(q.filters, filter{column, unique})
	}
}

// FilterConditions are the filters as conditions.
func (q Query) FilterConditions() (all Conditions) {
	for _, f := range q.filters {
		all.Add(In(f.column, f.values))
	}
	return all
}

// AccessPath is an index that gives rows in the order of the list once its first columns are known.
type AccessPath struct {
	Index   string
	Columns []string
	// Predicates are those that the index is limited to.
	Predicates []string
	// Few says that it leads to so few rows that they may be put in order.
	Few bool
	// Covering says that the index holds what is mostly looked at, so that the table is not read.
	Covering bool
	// Union says that the path is the scans of Query.Union.
	Union bool
}

// IndexScan is the part of a list that one range of an index holds.
type IndexScan struct {
	Index string
	// Prefix picks the range by the first columns of the index, Residual picks among its rows.
	Prefix, Residual Conditions
	Few, Covering    bool
}

// share is how many rows the scan may look at as one of those of a list.
func (s IndexScan) share(scans []IndexScan) int {
	if s.Covering {
		return maxCoveringScan / len(scans)
	}
	return MaxScan / len(scans)
}

// Filtered returns the query with the filters of its facets.
func (q Query) Filtered() Query {
	q.Predicates, q.filters = slices.Clone(q.Predicates), slices.Clone(q.filters)
	for _, f := range q.Facets {
		if len(f.Predicates) > 0 {
			q.Predicates = append(q.Predicates, f.Predicates...)
		} else {
			q.Filter(f.Column, Values(f.Chosen))
		}
	}
	return q
}

// Plan chooses the first path that suits the query, and returns its scans: one for each combination of values
// of the columns of its index.
func (q Query) Plan() []IndexScan {
	for _, path := range q.Paths {
		switch prefixes, ok := q.prefixes(path); {
		case !ok:
		case path.Union:
			q.Residual = Conditions{}
			return q.complete(slices.Clone(q.Union), path)
		default:
			scans := make([]IndexScan, len(prefixes))
			for i, prefix := range prefixes {
				scans[i] = IndexScan{Index: path.Index, Prefix: prefix, Few: path.Few, Covering: path.Covering}
			}
			return q.complete(scans, path)
		}
	}
	panic("listing: no access path to " + q.Table) // The last path suits every query.
}

// prefixes are the conditions that pick the ranges of the index of a path; ok says whether the path suits the
// query.
func (q Query) prefixes(path AccessPath) (prefixes []Conditions, ok bool) {
	if path.Union && q.Union == nil {
		return nil, false
	}
	var first Conditions
	for _, predicate := range path.Predicates {
		if !slices.Contains(q.Predicates, predicate) {
			return nil, false
		}
		first.And(predicate)
	}
	prefixes = []Conditions{first}
	for _, column := range path.Columns {
		i := slices.IndexFunc(q.filters, func(f filter) bool { return f.column == column })
		if i < 0 || len(prefixes)*len(q.filters[i].values) > MaxScans {
			return nil, false
		}
		var longer []Conditions
		for _, prefix := range prefixes {
			for _, v := range q.filters[i].values {
				longer = append(longer, and(prefix, Where(column+" = ?", v)))
			}
		}
		prefixes = longer
	}
	return prefixes, true
}

// complete adds to the scans of a path what its index does not answer.
func (q Query) complete(scans []IndexScan, path AccessPath) []IndexScan {
	for i := range scans {
		residual := scans[i].Residual.clone()
		for _, predicate := range q.Predicates {
			if !slices.Contains(path.Predicates, predicate) {
				residual.And(predicate)
			}
		}
		for _, f := range q.filters {
			if !slices.Contains(path.Columns, f.column) {
				// The plus sign keeps SQLite from leaving the order of the index for the filter.
				residual.Add(In("+"+f.column, f.values))
			}
		}
		residual.Add(q.Residual)
		scans[i].Residual = residual
	}
	return scans
}
