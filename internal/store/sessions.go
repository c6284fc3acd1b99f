package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/store/listing"
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

var sessionTable = listing.Table[types.Session]{
	Columns: "id, slug, owner, tenant_id, channel, engine, headless, incognito, persistence_mode, state, current_url, created_at, " +
		"last_activity_at, closed_at, closed_reason, archived_at, disable_evaluate, vault_enabled, coalesce(stealth, false), " +
		"coalesce(fingerprint, false), coalesce(humanize, false), stealth IS NOT NULL, closed_at IS NULL, proxy_label, tool_calls, errors, " +
		"pages, screenshots, blocked, vault_accesses, " + pendingOf + "'attention'), " + pendingOf + "'vault_confirm'), client, identity",
	Into: func(r *types.Session) []any {
		c := &r.Counts
		return []any{
			&r.SessionID, &r.Slug, &r.Owner, &r.TenantID, &r.Channel, &r.Engine, &r.Headless, &r.Incognito, &r.PersistenceMode, &r.State, &r.CurrentURL, &r.CreatedAt,
			&r.LastActivityAt, &r.ClosedAt, &r.ClosedReason, &r.ArchivedAt, &r.DisableEvaluate, &r.VaultEnabled, &r.Stealth,
			&r.Fingerprint, &r.Humanize, &r.StealthRecorded, &r.Live, &r.ProxyLabel, &c.ToolCalls, &c.Errors,
			&c.Pages, &c.Screenshots, &c.Blocked, &c.VaultAccesses, &c.AttentionOpen, &c.ConfirmOpen, listing.JSON(&r.Client), listing.JSON(&r.Identity),
		}
	},
}

const (
	sessionLive       = "closed_at IS NULL"
	sessionArchived   = "archived_at IS NOT NULL"
	sessionUnarchived = "archived_at IS NULL"
	sessionWaits      = "id IN (SELECT session_id FROM requests INDEXED BY request_pending WHERE status = 'pending')"
	// sessionListState is a value of types.SessionListState.
	sessionListState = "CASE WHEN closed_at IS NULL THEN 'live' WHEN archived_at IS NULL THEN 'closed' ELSE 'archived' END"
)

// paths lead to the sessions in the order of a sort.
func (sort SessionSort) paths() []listing.AccessPath {
	// Sessions that run or wait are few: as many as browsers.
	list := []listing.AccessPath{
		{Index: "sqlite_autoindex_sessions_1", Predicates: []string{sessionWaits}, Few: true},
		{Index: "session_live", Predicates: []string{sessionLive}, Few: sort != SortCreated},
	}
	if sort == SortCreated {
		list = append(list,
			listing.AccessPath{Index: "session_archived", Predicates: []string{sessionArchived}},
			listing.AccessPath{Index: "session_owner_created_at_id", Columns: []string{"owner"}})
	}
	return append(list, listing.AccessPath{Index: "session_" + string(sort) + "_id", Covering: sort == SortCreated})
}

func (q SessionQuery) query() listing.Query {
	list := listing.Query{
		Span: q.Span, Table: tableSessions, Key: string(q.Sort), Nullable: q.Sort == SortClosed || q.Sort == SortCurrentURL, Paths: q.Sort.paths(),
		Facets: []listing.Facet{
			q.stateFacet(), listing.NewFacet("owner", q.Owners), listing.NewFacet("channel", q.Channels),
			listing.NewFacet("persistence_mode", q.PersistenceModes),
		},
	}
	list.Filter("closed_reason", listing.Values(q.ClosedReasons))
	if q.NeedsAttention != nil {
		if *q.NeedsAttention {
			list.Predicates = append(list.Predicates, sessionWaits)
		} else {
			list.Predicates = append(list.Predicates, "NOT "+sessionWaits)
		}
	}
	if q.From != nil {
		list.Residual.And("(closed_at IS NULL OR closed_at >= ?)", q.From.UnixMilli())
	}
	createdBefore := &list.Residual
	if q.Sort == SortCreated {
		createdBefore = &list.Range
	}
	createdBefore.Add(timesWithin("created_at", nil, q.To))
	if q.Text != "" {
		list.Residual.Add(listing.Contains(q.Text, "slug", "id"))
	}
	return list
}

// stateFacet chooses by predicates where an index is limited to them.
func (q SessionQuery) stateFacet() listing.Facet {
	facet := listing.NamedFacet("state", sessionListState, q.States)
	live, closed, archived := slices.Contains(q.States, types.SessionListStateLive), slices.Contains(q.States, types.SessionListStateClosed), slices.Contains(q.States, types.SessionListStateArchived)
	switch {
	case live && !closed && !archived:
		facet.Predicates = []string{sessionLive}
	case archived && !closed && !live:
		facet.Predicates = []string{sessionArchived}
	case live && closed && !archived:
		facet.Predicates = []string{sessionUnarchived}
	}
	return facet
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
	page, err := listing.Read(ctx, s.reads, sessionTable, q.query())
	if err != nil {
		return page, err
	}
	// They are counted along the index that holds all that a filter or a facet looks at.
	q.Sort = SortCreated
	return page, listing.Count(ctx, &page, q.query(), listing.Tally(s.reads))
}
