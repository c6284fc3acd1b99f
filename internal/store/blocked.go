package store

import (
	"context"
	"time"

	"github.com/browserhive/browserhive/gen/types"
)

// BlockedQuery chooses requests that the blocklist stopped by the time of the request. Empty lists and nil
// choose all.
type BlockedQuery struct {
	Span
	SessionIDs, Domains, Patterns, Tools []string
	Sources                              []types.BlockSource
	From, To                             *time.Time
	// Text is a part of the address.
	Text string
}

var blockedTable = table[types.BlockedAttempt]{
	tableBlocked, "id, session_id, session_slug, tool_event_id, url, domain, pattern, source, tool, ts",
	func(b *types.BlockedAttempt) []any {
		return []any{&b.EventID, &b.SessionID, &b.SessionSlug, &b.ToolEventID, &b.URL, &b.Domain, &b.Pattern, &b.Source, &b.Tool, &b.Ts}
	},
}

var blockedWays = []way{
	{index: "blockedattempt_session_id_id", columns: []string{"session_id"}},
	{index: "blockedattempt_domain_id", columns: []string{"domain"}},
	{index: "blockedattempt_pattern_id", columns: []string{"pattern"}},
	{index: "blockedattempt_tool_id", columns: []string{"tool"}},
	{index: "blockedattempt_source_id", columns: []string{"source"}},
	{index: "sqlite_autoindex_blocked_attempts_1"},
}

func (q BlockedQuery) question() question {
	a := question{Span: q.Span, table: tableBlocked, ways: blockedWays, facets: []facet{
		{name: "source", column: "source", chosen: texts(q.Sources)}, {name: "domain", column: "domain", chosen: q.Domains},
	}}
	a.filter("session_id", values(q.SessionIDs))
	a.filter("pattern", values(q.Patterns))
	a.filter("tool", values(q.Tools))
	a.bounds.between(q.From, q.To)
	if q.Text != "" {
		a.rest.add(contains(q.Text, "url"))
	}
	return a
}

// ListBlocked returns a page of requests that were stopped, with the facets source and domain.
func (s *Store) ListBlocked(ctx context.Context, q BlockedQuery) (Page[types.BlockedAttempt], error) {
	return counted(ctx, s, blockedTable, q.question())
}
