package listing

import "slices"

// keyRange is a range of an index that is read in one go: all of it, or the rows with a key or those without.
type keyRange struct {
	Conditions
	null bool
}

// keyRanges are what to read, one after the other, to get from the mark on in the order of the list.
func (q Query) keyRanges() []keyRange {
	all := []keyRange{{}}
	if q.Nullable {
		all = []keyRange{{Where(q.Key + " IS NULL"), true}, {Where(q.Key + " IS NOT NULL"), false}}
		if !q.up() {
			slices.Reverse(all)
		}
	}
	if q.Mark == nil {
		return all
	}
	if q.Nullable && all[0].null != (q.Mark.Key == nil) {
		all = all[1:]
	}
	beyond := " < "
	if q.up() {
		beyond = " > "
	}
	all[0] = q.beside(all[0], beyond, *q.Mark)
	return all
}

// beside limits a range to the rows on one side of a mark.
func (q Query) beside(r keyRange, operator string, m Mark) keyRange {
	r.Conditions = r.clone()
	if q.Key == "" || r.null {
		r.And("id"+operator+"?", m.ID)
	} else {
		r.And("("+q.Key+", id)"+operator+"(?, ?)", m.Key, m.ID)
	}
	return r
}

// order is the order in which rows are read.
func (q Query) order() string {
	direction := " DESC"
	if q.up() {
		direction = ""
	}
	if q.Key == "" {
		return " ORDER BY id" + direction
	}
	return " ORDER BY " + q.Key + direction + ", id" + direction
}

// mark are the columns of a mark.
func (q Query) mark() string {
	if q.Key == "" {
		return "id, NULL"
	}
	return "id, " + q.Key
}

// From returns the FROM clause of a scan, with a space before it.
func (q Query) From(s IndexScan) string { return " FROM " + q.Table + " INDEXED BY " + s.Index }

// Where returns what the rows of a scan have to meet.
func (q Query) Where(s IndexScan) Conditions { return and(s.Prefix, q.Range, s.Residual) }

// pageSQL reads rows of a range of a scan, up to the cutoff.
func (q Query) pageSQL(s IndexScan, r keyRange, cutoff *Mark, columns string, n int) (string, []any) {
	if cutoff != nil {
		within := " >= "
		if q.up() {
			within = " <= "
		}
		r = q.beside(r, within, *cutoff)
	}
	where, args := and(s.Prefix, q.Range, r.Conditions, s.Residual).SQL()
	return "SELECT " + q.mark() + ", " + columns + q.From(s) + where + q.order() + limit(n), args
}

// cutoffSQL finds the last of n rows of a range of a scan, and the row behind it.
func (q Query) cutoffSQL(s IndexScan, r keyRange, n int) (string, []any) {
	where, args := and(s.Prefix, q.Range, r.Conditions).SQL()
	return "SELECT " + q.mark() + q.From(s) + where + q.order() + limit(2) + offset(n-1), args
}

// exceedsSQL finds a row when a scan looks at more than n.
func (q Query) exceedsSQL(s IndexScan, n int) (string, []any) {
	where, args := and(s.Prefix, q.Range).SQL()
	return "SELECT 1" + q.From(s) + where + limit(1) + offset(n), args
}

// groupsSQL counts the rows of a scan by the values of columns.
func (q Query) groupsSQL(s IndexScan, columns []string) (string, []any) {
	where, args := q.Where(s).SQL()
	return Grouped(columns, "count(*)", q.From(s)+where), args
}

// Statement is one that a list may send.
type Statement struct {
	SQL  string
	Args []any
	// Page says that it reads rows in the order of the list, Bounded from a mark on or up to a cutoff. Few
	// says that it may put them in order.
	Page, Bounded, Few bool
}

// Statements returns every statement that a list may send for a query when it reads some columns, with marks
// that stand for any, so that their plans can be judged.
func (q Query) Statements(columns string) []Statement {
	var all []Statement
	for _, mark := range []*Mark{nil, {Key: int64(5), ID: "m"}, {ID: "m"}} {
		filtered := q.Filtered()
		filtered.Mark = mark
		scans := filtered.Plan()
		for _, s := range scans {
			for _, r := range filtered.keyRanges() {
				for _, cutoff := range []*Mark{nil, {Key: int64(1), ID: "a"}} {
					statement, args := filtered.pageSQL(s, r, cutoff, columns, filtered.Limit+1)
					bounded := mark != nil && !r.empty() || cutoff != nil
					all = append(all, Statement{SQL: statement, Args: args, Page: true, Bounded: bounded, Few: s.Few})
				}
				statement, args := filtered.cutoffSQL(s, r, s.share(scans))
				all = append(all, Statement{SQL: statement, Args: args, Page: true, Few: s.Few})
			}
		}
	}
	for _, counted := range []Query{q, q.Filtered()} {
		scans := counted.Plan()
		for _, s := range scans {
			statement, args := counted.exceedsSQL(s, s.share(scans))
			all = append(all, Statement{SQL: statement, Args: args})
			statement, args = counted.groupsSQL(s, facetColumns(q.Facets))
			all = append(all, Statement{SQL: statement, Args: args})
		}
	}
	return all
}
