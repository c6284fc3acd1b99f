package store

import (
	"context"
	"time"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/store/listing"
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

var systemEventTable = listing.Table[types.SystemEvent]{
	Columns: "id, code, severity, message, details, first_seen_at, last_seen_at, count, resolved_at",
	Into: func(e *types.SystemEvent) []any {
		return []any{&e.EventID, &e.Code, &e.Severity, &e.Message, listing.JSON(&e.Details), &e.FirstSeenAt, &e.LastSeenAt, &e.Count, &e.ResolvedAt}
	},
}

const (
	lasting  = "resolved_at IS NULL"
	resolved = "resolved_at IS NOT NULL"
)

var systemEventPaths = []listing.AccessPath{
	{Index: "systemevent_open", Predicates: []string{lasting}},
	{Index: "systemevent_code_last_seen_at_id", Columns: []string{"code"}},
	{Index: "systemevent_severity_last_seen_at_id", Columns: []string{"severity"}},
	{Index: "systemevent_last_seen_at_id"},
}

func (q SystemEventQuery) query() listing.Query {
	list := listing.Query{Span: q.Span, Table: tableEvents, Key: "last_seen_at", Paths: systemEventPaths, Facets: []listing.Facet{
		listing.NewFacet("severity", q.Severities),
	}}
	list.Filter("code", listing.Values(q.Codes))
	if q.Resolved != nil {
		list.Predicates = []string{lasting}
		if *q.Resolved {
			list.Predicates = []string{resolved}
		}
	}
	list.Range = timesWithin("last_seen_at", q.From, q.To)
	return list
}

// ListSystemEvents returns a page of what is or was wrong, with the facet severity.
func (s *Store) ListSystemEvents(ctx context.Context, q SystemEventQuery) (Page[types.SystemEvent], error) {
	return listing.List(ctx, s.reads, systemEventTable, q.query())
}
