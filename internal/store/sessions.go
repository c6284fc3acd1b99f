package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/browserhive/browserhive/gen/types"
)

// SessionQuery chooses sessions. Empty lists and nil choose all.
type SessionQuery struct {
	Span
	// Sort is the column that they are sorted by, "" for SortCreated.
	Sort             SessionSort
	States           []types.SessionListState
	Owners           []string
	Channels         []types.Channel
	PersistenceModes []types.PersistenceMode
	ClosedReasons    []types.ClosedReason
	// NeedsAttention chooses those with a request that waits, or the others.
	NeedsAttention *bool
	// From and To choose those that were live at some time at or after the one and before the other.
	From, To *time.Time
	// Text is a part of the slug or the id.
	Text string
}

// SessionSort is a column that sessions are sorted by.
type SessionSort string

// Values of SessionSort. When a lease ends is not among them: no row says so, but the sessions that run.
const (
	SortCreated      SessionSort = "created_at"
	SortLastActivity SessionSort = "last_activity_at"
	SortClosed       SessionSort = "closed_at"
	SortSlug         SessionSort = "slug"
	SortOwner        SessionSort = "owner"
	SortChannel      SessionSort = "channel"
	SortPersistence  SessionSort = "persistence_mode"
	SortState        SessionSort = "state"
	SortCurrentURL   SessionSort = "current_url"
	SortToolCalls    SessionSort = "tool_calls"
	SortErrors       SessionSort = "errors"
	SortBlocked      SessionSort = "blocked"
)

var sessionSorts = []SessionSort{
	SortCreated, SortLastActivity, SortClosed, SortSlug, SortOwner, SortChannel, SortPersistence, SortState, SortCurrentURL, SortToolCalls,
	SortErrors, SortBlocked,
}

const pendingOf = "(SELECT count(*) FROM requests INDEXED BY request_pending WHERE status = 'pending' AND session_id = sessions.id AND kind = "

var sessionTable = table[types.Session]{
	tableSessions, "id, slug, owner, tenant_id, channel, engine, headless, incognito, persistence_mode, state, current_url, created_at, " +
		"last_activity_at, closed_at, closed_reason, archived_at, disable_evaluate, vault_enabled, coalesce(stealth, false), " +
		"coalesce(fingerprint, false), coalesce(humanize, false), stealth IS NOT NULL, closed_at IS NULL, proxy_label, tool_calls, errors, " +
		"pages, screenshots, blocked, vault_accesses, " + pendingOf + "'attention'), " + pendingOf + "'vault_confirm'), client, identity",
	func(r *types.Session) []any {
		c := &r.Counts
		return []any{
			&r.SessionID, &r.Slug, &r.Owner, &r.TenantID, &r.Channel, &r.Engine, &r.Headless, &r.Incognito, &r.PersistenceMode, &r.State, &r.CurrentURL, &r.CreatedAt,
			&r.LastActivityAt, &r.ClosedAt, &r.ClosedReason, &r.ArchivedAt, &r.DisableEvaluate, &r.VaultEnabled, &r.Stealth,
			&r.Fingerprint, &r.Humanize, &r.StealthRecorded, &r.Live, &r.ProxyLabel, &c.ToolCalls, &c.Errors,
			&c.Pages, &c.Screenshots, &c.Blocked, &c.VaultAccesses, &c.AttentionOpen, &c.ConfirmOpen, object{&r.Client}, object{&r.Identity},
		}
	},
}

const (
	sessionLive       = "closed_at IS NULL"
	sessionArchived   = "archived_at IS NOT NULL"
	sessionUnarchived = "archived_at IS NULL"
	sessionWaits      = "id IN (SELECT session_id FROM requests INDEXED BY request_pending WHERE status = 'pending')"
	sessionShelf      = "CASE WHEN closed_at IS NULL THEN 'live' WHEN archived_at IS NULL THEN 'closed' ELSE 'archived' END"
)

// ways are those of a sort.
func (sort SessionSort) ways() []way {
	// Sessions that run or wait are few: as many as browsers.
	list := []way{
		{index: "sqlite_autoindex_sessions_1", facts: []string{sessionWaits}, few: true},
		{index: "session_live", facts: []string{sessionLive}, few: sort != SortCreated},
	}
	if sort == SortCreated {
		list = append(list, way{index: "session_archived", facts: []string{sessionArchived}}, way{index: "session_owner_created_at_id", columns: []string{"owner"}})
	}
	return append(list, way{index: "session_" + string(sort) + "_id", covers: sort == SortCreated})
}

func (q SessionQuery) question() question {
	shelf := facet{name: "state", column: sessionShelf, chosen: texts(q.States)}
	live, closed, archived := slices.Contains(q.States, types.SessionListStateLive), slices.Contains(q.States, types.SessionListStateClosed), slices.Contains(q.States, types.SessionListStateArchived)
	switch {
	case live && !closed && !archived:
		shelf.facts = []string{sessionLive}
	case archived && !closed && !live:
		shelf.facts = []string{sessionArchived}
	case live && closed && !archived:
		shelf.facts = []string{sessionUnarchived}
	}
	a := question{
		Span: q.Span, table: tableSessions, key: string(q.Sort), nullable: q.Sort == SortClosed || q.Sort == SortCurrentURL, ways: q.Sort.ways(),
		facets: []facet{
			shelf, {name: "owner", column: "owner", chosen: q.Owners}, {name: "channel", column: "channel", chosen: texts(q.Channels)},
			{name: "persistence_mode", column: "persistence_mode", chosen: texts(q.PersistenceModes)},
		},
	}
	a.filter("closed_reason", values(q.ClosedReasons))
	if q.NeedsAttention != nil {
		if *q.NeedsAttention {
			a.facts = append(a.facts, sessionWaits)
		} else {
			a.facts = append(a.facts, "NOT "+sessionWaits)
		}
	}
	if q.From != nil {
		a.rest.and("(closed_at IS NULL OR closed_at >= ?)", q.From.UnixMilli())
	}
	within := &a.rest
	if q.Sort == SortCreated {
		within = &a.bounds
	}
	within.times("created_at", nil, q.To)
	if q.Text != "" {
		a.rest.add(contains(q.Text, "slug", "id"))
	}
	return a
}

// ListSessions returns a page of sessions, with the facets state, owner, channel and persistence_mode. A row
// tells what is recorded: of a session that runs, its lease, its present state and who watches are not.
func (s *Store) ListSessions(ctx context.Context, q SessionQuery) (Page[types.Session], error) {
	if q.Sort == "" {
		q.Sort = SortCreated
	}
	if !slices.Contains(sessionSorts, q.Sort) {
		return Page[types.Session]{}, fmt.Errorf("sessions are not sorted by %q", q.Sort)
	}
	page, err := list(ctx, s, sessionTable, q.question().asked())
	if err != nil {
		return page, err
	}
	// They are counted along the index that holds all that a filter or a facet looks at.
	q.Sort = SortCreated
	return page, countOf(ctx, &page, q.question(), s.tally)
}
