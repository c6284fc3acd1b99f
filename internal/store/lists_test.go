package store_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/store"
)

// row is a row of a table by its columns. It says what a list has to find.
type row map[string]any

// is reports whether a column has one of the values.
func (r row) is(column string, values ...any) bool { return slices.Contains(values, r[column]) }

// has reports whether a text is in one of the columns.
func (r row) has(text string, columns ...string) bool {
	return slices.ContainsFunc(columns, func(column string) bool {
		value, ok := r[column].(string)
		return ok && strings.Contains(strings.ToLower(value), strings.ToLower(text))
	})
}

// within reports whether a time is at or after from and before to; 0 bounds nothing.
func (r row) within(column string, from, to int64) bool {
	at := r[column].(int64)
	return (from == 0 || at >= from) && (to == 0 || at < to)
}

// trial is a list with rows for it, and every filter that it has.
type trial[Q, R any] struct {
	table string
	rows  []row
	// put keeps rows; nil writes them into the table as they are.
	put  func(*testing.T, *store.Store, []row)
	list func(*store.Store, context.Context, Q) (store.Page[R], error)
	span func(*Q) *store.Span
	id   func(R) string
	// base is the query that all are made of, sort its column, "id" where the id alone sorts.
	base    Q
	sort    string
	choices []choice[Q]
	// facets are the values of a row in each facet.
	facets map[string]func(row) any
}

// choice is one value of a filter.
type choice[Q any] struct {
	filter string
	set    func(*Q)
	match  func(row) bool
}

// mark is where a row stands.
func (c trial[Q, R]) mark(r row) store.Mark {
	m := store.Mark{ID: r["id"].(string)}
	if c.sort != "id" {
		m.Key = r[c.sort]
	}
	return m
}

func compare(a, b store.Mark) int {
	rank := map[string]int{"<nil>": 0, "int64": 1, "string": 2}
	byKey := cmp.Compare(rank[fmt.Sprintf("%T", a.Key)], rank[fmt.Sprintf("%T", b.Key)])
	if n, ok := a.Key.(int64); ok && byKey == 0 {
		byKey = cmp.Compare(n, b.Key.(int64))
	} else if s, ok := a.Key.(string); ok && byKey == 0 {
		byKey = cmp.Compare(s, b.Key.(string))
	}
	return cmp.Or(byKey, cmp.Compare(a.ID, b.ID))
}

