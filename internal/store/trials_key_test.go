package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/store"
)

func systemEventTrial() trial[store.SystemEventQuery, types.SystemEvent] {
	type q = store.SystemEventQuery
	return trial[q, types.SystemEvent]{
		table: "system_events", list: (*store.Store).ListSystemEvents, sort: "last_seen_at", span: func(q *q) *store.Span { return &q.Span },
		id: func(e types.SystemEvent) string { return e.EventID }, facets: map[string]func(row) any{"severity": column("severity")},
		rows: events(100, func(i int, r row) {
			// Some were seen again later, and several at one time.
			r["first_seen_at"], r["last_seen_at"] = r["ts"], r["ts"].(int64)+int64(i%3)*14*time.Minute.Milliseconds()
			delete(r, "ts")
			r["code"], r["severity"], r["message"], r["count"] = pick(i, "RETENTION_FAILED", "DISK_LOW"), pick(i, "warn", "error", "info"), "m", int64(i+1)
			r["resolved_at"], r["details"] = every(2, i/2, r["last_seen_at"]), every(2, i, `{"a":1}`)
		}),
		choices: slices.Concat([]choice[q]{
			{"resolved", func(q *q) { q.Resolved = &no }, func(r row) bool { return r["resolved_at"] == nil }},
			{"resolved", func(q *q) { q.Resolved = &yes }, func(r row) bool { return r["resolved_at"] != nil }},
			{"severity", func(q *q) { q.Severities = []types.Severity{"error"} }, func(r row) bool { return r.is("severity", "error") }},
			{"severity", func(q *q) { q.Severities = []types.Severity{"error", "warn"} }, func(r row) bool { return r.is("severity", "error", "warn") }},
			{"code", func(q *q) { q.Codes = []string{"DISK_LOW"} }, func(r row) bool { return r.is("code", "DISK_LOW") }},
			{"code", func(q *q) { q.Codes = []string{"DISK_LOW", "RETENTION_FAILED"} }, func(row) bool { return true }},
		}, windows("last_seen_at", func(q *q, from, to *time.Time) { q.From, q.To = from, to })),
	}
}

func notificationTrial() trial[store.NotificationQuery, types.Notification] {
	type q = store.NotificationQuery
	c := trial[q, types.Notification]{
		table: "notifications", list: (*store.Store).ListNotifications, sort: "updated_at", span: func(q *q) *store.Span { return &q.Span }, base: q{PrincipalID: "admin"},
		id: func(n types.Notification) string { return n.NotificationID }, facets: map[string]func(row) any{"type": column("type")},
		choices: slices.Concat([]choice[q]{
			{"unread", func(q *q) { q.Unread = &yes }, func(r row) bool { return r["read_at"] == nil }},
			{"unread", func(q *q) { q.Unread = &no }, func(r row) bool { return r["read_at"] != nil }},
			{"type", func(q *q) { q.Types = []types.NotificationType{"tool_error"} }, func(r row) bool { return r.is("type", "tool_error") }},
			{"type", func(q *q) { q.Types = []types.NotificationType{"tool_error", "attention"} }, func(r row) bool { return r.is("type", "tool_error", "attention") }},
			{"session", func(q *q) { q.SessionIDs = []string{"s-1"} }, func(r row) bool { return r.is("session_id", "s-1") }},
			{"session", func(q *q) { q.SessionIDs = []string{"s-0", "s-1"} }, func(r row) bool { return r.is("session_id", "s-0", "s-1") }},
		}, windows("updated_at", func(q *q, from, to *time.Time) { q.From, q.To = from, to })),
	}
	c.rows = events(100, func(i int, r row) {
		r["created_at"], r["updated_at"] = r["ts"], r["ts"].(int64)+int64(i%2)*7*time.Minute.Milliseconds()
		delete(r, "ts")
		r["principal_id"], r["type"], r["cause"], r["title"] = "admin", pick(i, "attention", "tool_error", "session_crashed"), fmt.Sprint(i), "t"
		r["session_id"], r["session_slug"], r["read_at"], r["count"] = pick(i, "s-0", "s-1", nil, "s-1"), every(2, i, "slug"), every(2, i/2, r["updated_at"]), int64(1)
	})
	// What is dismissed, and what is for another, is in no list.
	c.put = func(t *testing.T, s *store.Store, rows []row) {
		t.Helper()
		execute(t, s.WriterConn(), "INSERT OR IGNORE INTO principals (id, kind, created_at) VALUES ('admin', 'operator', 1), ('other', 'operator', 1)")
		plain := c
		plain.put = nil
		plain.fill(t, s, rows)
		execute(t, s.WriterConn(), "INSERT OR IGNORE INTO notifications (id, principal_id, type, cause, title, created_at, updated_at, dismissed_at) SELECT 'd' || id, principal_id, type, cause, title, created_at, updated_at, 1 FROM notifications WHERE principal_id = 'admin'")
		execute(t, s.WriterConn(), "INSERT OR IGNORE INTO notifications (id, principal_id, type, cause, title, created_at, updated_at) SELECT 'o' || id, 'other', type, cause, title, created_at, updated_at FROM notifications WHERE dismissed_at IS NULL AND principal_id = 'admin'")
	}
	return c
}

