package listing

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Table is what is read of a kind of rows.
type Table[R any] struct {
	// Columns are separated by commas; each may be an expression.
	Columns string
	// Into returns where the columns of a row are scanned to.
	Into func(*R) []any
}

// List reads a page of rows, and counts the rows one by one if the query asks for that.
func List[R any](ctx context.Context, db *sql.DB, t Table[R], q Query) (Page[R], error) {
	page, err := Read(ctx, db, t, q)
	if err != nil {
		return page, err
	}
	return page, Count(ctx, &page, q, Tally(db))
}

// Read reads a page of rows without total and facets.
func Read[R any](ctx context.Context, db *sql.DB, t Table[R], q Query) (Page[R], error) {
	if q.Limit <= 0 {
		return Page[R]{}, nil
	}
	q = q.Filtered()
	scans := q.Plan()
	parts := make([]part[R], 0, len(scans))
	for _, s := range scans {
		p, err := readScan(ctx, db, t, q, s, s.share(scans))
		if err != nil {
			return Page[R]{}, err
		}
		parts = append(parts, p)
	}
	return merge(parts, q.Span), nil
}

// entry is a row and where it stands.
type entry[R any] struct {
	Mark
	row R
}

// part is some of the rows of a list, in the order in which they were read.
type part[R any] struct {
	entries []entry[R]
	// end is where reading stopped although more may follow; nil when it did not.
	end *Mark
}

// limited is the part up to limit rows.
func (p part[R]) limited(limit int) part[R] {
	if len(p.entries) > limit {
		p.entries = p.entries[:limit]
		p.end = &p.entries[limit-1].Mark
	}
	return p
}

// readScan reads at most a page of rows from one index, and looks at maxRows of them in each range.
func readScan[R any](ctx context.Context, db *sql.DB, t Table[R], q Query, s IndexScan, maxRows int) (p part[R], err error) {
	for _, r := range q.keyRanges() {
		var cutoff *Mark
		if !s.Few && !s.Residual.empty() {
			if cutoff, err = readCutoff(ctx, db, q, s, r, maxRows); err != nil {
				return p, err
			}
		}
		statement, args := q.pageSQL(s, r, cutoff, t.Columns, q.Limit+1-len(p.entries))
		entries, err := readEntries(ctx, db, t, statement, args)
		if err != nil {
			return p, err
		}
		p.entries = append(p.entries, entries...)
		if len(p.entries) > q.Limit {
			return p.limited(q.Limit), nil
		}
		if cutoff != nil {
			p.end = cutoff
			return p, nil
		}
	}
	return p, nil
}

// Cutoff returns the last of the first n rows of a scan, whatever its residual conditions; nil when it has no
// more than that.
func (q Query) Cutoff(ctx context.Context, db *sql.DB, s IndexScan, n int) (*Mark, error) {
	return readCutoff(ctx, db, q, s, keyRange{}, n)
}

func readCutoff(ctx context.Context, db *sql.DB, q Query, s IndexScan, r keyRange, n int) (*Mark, error) {
	statement, args := q.cutoffSQL(s, r, n)
	rows, err := db.QueryContext(ctx, statement, args...)
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

func readEntries[R any](ctx context.Context, db *sql.DB, t Table[R], statement string, args []any) (entries []entry[R], err error) {
	rows, err := db.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var e entry[R]
		if err := rows.Scan(append([]any{&e.ID, &e.Key}, t.Into(&e.row)...)...); err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, rows.Err()
}

// ReadStatement makes a page of the rows of a statement, from its start. The statement selects the id and the
// key of the mark before the columns of the table, in a descending order, and one row more than limit.
func ReadStatement[R any](ctx context.Context, db *sql.DB, t Table[R], statement string, args []any, limit int) (Page[R], error) {
	entries, err := readEntries(ctx, db, t, statement, args)
	if err != nil {
		return Page[R]{}, err
	}
	return merge([]part[R]{part[R]{entries: entries}.limited(limit)}, Span{Limit: limit}), nil
}

// Merge makes one page of those of several lists, which were read with the same span and are sorted by the id
// alone. id returns the id of a row.
func Merge[R any](pages []Page[R], span Span, id func(R) string) Page[R] {
	parts := make([]part[R], len(pages))
	for i, page := range pages {
		rows, end := page.Rows, page.Last
		if span.Before {
			rows, end = slices.Clone(rows), page.First
			slices.Reverse(rows)
		}
		for _, row := range rows {
			parts[i].entries = append(parts[i].entries, entry[R]{Mark{ID: id(row)}, row})
		}
		if page.More {
			parts[i].end = end
		}
	}
	return merge(parts, span)
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

// compareMarks is the order of SQLite: NULL before numbers before texts.
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

// JSON returns where a column with JSON is scanned to. NULL leaves the value as it is.
func JSON(to any) sql.Scanner { return jsonScanner{to} }

type jsonScanner struct{ to any }

// Scan implements sql.Scanner.
func (s jsonScanner) Scan(value any) error {
	switch raw := value.(type) {
	case nil:
		return nil
	case []byte:
		return json.Unmarshal(raw, s.to)
	case string:
		return json.Unmarshal([]byte(raw), s.to)
	}
	return fmt.Errorf("a column with JSON holds a %T", value)
}
