package store

import (
	"context"
	"time"

	"github.com/browserhive/browserhive/gen/types"
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

var requestTable = table[types.AttentionRequest]{
	tableRequests, "id, kind, session_id, session_slug, owner, reason, mode, options, status, message, resolved_by, resolution_reason, " +
		"created_at, resolved_at, deadline_at, page_url, tool, event_id, entry_name",
	func(r *types.AttentionRequest) []any {
		return []any{
			&r.RequestID, &r.Kind, &r.SessionID, &r.SessionSlug, &r.Owner, &r.Reason, &r.Mode, object{&r.Options}, &r.Status, &r.Message, &r.ResolvedBy,
			&r.ResolutionReason, &r.CreatedAt, &r.ResolvedAt, &r.DeadlineAt, &r.PageURL, &r.Tool, &r.EventID, &r.EntryName,
		}
	},
}

var requestWays = []way{
	{index: "request_session_id_id", columns: []string{"session_id"}},
	{index: "request_kind_status_id", columns: []string{"kind", "status"}},
	{index: "request_kind_id", columns: []string{"kind"}},
	{index: "sqlite_autoindex_requests_1"},
}

// requestTexts are the columns that a text is looked for in.
var requestTexts = map[types.AttentionKind][]string{
	types.AttentionKindAttention:    {"reason", "message"},
	types.AttentionKindVaultConfirm: {"entry_name", "page_url", "session_slug"},
	"":                              {"tool", "reason", "page_url", "entry_name"},
}

func (q RequestQuery) question() question {
	a := question{Span: q.Span, table: tableRequests, ways: requestWays, facets: []facet{
		{name: "status", column: "status", chosen: texts(q.Statuses)}, {name: "mode", column: "mode", chosen: texts(q.Modes)},
	}}
	if q.Kind != "" {
		a.filter("kind", []any{string(q.Kind)})
	}
	a.filter("session_id", values(q.SessionIDs))
	a.filter("owner", values(q.Owners))
	a.filter("resolved_by", values(q.ResolvedBy))
	a.filter("entry_name", values(q.EntryNames))
	a.bounds.between(q.From, q.To)
	if q.Text != "" {
		a.rest.add(contains(q.Text, requestTexts[q.Kind]...))
	}
	return a
}

// ListRequests returns a page of requests, with the facets status and mode. waited_ms runs until now for
// those that wait.
func (s *Store) ListRequests(ctx context.Context, q RequestQuery) (Page[types.AttentionRequest], error) {
	page, err := counted(ctx, s, requestTable, q.question())
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
	c := conditions{}
	c.and("status = 'pending'")
	c.and("kind = ?", string(kind))
	if sessionID != nil {
		c.and("session_id = ?", *sessionID)
	}
	err = s.reads.QueryRowContext(ctx, "SELECT count(*) FROM requests INDEXED BY request_pending"+c.where(), c.args...).Scan(&n)
	return n, err
}
