package store

import (
	"context"
	"slices"
	"time"

	"github.com/browserhive/browserhive/internal/store/listing"
)

// callGroups is a grouping of calls. Where the counts by the hour answer all that is asked for, calls are looked at
// only for the hours of which the window has a part.
func (s *Store) callGroups(ctx context.Context, calls CallQuery, q listing.Query, columns []string) (groups []listing.Group, ok bool, err error) {
	tally := listing.Tally(s.reads)
	if !calls.byHour() {
		return tally(ctx, q, columns)
	}
	from, to, ends := fullHours(calls.From, calls.To)
	if from != nil && to != nil && !from.Before(*to) {
		return tally(ctx, q, columns) // Within two hours.
	}
	statement, args := hourlyCounts(q, from, to, columns)
	if groups, err = listing.ReadGroups(s.reads.QueryContext(ctx, statement, args...)); err != nil {
		return nil, false, err
	}
	for _, end := range ends {
		q.Range = idsWithin(&end[0], &end[1])
		more, ok, err := tally(ctx, q, columns)
		if err != nil || !ok {
			return nil, false, err
		}
		groups = append(groups, more...)
	}
	return groups, true, nil
}

// byHour reports whether the counts by the hour answer all that is asked for.
func (q CallQuery) byHour() bool { return len(q.SessionIDs) == 0 && q.TraceID == nil && q.Text == "" }

// fullHours are the hours that lie within a window, and what the window has of others at its ends.
func fullHours(from, to *time.Time) (first, last *time.Time, ends [][2]time.Time) {
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

// hourlyCounts sums the counts by the hour.
func hourlyCounts(q listing.Query, from, to *time.Time, columns []string) (statement string, args []any) {
	hours := listing.Where("hour > ?", allHours)
	if from == nil && to == nil {
		hours = listing.Where("hour = ?", allHours)
	}
	hours.Add(timesWithin("hour", from, to))
	hours.Add(q.FilterConditions())
	for _, predicate := range q.Predicates {
		hours.And(map[string]string{failed: "error_code <> ''", succeeded: "error_code = ''"}[predicate])
	}
	named := slices.Clone(columns)
	for i, column := range columns {
		if column == "error_code" {
			named[i] = "nullif(error_code, '')"
		}
	}
	where, args := hours.SQL()
	return listing.Grouped(named, "sum(calls)", " FROM call_counts"+where), args
}
