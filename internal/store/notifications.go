package store

import (
	"context"
	"time"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/store/listing"
)

// NotificationQuery chooses notifications of an operator by the time at which they last changed. Dismissed
// ones are never among them. Empty lists and nil choose all.
type NotificationQuery struct {
	Span
	PrincipalID string
	Unread      *bool
	Types       []types.NotificationType
	SessionIDs  []string
	From, To    *time.Time
}

const tableNotifications = "notifications"

var notificationTable = listing.Table[types.Notification]{
	Columns: "id, principal_id, type, title, body, session_id, session_slug, target, source_event_id, created_at, updated_at, count, read_at, dismissed_at",
	Into: func(n *types.Notification) []any {
		return []any{
			&n.NotificationID, &n.PrincipalID, &n.Type, &n.Title, &n.Body, &n.SessionID, &n.SessionSlug, &n.Target, &n.SourceEventID, &n.CreatedAt,
			&n.UpdatedAt, &n.Count, &n.ReadAt, &n.DismissedAt,
		}
	},
}

const (
	shown  = "dismissed_at IS NULL"
	unread = "read_at IS NULL"
	read   = "read_at IS NOT NULL"
)

var notificationPaths = []listing.AccessPath{
	{Index: "notification_principal_id_session_id_updated_at_id", Columns: []string{"principal_id", "session_id"}, Predicates: []string{shown}},
	{Index: "notification_unread", Columns: []string{"principal_id"}, Predicates: []string{unread, shown}},
	{Index: "notification_principal_id_type_updated_at_id", Columns: []string{"principal_id", "type"}, Predicates: []string{shown}},
	{Index: "notification_principal_id_updated_at_id", Columns: []string{"principal_id"}, Predicates: []string{shown}},
}

func (q NotificationQuery) query() listing.Query {
	list := listing.Query{Span: q.Span, Table: tableNotifications, Key: "updated_at", Paths: notificationPaths, Predicates: []string{shown}, Facets: []listing.Facet{
		listing.NewFacet("type", q.Types),
	}}
	list.Filter("principal_id", []any{q.PrincipalID})
	list.Filter("session_id", listing.Values(q.SessionIDs))
	if q.Unread != nil {
		state := read
		if *q.Unread {
			state = unread
		}
		list.Predicates = append(list.Predicates, state)
	}
	list.Range = timesWithin("updated_at", q.From, q.To)
	return list
}

// ListNotifications returns a page of notifications, with the facet type.
func (s *Store) ListNotifications(ctx context.Context, q NotificationQuery) (Page[types.Notification], error) {
	return listing.List(ctx, s.reads, notificationTable, q.query())
}

// UnreadNotifications counts the notifications of an operator that are not read, at most listing.MaxScan.
func (s *Store) UnreadNotifications(ctx context.Context, principalID string) (n int64, err error) {
	const query = "SELECT count(*) FROM (SELECT 1 FROM notifications INDEXED BY notification_unread WHERE principal_id = ? AND " + unread + " AND " + shown + " LIMIT ?)"
	err = s.reads.QueryRowContext(ctx, query, principalID, listing.MaxScan).Scan(&n)
	return n, err
}
