package store

import (
	"context"
	"time"

	"github.com/browserhive/browserhive/gen/types"
)

// SystemEventQuery chooses what is or was wrong with the server by the time at which it was last seen. Empty
// lists and nil choose all.
type SystemEventQuery struct {
	Span
	// Resolved chooses what is over, or what lasts.
	Resolved   *bool
	Severities []types.Severity
	Codes      []string
	From, To   *time.Time
}

var systemEventTable = table[types.SystemEvent]{
	tableEvents, "id, code, severity, message, details, first_seen_at, last_seen_at, count, resolved_at",
	func(e *types.SystemEvent) []any {
		return []any{&e.EventID, &e.Code, &e.Severity, &e.Message, object{&e.Details}, &e.FirstSeenAt, &e.LastSeenAt, &e.Count, &e.ResolvedAt}
	},
}

const (
	lasting  = "resolved_at IS NULL"
	resolved = "resolved_at IS NOT NULL"
)

var systemEventWays = []way{
	{index: "systemevent_open", facts: []string{lasting}},
	{index: "systemevent_code_last_seen_at_id", columns: []string{"code"}},
	{index: "systemevent_severity_last_seen_at_id", columns: []string{"severity"}},
	{index: "systemevent_last_seen_at_id"},
}

func (q SystemEventQuery) question() question {
	a := question{Span: q.Span, table: tableEvents, key: "last_seen_at", ways: systemEventWays, facets: []facet{
		{name: "severity", column: "severity", chosen: texts(q.Severities)},
	}}
	a.filter("code", values(q.Codes))
	if q.Resolved != nil {
		a.facts = []string{lasting}
		if *q.Resolved {
			a.facts = []string{resolved}
		}
	}
	a.bounds.times("last_seen_at", q.From, q.To)
	return a
}

// ListSystemEvents returns a page of what is or was wrong, with the facet severity.
func (s *Store) ListSystemEvents(ctx context.Context, q SystemEventQuery) (Page[types.SystemEvent], error) {
	return counted(ctx, s, systemEventTable, q.question())
}