// want is what a list of some rows has to be.
func (c trial[Q, R]) want(rows []row, chosen []choice[Q], ascending bool) (found []row) {
	for _, r := range rows {
		if matches(r, chosen, "") {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, func(a, b row) int {
		if ascending {
			return compare(c.mark(a), c.mark(b))
		}
		return compare(c.mark(b), c.mark(a))
	})
	return found
}

// matches reports whether a row has what is chosen, the filter of one facet left out.
func matches[Q any](r row, chosen []choice[Q], but string) bool {
	return !slices.ContainsFunc(chosen, func(one choice[Q]) bool { return one.filter != but && !one.match(r) })
}

func ids(rows []row) (list []string) {
	for _, r := range rows {
		list = append(list, r["id"].(string))
	}
	return list
}

// combinations are no choice, each choice, and all pairs of choices of two filters.
func combinations[Q any](choices []choice[Q]) [][]choice[Q] {
	list := [][]choice[Q]{nil}
	for i, a := range choices {
		list = append(list, []choice[Q]{a})
		for _, b := range choices[i+1:] {
			if a.filter != b.filter {
				list = append(list, []choice[Q]{a, b})
			}
		}
	}
	return list
}

func (c trial[Q, R]) query(chosen []choice[Q]) Q {
	q := c.base
	for _, one := range chosen {
		one.set(&q)
	}
	return q
}

func (c trial[Q, R]) fill(t *testing.T, s *store.Store, rows []row) {
	t.Helper()
	if c.put != nil {
		c.put(t, s, rows)
		return
	}
	for _, r := range rows {
		columns := slices.Sorted(maps.Keys(r))
		var args []any
		for _, column := range columns {
			args = append(args, r[column])
		}
		execute(t, s.WriterConn(), "INSERT INTO "+c.table+" ("+strings.Join(columns, ", ")+") VALUES (?"+strings.Repeat(", ?", len(columns)-1)+")", args...)
	}
}

// walk reads pages from a span on to the end.
func (c trial[Q, R]) walk(t *testing.T, s *store.Store, q Q, between func(store.Page[R])) (found []string) {
	t.Helper()
	for n := 0; ; n++ {
		page, err := c.list(s, t.Context(), q)
		if err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
		list := make([]string, 0, len(page.Rows))
		for _, r := range page.Rows {
			list = append(list, c.id(r))
		}
		span := c.span(&q)
		if span.Before {
			found = append(list, found...)
		} else {
			found = append(found, list...)
		}
		if between != nil {
			between(page)
			between = nil
		}
		if !page.More {
			return found
		}
		span.Count = false // The first page is what is compared.
		if span.Mark = page.Last; span.Before {
			span.Mark = page.First
		}
		if span.Mark == nil || n > len(c.rows) {
			t.Fatalf("%+v: no end", q)
		}
	}
}

// run compares every page of every query with what looking at all rows one by one gives.
func (c trial[Q, R]) run(t *testing.T) {
	t.Helper()
	s := open(t, store.Options{Dir: t.TempDir()})
	c.fill(t, s, c.rows)
	for _, chosen := range combinations(c.choices) {
		for _, ascending := range []bool{false, true} {
			q := c.query(chosen)
			*c.span(&q) = store.Span{Ascending: ascending, Limit: 17, Count: true}
			rows := c.want(c.rows, chosen, ascending)
			want := ids(rows)
			var first store.Page[R]
			if got := c.walk(t, s, q, func(p store.Page[R]) { first = p }); !slices.Equal(got, want) {
				t.Errorf("%+v: %d rows, want %d\n%v\n%v", q, len(got), len(want), got, want)
			}
			c.checkCounts(t, q, chosen, first, len(want))
			if len(rows) > 0 && len(chosen) < 2 {
				last := c.mark(rows[len(rows)-1])
				*c.span(&q) = store.Span{Ascending: ascending, Limit: 5, Mark: &last, Before: true}
				if got := c.walk(t, s, q, nil); !slices.Equal(got, want[:len(want)-1]) {
					t.Errorf("%+v, backwards: %d rows, want %d", q, len(got), len(want)-1)
				}
			}
		}
	}
}

func (c trial[Q, R]) checkCounts(t *testing.T, q Q, chosen []choice[Q], page store.Page[R], total int) {
	t.Helper()
	if page.Total == nil || *page.Total != int64(total) {
		t.Errorf("%+v: total %v, want %d", q, page.Total, total)
	}
	for name, value := range c.facets {
		want := map[string]int64{}
		for _, r := range c.rows {
			if matches(r, chosen, name) {
				want[fmt.Sprint(value(r))]++
			}
		}
		if got := asMap(page.Facets[name]); !maps.Equal(got, want) {
			t.Errorf("%+v: %s %v, want %v", q, name, got, want)
		}
		if !slices.IsSortedFunc(page.Facets[name], func(a, b types.FacetValue) int { return cmp.Compare(b.Count, a.Count) }) {
			t.Errorf("%+v: %s not by frequency", q, name)
		}
	}
}

func asMap(list []types.FacetValue) map[string]int64 {
	found := map[string]int64{}
	for _, f := range list {
		key := "<nil>"
		if f.Value != nil {
			key = *f.Value
		}
		found[key] = f.Count
	}
	return found
}

// steady reads a list into which rows are put, and from which rows go, after its first page: what lies
// beyond the page is neither left out nor told twice.
func (c trial[Q, R]) steady(t *testing.T, more []row) {
	t.Helper()
	for _, ascending := range []bool{false, true} {
		s := open(t, store.Options{Dir: t.TempDir()})
		c.fill(t, s, c.rows)
		q := c.query(nil)
		*c.span(&q) = store.Span{Ascending: ascending, Limit: 11}
		before := c.want(c.rows, nil, ascending)
		edge := before[10]
		got := c.walk(t, s, q, func(store.Page[R]) {
			c.fill(t, s, more)
			execute(t, s.WriterConn(), "DELETE FROM "+c.table+" WHERE id = ?", edge["id"])
		})
		want := ids(before[:11])
		for _, r := range c.want(slices.Concat(c.rows, more), nil, ascending) {
			if side := compare(c.mark(r), c.mark(edge)); side > 0 == ascending && side != 0 {
				want = append(want, r["id"].(string))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("ascending %v: %v\nwant %v", ascending, got, want)
		}
	}
}

// shows compares each row as a list has it with its columns, under the names of the contract.
func (c trial[Q, R]) shows(t *testing.T, names map[string]string) {
	t.Helper()
	s := open(t, store.Options{Dir: t.TempDir()})
	c.fill(t, s, c.rows)
	q := c.query(nil)
	*c.span(&q) = store.Span{Limit: len(c.rows)}
	page, err := c.list(s, t.Context(), q)
	if err != nil || len(page.Rows) != len(c.rows) {
		t.Fatalf("%d rows, %v", len(page.Rows), err)
	}
	for i, want := range c.want(c.rows, nil, false) {
		var got map[string]any
		raw, _ := json.Marshal(page.Rows[i])
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		for name, column := range names {
			value := want[column]
			if n, ok := value.(int64); ok {
				value = float64(n)
			}
			if !reflect.DeepEqual(got[name], value) {
				t.Errorf("%s: %v, want %v", name, got[name], value)
			}
		}
	}
}
