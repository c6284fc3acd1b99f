package store

import (
	"context"
	"time"

	"github.com/browserhive/browserhive/gen/types"
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

var notificationTable = table[types.Notification]{
	tableNotifications, "id, principal_id, type, title, body, session_id, session_slug, target, source_event_id, created_at, updated_at, count, read_at, dismissed_at",
	func(n *types.Notification) []any {
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

var notificationWays = []way{
	{index: "notification_principal_id_session_id_updated_at_id", columns: []string{"principal_id", "session_id"}, facts: []string{shown}},
	{index: "notification_unread", columns: []string{"principal_id"}, facts: []string{unread, shown}},
	{index: "notification_principal_id_type_updated_at_id", columns: []string{"principal_id", "type"}, facts: []string{shown}},
	{index: "notification_principal_id_updated_at_id", columns: []string{"principal_id"}, facts: []string{shown}},
}

func (q NotificationQuery) question() question {
	a := question{Span: q.Span, table: tableNotifications, key: "updated_at", ways: notificationWays, facts: []string{shown}, facets: []facet{
		{name: "type", column: "type", chosen: texts(q.Types)},
	}}
	a.filter("principal_id", []any{q.PrincipalID})
	a.filter("session_id", values(q.SessionIDs))
	if q.Unread != nil {
		fact := read
		if *q.Unread {
			fact = unread
		}
		a.facts = append(a.facts, fact)
	}
	a.bounds.times("updated_at", q.From, q.To)
	return a
}

// ListNotifications returns a page of notifications, with the facet type.
func (s *Store) ListNotifications(ctx context.Context, q NotificationQuery) (Page[types.Notification], error) {
	return counted(ctx, s, notificationTable, q.question())
}

// UnreadNotifications counts the notifications of an operator that are not read, at most lookLimit.
func (s *Store) UnreadNotifications(ctx context.Context, principalID string) (n int64, err error) {
	c := conditions{}
	c.and("principal_id = ?", principalID)
	c.and(unread)
	c.and(shown)
	err = s.reads.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM notifications INDEXED BY notification_unread"+c.where()+limitOf(lookLimit)+")", c.args...).Scan(&n)
	return n, err
}
