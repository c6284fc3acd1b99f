package store

import (
	"slices"
	"strings"
)

// question is what is asked of a list, in terms of its table.
type question struct {
	Span
	table string
	// key is the column that sorts before the id, "" where the id alone does. nullable says that rows may
	// have none.
	key      string
	nullable bool
	// bounds are conditions on the column that sorts, facts conditions without values, filters the values
	// that columns may have, and rest what no index knows.
	bounds  conditions
	facts   []string
	filters []filter
	rest    conditions
	// facets are columns that are counted by their values.
	facets []facet
	// ways lead to the rows, that which leaves the fewest first. The last suits every question.
	ways []way
	// either are branches that have no row in common and together hold what rest picks, in whose place they
	// are where the way is that of either; nil when there are none.
	either []branch
}

// filter names the values that a column may have.
type filter struct {
	column string
	values []any
}

// way is an index that gives rows in the order of the list once its first columns are known.
type way struct {
	index   string
	columns []string
	// facts are those that the index is limited to.
	facts []string
	// few says that there are so few rows that they may be put in order.
	few bool
	// covers says that the index holds what is mostly looked at, so that no row is.
	covers bool
	// either says that the way is the branches which the question brings itself.
	either bool
}

// branch is the part of a list that one stretch of an index holds.
type branch struct {
	index string
	// lead picks the stretch, rest picks among its rows.
	lead, rest  conditions
	few, covers bool
}

// limit is how many rows may be looked at.
func (b branch) limit() int {
	if b.covers {
		return coveredLimit
	}
	return lookLimit
}

// filter asks for one of the values in a column; none asks for nothing. A value that is named twice is looked
// up once.
func (q *question) filter(column string, values []any) {
	var once []any
	for _, v := range values {
		if !slices.Contains(once, v) {
			once = append(once, v)
		}
	}
	if len(once) > 0 {
		q.filters = append(q.filters, filter{column, once})
	}
}

// values are the values of a filter.
func values[T ~string](list []T) []any {
	all := make([]any, len(list))
	for i, v := range list {
		all[i] = string(v)
	}
	return all
}

// asked is the question with the filters of its facets.
func (q question) asked() question {
	q.facts, q.filters = slices.Clone(q.facts), slices.Clone(q.filters)
	for _, f := range q.facets {
		if len(f.facts) > 0 {
			q.facts = append(q.facts, f.facts...)
		} else {
			q.filter(f.column, values(f.chosen))
		}
	}
	return q
}

// branches are where the rows are: for each value of the columns of the best way, a stretch of its index.
func (q question) branches() []branch {
	for _, w := range q.ways {
		leads, ok := q.leads(w)
		if !ok {
			continue
		}
		if w.either {
			q.rest = conditions{}
			return q.all(slices.Clone(q.either), w)
		}
		var list []branch
		for _, lead := range leads {
			list = append(list, branch{index: w.index, lead: lead, few: w.few, covers: w.covers})
		}
		return q.all(list, w)
	}
	panic("store: no way to " + q.table) // The last way suits every question.
}

// leads are the conditions that pick the stretches of a way; ok says whether it suits the question.
func (q question) leads(w way) (leads []conditions, ok bool) {
	if w.either && q.either == nil {
		return nil, false
	}
	var first conditions
	for _, fact := range w.facts {
		if !slices.Contains(q.facts, fact) {
			return nil, false
		}
		first.and(fact)
	}
	leads = []conditions{first}
	for _, column := range w.columns {
		i := slices.IndexFunc(q.filters, func(f filter) bool { return f.column == column })
		if i < 0 || len(leads)*len(q.filters[i].values) > branchLimit {
			return nil, false
		}
		var next []conditions
		for _, lead := range leads {
			for _, v := range q.filters[i].values {
				c := lead.clone()
				c.and(column+" = ?", v)
				next = append(next, c)
			}
		}
		leads = next
	}
	return leads, true
}

// all adds to branches of a way what the way does not know.
func (q question) all(list []branch, w way) []branch {
	for i := range list {
		rest := list[i].rest.clone()
		for _, fact := range q.facts {
			if !slices.Contains(w.facts, fact) {
				rest.and(fact)
			}
		}
		for _, f := range q.filters {
			if !slices.Contains(w.columns, f.column) {
				// The sign keeps SQLite from leaving the order of the index for the filter.
				rest.and("+"+f.column+" IN ("+marks(len(f.values))+")", f.values...)
			}
		}
		rest.add(q.rest)
		list[i].rest = rest
	}
	return list
}

// stretch is a run of an index: all of it, or the rows with a key or those without.
type stretch struct {
	conditions
	null bool
}

// stretches are what to read, one after the other, to get from the mark on in the order of the list.
func (q question) stretches() []stretch {
	all := []stretch{{}}
	if q.nullable {
		all = []stretch{{conditions{list: []string{q.key + " IS NULL"}}, true}, {conditions{list: []string{q.key + " IS NOT NULL"}}, false}}
		if !q.up() {
			slices.Reverse(all)
		}
	}
	if q.Mark == nil {
		return all
	}
	if q.nullable && all[0].null != (q.Mark.Key == nil) {
		all = all[1:]
	}
	beyond := " < "
	if q.up() {
		beyond = " > "
	}
	all[0] = q.from(all[0], beyond, *q.Mark)
	return all
}

// from limits a stretch to the rows on one side of a mark.
func (q question) from(s stretch, side string, m Mark) stretch {
	s.conditions = s.clone()
	if q.key == "" || s.null {
		s.and("id"+side+"?", m.ID)
	} else {
		s.and("("+q.key+", id)"+side+"(?, ?)", m.Key, m.ID)
	}
	return s
}

// order is the order in which rows are read.
func (q question) order() string {
	dir := " DESC"
	if q.up() {
		dir = ""
	}
	if q.key == "" {
		return " ORDER BY id" + dir
	}
	return " ORDER BY " + q.key + dir + ", id" + dir
}

// marked are the columns of a mark.
func (q question) marked() string {
	if q.key == "" {
		return "id, NULL"
	}
	return "id, " + q.key
}

func (q question) source(b branch) string { return " FROM " + q.table + " INDEXED BY " + b.index }

// page reads rows of a stretch of a branch, up to the edge.
func (q question) page(b branch, s stretch, edge *Mark, columns string, limit int) (string, []any) {
	if edge != nil {
		within := " >= "
		if q.up() {
			within = " <= "
		}
		s = q.from(s, within, *edge)
	}
	c := b.lead.clone()
	c.add(q.bounds)
	c.add(s.conditions)
	c.add(b.rest)
	return "SELECT " + q.marked() + ", " + columns + q.source(b) + c.where() + q.order() + limitOf(limit), c.args
}

// edge finds the last of look rows of a stretch, and the row behind it.
func (q question) edge(b branch, s stretch, look int) (string, []any) {
	c := b.lead.clone()
	c.add(q.bounds)
	c.add(s.conditions)
	return "SELECT " + q.marked() + q.source(b) + c.where() + q.order() + limitOf(2) + offsetOf(look-1), c.args
}

// contains is a condition that a text is a part of one of the columns. Upper and lower case of the English
// letters are the same.
func contains(text string, columns ...string) (c conditions) {
	pattern := "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(text) + "%"
	var either []string
	for _, column := range columns {
		either = append(either, column+` LIKE ? ESCAPE '\'`)
		c.args = append(c.args, pattern)
	}
	c.list = []string{"(" + strings.Join(either, " OR ") + ")"}
	return c
}
