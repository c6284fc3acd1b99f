package store

import (
	"context"
	"time"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/store/listing"
)

// RequestQuery chooses requests to operators by the time at which they were made. Empty lists and nil choose
// all.
type RequestQuery struct {
	Span
	// Kind is what is asked for; "" for either.
	Kind                                       types.AttentionKind
	Statuses                                   []types.AttentionStatus
	Modes                                      []types.AttentionMode
	SessionIDs, Owners, ResolvedBy, EntryNames []string
	From, To                                   *time.Time
	// Text is a part of the reason or the message of a request for attention; of the entry, the address or the
	// slug of a confirmation; where both are meant, of the tool, the reason, the address or the entry.
	Text string
}

const tableRequests = "requests"

var requestTable = listing.Table[types.AttentionRequest]{
	Columns: "id, kind, session_id, session_slug, owner, reason, mode, options, status, message, resolved_by, resolution_reason, " +
		"created_at, resolved_at, deadline_at, page_url, tool, event_id, entry_name",
	Into: func(r *types.AttentionRequest) []any {
		return []any{
			&r.RequestID, &r.Kind, &r.SessionID, &r.SessionSlug, &r.Owner, &r.Reason, &r.Mode, listing.JSON(&r.Options), &r.Status, &r.Message, &r.ResolvedBy,
			&r.ResolutionReason, &r.CreatedAt, &r.ResolvedAt, &r.DeadlineAt, &r.PageURL, &r.Tool, &r.EventID, &r.EntryName,
		}
	},
}

var requestPaths = []listing.AccessPath{
	{Index: "request_session_id_id", Columns: []string{"session_id"}},
	{Index: "request_kind_status_id", Columns: []string{"kind", "status"}},
	{Index: "request_kind_id", Columns: []string{"kind"}},
	{Index: "sqlite_autoindex_requests_1"},
}

// requestTexts are the columns that a text is looked for in.
var requestTexts = map[types.AttentionKind][]string{
	types.AttentionKindAttention:    {"reason", "message"},
	types.AttentionKindVaultConfirm: {"entry_name", "page_url", "session_slug"},
	"":                              {"tool", "reason", "page_url", "entry_name"},
}

func (q RequestQuery) query() listing.Query {
	list := listing.Query{Span: q.Span, Table: tableRequests, Paths: requestPaths, Facets: []listing.Facet{
		listing.NewFacet("status", q.Statuses), listing.NewFacet("mode", q.Modes),
	}}
	if q.Kind != "" {
		list.Filter("kind", []any{string(q.Kind)})
	}
	list.Filter("session_id", listing.Values(q.SessionIDs))
	list.Filter("owner", listing.Values(q.Owners))
	list.Filter("resolved_by", listing.Values(q.ResolvedBy))
	list.Filter("entry_name", listing.Values(q.EntryNames))
	list.Range = idsWithin(q.From, q.To)
	if q.Text != "" {
		list.Residual.Add(listing.Contains(q.Text, requestTexts[q.Kind]...))
	}
	return list
}

// ListRequests returns a page of requests, with the facets status and mode. waited_ms runs until now for
// those that wait.
func (s *Store) ListRequests(ctx context.Context, q RequestQuery) (Page[types.AttentionRequest], error) {
	page, err := listing.List(ctx, s.reads, requestTable, q.query())
	for i := range page.Rows {
		r := &page.Rows[i]
		until := s.opts.Now().UnixMilli()
		if r.ResolvedAt != nil {
			until = *r.ResolvedAt
		}
		r.WaitedMs = max(until-r.CreatedAt, 0)
	}
	return page, err
}

// OpenRequests counts the requests of a kind that wait now: all, or those of a session. They are few.
func (s *Store) OpenRequests(ctx context.Context, kind types.AttentionKind, sessionID *string) (n int64, err error) {
	pending := listing.Where("status = 'pending'")
	pending.And("kind = ?", string(kind))
	if sessionID != nil {
		pending.And("session_id = ?", *sessionID)
	}
	where, args := pending.SQL()
	err = s.reads.QueryRowContext(ctx, "SELECT count(*) FROM requests INDEXED BY request_pending"+where, args...).Scan(&n)
	return n, err
}
