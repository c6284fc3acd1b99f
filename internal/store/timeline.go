package store

import (
	"context"
	"slices"
	"time"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/store/listing"
)

// TimelineQuery chooses what happened in a session, in one sequence. Empty lists and nil choose all.
type TimelineQuery struct {
	Span
	SessionID string
	Kinds     []types.TimelineKind
	// OK and Tools choose calls; with either, nothing but calls is left.
	OK       *bool
	Tools    []string
	From, To *time.Time
	// Text is a part of a tool, a failure, an address, a reason or an entry.
	Text string
	// Detail fills in arguments and results of calls.
	Detail bool
}

// timelineKinds are the lists that a timeline is made of.
var timelineKinds = []struct {
	kind types.TimelineKind
	read func(context.Context, *Store, TimelineQuery, Span) (Page[types.TimelineEntry], error)
}{
	{types.TimelineKindToolCall, func(ctx context.Context, s *Store, q TimelineQuery, span Span) (Page[types.TimelineEntry], error) {
		page, err := s.ListCalls(ctx, CallQuery{Span: span, SessionIDs: []string{q.SessionID}, OK: q.OK, Tools: q.Tools, From: q.From, To: q.To, Text: q.Text, Detail: q.Detail})
		return entries(page, func(c *types.ToolCall) types.TimelineEntry {
			return types.TimelineEntry{EventID: c.EventID, Ts: c.Ts, ToolCall: c}
		}), err
	}},
	{types.TimelineKindPage, func(ctx context.Context, s *Store, q TimelineQuery, span Span) (Page[types.TimelineEntry], error) {
		page, err := s.ListVisits(ctx, VisitQuery{Span: span, SessionIDs: []string{q.SessionID}, From: q.From, To: q.To, Text: q.Text})
		return entries(page, func(v *types.PageVisit) types.TimelineEntry {
			return types.TimelineEntry{EventID: v.EventID, Ts: v.Ts, Page: v}
		}), err
	}},
	{types.TimelineKindAttention, func(ctx context.Context, s *Store, q TimelineQuery, span Span) (Page[types.TimelineEntry], error) {
		page, err := s.ListRequests(ctx, RequestQuery{Span: span, SessionIDs: []string{q.SessionID}, From: q.From, To: q.To, Text: q.Text})
		return entries(page, func(r *types.AttentionRequest) types.TimelineEntry {
			return types.TimelineEntry{EventID: r.RequestID, Ts: r.CreatedAt, Attention: r}
		}), err
	}},
	{types.TimelineKindVault, func(ctx context.Context, s *Store, q TimelineQuery, span Span) (Page[types.TimelineEntry], error) {
		page, err := s.ListVaultLog(ctx, VaultLogQuery{Span: span, SessionIDs: []string{q.SessionID}, From: q.From, To: q.To, Text: q.Text})
		return entries(page, func(a *types.VaultAccess) types.TimelineEntry {
			return types.TimelineEntry{EventID: a.EventID, Ts: a.Ts, Vault: a}
		}), err
	}},
	{types.TimelineKindBlocked, func(ctx context.Context, s *Store, q TimelineQuery, span Span) (Page[types.TimelineEntry], error) {
		page, err := s.ListBlocked(ctx, BlockedQuery{Span: span, SessionIDs: []string{q.SessionID}, From: q.From, To: q.To, Text: q.Text})
		return entries(page, func(b *types.BlockedAttempt) types.TimelineEntry {
			return types.TimelineEntry{EventID: b.EventID, Ts: b.Ts, Blocked: b}
		}), err
	}},
}

// entries are the rows of a page as a timeline shows them.
func entries[R any](page Page[R], entry func(*R) types.TimelineEntry) Page[types.TimelineEntry] {
	all := Page[types.TimelineEntry]{First: page.First, Last: page.Last, More: page.More, Total: page.Total}
	for i := range page.Rows {
		all.Rows = append(all.Rows, entry(&page.Rows[i]))
	}
	return all
}

// Timeline returns a page of what happened in a session, with the facet kind.
func (s *Store) Timeline(ctx context.Context, q TimelineQuery) (Page[types.TimelineEntry], error) {
	var pages []Page[types.TimelineEntry]
	var total int64
	kinds, countable := []types.FacetValue{}, true
	for _, k := range timelineKinds {
		if k.kind != types.TimelineKindToolCall && (q.OK != nil || len(q.Tools) > 0) {
			continue
		}
		span, wanted := q.Span, len(q.Kinds) == 0 || slices.Contains(q.Kinds, k.kind)
		if !wanted && !q.Count {
			continue
		}
		if !wanted {
			span.Limit = 0 // Its facet alone is asked for.
		}
		page, err := k.read(ctx, s, q, span)
		if err != nil {
			return Page[types.TimelineEntry]{}, err
		}
		if wanted {
			for i := range page.Rows {
				page.Rows[i].Kind = k.kind
			}
			pages = append(pages, page)
		}
		switch {
		case page.Total == nil:
			countable = false
		case *page.Total > 0:
			name := string(k.kind)
			kinds = append(kinds, types.FacetValue{Value: &name, Count: *page.Total})
			if wanted {
				total += *page.Total
			}
		}
	}
	page := listing.Merge(pages, q.Span, func(e types.TimelineEntry) string { return e.EventID })
	if q.Count && countable {
		listing.SortFacet(kinds)
		page.Total, page.Facets = &total, map[string][]types.FacetValue{"kind": kinds}
	}
	return page, nil
}
