package store

import (
	"context"
	"time"
)

// callGroups is a grouping of calls. Where only what the counts of hours know is asked for, they answer, and
// calls are looked at only for the hours that the window has in part.
func (s *Store) callGroups(ctx context.Context, calls CallQuery, q question, columns []string) (groups []group, ok bool, err error) {
	if !calls.byHour() {
		return s.tally(ctx, q, columns)
	}
	from, to, ends := wholeHours(calls.From, calls.To)
	if from != nil && to != nil && !from.Before(*to) {
		return s.tally(ctx, q, columns) // Within two hours.
	}
	statement, args := q.hours(from, to, columns)
	rows, err := s.reads.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, false, err
	}
	if groups, err = scanGroups(rows, nil); err != nil {
		return nil, false, err
	}
	for _, end := range ends {
		q.bounds = conditions{}
		q.bounds.between(&end[0], &end[1])
		more, ok, err := s.tally(ctx, q, columns)
		if err != nil || !ok {
			return nil, false, err
		}
		groups = append(groups, more...)
	}
	return groups, true, nil
}

// byHour reports whether the counts of hours know all that is asked for.
func (q CallQuery) byHour() bool { return len(q.SessionIDs) == 0 && q.TraceID == nil && q.Text == "" }

// wholeHours are the hours that a window has whole, and what it has of others at its ends.
func wholeHours(from, to *time.Time) (first, last *time.Time, ends [][2]time.Time) {
	if from != nil {
		hour := from.Truncate(time.Hour)
		if hour.Before(*from) {
			hour = hour.Add(time.Hour)
			ends = append(ends, [2]time.Time{*from, hour})
		}
		first = &hour
	}
	if to != nil {
		hour := to.Truncate(time.Hour)
		if hour.Before(*to) {
			ends = append(ends, [2]time.Time{hour, *to})
		}
		last = &hour
	}
	return first, last, ends
}

// hours counts calls from the counts of hours.
func (q question) hours(from, to *time.Time, columns []string) (string, []any) {
	var c conditions
	if from == nil && to == nil {
		c.and("hour = ?", everHour)
	} else {
		c.and("hour > ?", everHour)
	}
	if from != nil {
		c.and("hour >= ?", from.UnixMilli())
	}
	if to != nil {
		c.and("hour < ?", to.UnixMilli())
	}
	for _, f := range q.filters {
		c.and(f.column+" IN ("+marks(len(f.values))+")", f.values...)
	}
	for _, fact := range q.facts {
		c.and(map[string]string{failed: "error_code <> ''", succeeded: "error_code = ''"}[fact])
	}
	named := make([]string, len(columns))
	for i, column := range columns {
		if named[i] = column; column == "error_code" {
			named[i] = "nullif(error_code, '')"
		}
	}
	return grouped(named, "sum(calls)", " FROM call_counts"+c.where()), c.args
}
