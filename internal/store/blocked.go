package store

import (
	"context"
	"time"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/store/listing"
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

var blockedTable = listing.Table[types.BlockedAttempt]{
	Columns: "id, session_id, session_slug, tool_event_id, url, domain, pattern, source, tool, ts",
	Into: func(b *types.BlockedAttempt) []any {
		return []any{&b.EventID, &b.SessionID, &b.SessionSlug, &b.ToolEventID, &b.URL, &b.Domain, &b.Pattern, &b.Source, &b.Tool, &b.Ts}
	},
}

var blockedPaths = []listing.AccessPath{
	{Index: "blockedattempt_session_id_id", Columns: []string{"session_id"}},
	{Index: "blockedattempt_domain_id", Columns: []string{"domain"}},
	{Index: "blockedattempt_pattern_id", Columns: []string{"pattern"}},
	{Index: "blockedattempt_tool_id", Columns: []string{"tool"}},
	{Index: "blockedattempt_source_id", Columns: []string{"source"}},
	{Index: "sqlite_autoindex_blocked_attempts_1"},
}

func (q BlockedQuery) query() listing.Query {
	list := listing.Query{Span: q.Span, Table: tableBlocked, Paths: blockedPaths, Facets: []listing.Facet{
		listing.NewFacet("source", q.Sources), listing.NewFacet("domain", q.Domains),
	}}
	list.Filter("session_id", listing.Values(q.SessionIDs))
	list.Filter("pattern", listing.Values(q.Patterns))
	list.Filter("tool", listing.Values(q.Tools))
	list.Range = idsWithin(q.From, q.To)
	if q.Text != "" {
		list.Residual.Add(listing.Contains(q.Text, "url"))
	}
	return list
}

// ListBlocked returns a page of requests that were stopped, with the facets source and domain.
func (s *Store) ListBlocked(ctx context.Context, q BlockedQuery) (Page[types.BlockedAttempt], error) {
	return listing.List(ctx, s.reads, blockedTable, q.query())
}