// shelf is where a session stands.
func shelf(r row) any {
	switch {
	case r["closed_at"] == nil:
		return "live"
	case r["archived_at"] == nil:
		return "closed"
	}
	return "archived"
}

func sessionTrial(sort store.SessionSort) trial[store.SessionQuery, types.Session] {
	type q = store.SessionQuery
	waiting := []any{"shop-3", "shop-4", "shop-50"}
	states := func(list ...types.SessionListState) choice[q] {
		return choice[q]{"state", func(q *q) { q.States = list }, func(r row) bool { return slices.Contains(list, types.SessionListState(shelf(r).(string))) }}
	}
	c := trial[q, types.Session]{
		table: "sessions", list: (*store.Store).ListSessions, sort: string(sort), span: func(q *q) *store.Span { return &q.Span }, base: q{Sort: sort},
		id:     func(r types.Session) string { return r.SessionID },
		facets: map[string]func(row) any{"state": shelf, "owner": column("owner"), "channel": column("channel"), "persistence_mode": column("persistence_mode")},
		choices: slices.Concat([]choice[q]{
			states("live"), states("closed"), states("archived"), states("live", "closed"), states("live", "archived"), states("live", "closed", "archived"),
			{"owner", func(q *q) { q.Owners = []string{"agent-1"} }, func(r row) bool { return r.is("owner", "agent-1") }},
			{"owner", func(q *q) { q.Owners = []string{"agent-1", "agent-0"} }, func(r row) bool { return r.is("owner", "agent-1", "agent-0") }},
			{"channel", func(q *q) { q.Channels = []types.Channel{"chrome"} }, func(r row) bool { return r.is("channel", "chrome") }},
			{"persistence_mode", func(q *q) { q.PersistenceModes = []types.PersistenceMode{"memory"} }, func(r row) bool { return r.is("persistence_mode", "memory") }},
			{"reason", func(q *q) { q.ClosedReasons = []types.ClosedReason{"crash", "user"} }, func(r row) bool { return r.is("closed_reason", "crash", "user") }},
			{"needs", func(q *q) { q.NeedsAttention = &yes }, func(r row) bool { return r.is("id", waiting...) }},
			{"needs", func(q *q) { q.NeedsAttention = &no }, func(r row) bool { return !r.is("id", waiting...) }},
			{"text", func(q *q) { q.Text = "OP-1" }, func(r row) bool { return r.has("op-1", "id", "slug") }},
			{"window", func(q *q) { q.From = &from }, func(r row) bool { return r["closed_at"] == nil || r.within("closed_at", from.UnixMilli(), 0) }},
			{"window", func(q *q) { q.To = &to }, func(r row) bool { return r.within("created_at", 0, to.UnixMilli()) }},
			{"window", func(q *q) { q.From, q.To = &from, &to }, func(r row) bool {
				return r.within("created_at", 0, to.UnixMilli()) && (r["closed_at"] == nil || r.within("closed_at", from.UnixMilli(), 0))
			}},
		}),
	}
	c.rows = events(100, func(i int, r row) {
		created := r["ts"].(int64)
		delete(r, "ts")
		r["id"], r["slug"], r["owner"], r["channel"] = fmt.Sprintf("shop-%d", i), pick(i, "shop", "bank"), pick(i, "agent-0", "agent-1", "agent-2"), pick(i, "chromium", "chrome")
		r["headless"], r["incognito"], r["persistence_mode"], r["disable_evaluate"], r["vault_enabled"] = true, false, pick(i, "memory", "persistent", "storage-state"), false, false
		r["created_at"], r["last_activity_at"], r["current_url"] = created, created+int64(i%7)*1000, every(3, i, fmt.Sprintf("https://%d.example/", i%10))
		r["state"], r["closed_at"], r["closed_reason"], r["archived_at"] = "live", nil, nil, nil
		if i%4 != 3 {
			r["state"], r["closed_at"], r["closed_reason"] = pick(i, "closed", "closed", "crashed"), created+int64(i%5)*time.Hour.Milliseconds(), pick(i, "user", "lease_expired", "crash")
			r["archived_at"] = every(6, i, created+1)
		}
		r["tool_calls"], r["errors"], r["blocked"] = int64(i%10), int64(i%4), int64(i%3)
		r["client"] = every(2, i, `{"name":"c","version":null,"transport":"http"}`)
	})
	c.put = func(t *testing.T, s *store.Store, rows []row) {
		t.Helper()
		plain := c
		plain.put = nil
		plain.fill(t, s, rows)
		for _, id := range waiting {
			execute(t, s.WriterConn(), "INSERT OR IGNORE INTO requests (id, kind, session_id, session_slug, owner, tool, status, created_at, deadline_at) VALUES ('r' || ?, 'attention', ?, 's', 'o', 't', 'pending', 1, 1)", id, id)
		}
		execute(t, s.WriterConn(), "INSERT OR IGNORE INTO requests (id, kind, session_id, session_slug, owner, tool, status, created_at, deadline_at) VALUES ('r', 'attention', 'shop-9', 's', 'o', 't', 'resolved', 1, 1)")
	}
	return c
}
