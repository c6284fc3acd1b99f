package store_test

import (
	"slices"
	"testing"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/record"
	"github.com/browserhive/browserhive/internal/store"
)

// Every page of every list, with every filter and every two of them, is what looking at all rows one by one
// gives.
func TestLists(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(*testing.T){
		"calls": callTrial().run, "visits": visitTrial().run, "blocked": blockedTrial().run, "screenshots": screenshotTrial().run,
		"attention": attention().run, "confirmations": confirmations().run, "vault": vaultTrial().run,
		"system events": systemEventTrial().run, "notifications": notificationTrial().run,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t)
		})
	}
	for _, sort := range store.SessionSorts {
		t.Run("sessions by "+string(sort), func(t *testing.T) {
			t.Parallel()
			sessionTrial(sort).run(t)
		})
	}
}

// attention and confirmations see only their own kind among the requests.
func attention() trial[store.RequestQuery, types.AttentionRequest] { return ofKind("attention") }

func confirmations() trial[store.RequestQuery, types.AttentionRequest] {
	return ofKind("vault_confirm")
}

func ofKind(kind types.AttentionKind) trial[store.RequestQuery, types.AttentionRequest] {
	c := requestTrial(kind)
	all := c.rows
	c.rows = slices.DeleteFunc(slices.Clone(all), func(r row) bool { return r["kind"] != string(kind) })
	others := slices.DeleteFunc(slices.Clone(all), func(r row) bool { return r["kind"] == string(kind) })
	plain := c
	c.put = func(t *testing.T, s *store.Store, rows []row) {
		t.Helper()
		plain.fill(t, s, rows)
		if len(rows) == len(c.rows) {
			plain.fill(t, s, others)
		}
	}
	return c
}

// Rows that come and go while somebody pages change nothing of what lies beyond.
func TestCursorsSurviveChanges(t *testing.T) {
	t.Parallel()
	// Older, in between and newer than what is there.
	again := func(rows []row, n int) (more []row) {
		for _, i := range []int{0, 30, 60, n - 1} {
			r := row{}
			for column, value := range rows[i] {
				r[column] = value
			}
			r["id"] = r["id"].(string) + "-again"
			more = append(more, r)
		}
		return more
	}
	t.Run("calls", func(t *testing.T) { c := callTrial(); c.steady(t, again(c.rows, len(c.rows))) })
	t.Run("visits", func(t *testing.T) { c := visitTrial(); c.steady(t, again(c.rows, len(c.rows))) })
	t.Run("notifications", func(t *testing.T) { c := notificationTrial(); c.steady(t, again(c.rows, len(c.rows))) })
	t.Run("confirmations", func(t *testing.T) { c := attention(); c.steady(t, again(c.rows, len(c.rows))) })
	for _, sort := range store.SessionSorts {
		t.Run("sessions by "+string(sort), func(t *testing.T) { c := sessionTrial(sort); c.steady(t, again(c.rows, len(c.rows))) })
	}
}

// A row of a list says what its columns hold.
func TestListsShowTheirRows(t *testing.T) {
	t.Parallel()
	same := func(more map[string]string, names ...string) map[string]string {
		for _, name := range names {
			more[name] = name
		}
		return more
	}
	callTrial().shows(t, same(map[string]string{"event_id": "id"}, "session_id", "tool", "error_code", "error_message", "ts", "trace_id"))
	visitTrial().shows(t, same(map[string]string{"event_id": "id"}, "session_id", "tab_id", "url", "title", "domain", "category", "ts"))
	blockedTrial().shows(t, same(map[string]string{"event_id": "id"}, "session_id", "session_slug", "tool_event_id", "url", "domain", "pattern", "source", "tool", "ts"))
	screenshotTrial().shows(t, same(map[string]string{"event_id": "id"}, "session_id", "tool", "kind", "content_type", "width", "height", "size_bytes", "ts"))
	requestTrial("").shows(t, same(map[string]string{"request_id": "id"}, "kind", "session_id", "session_slug", "owner", "reason", "mode", "status", "message",
		"resolved_by", "created_at", "resolved_at", "deadline_at", "page_url", "tool", "entry_name"))
	vaultTrial().shows(t, same(map[string]string{"event_id": "id"}, "session_id", "session_slug", "entry_name", "handle", "result", "reason", "evaluate_enabled",
		"page_url", "origin_check", "principal_id", "ts"))
	systemEventTrial().shows(t, same(map[string]string{"event_id": "id"}, "code", "severity", "message", "first_seen_at", "last_seen_at", "count", "resolved_at"))
	notificationTrial().shows(t, same(map[string]string{"notification_id": "id"}, "principal_id", "type", "title", "session_id", "session_slug", "created_at",
		"updated_at", "count", "read_at"))
	sessionTrial(store.SortCreated).shows(t, same(map[string]string{"session_id": "id"}, "slug", "owner", "channel", "headless", "incognito", "persistence_mode",
		"state", "current_url", "created_at", "last_activity_at", "closed_at", "closed_reason", "archived_at", "disable_evaluate", "vault_enabled"))
}

// What stands in a column as JSON, or is reckoned, is in the row too.
func TestRowsInDetail(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	callTrial().fill(t, s, calls(3))
	for detail, want := range map[bool]bool{false: false, true: true} {
		page, err := s.ListCalls(t.Context(), store.CallQuery{Span: store.Span{Limit: 10}, Detail: detail})
		if err != nil || len(page.Rows) != 3 || (page.Rows[0].ArgsJSON != nil) != want || page.Facets != nil || page.Total != nil {
			t.Errorf("%+v, %v", page, err)
		}
	}
	c := sessionTrial(store.SortCreated)
	c.fill(t, s, c.rows[:10])
	page, err := s.ListSessions(t.Context(), store.SessionQuery{Span: store.Span{Limit: 10, Ascending: true}})
	if err != nil || len(page.Rows) != 10 {
		t.Fatalf("%d sessions, %v", len(page.Rows), err)
	}
	if r := page.Rows[3]; r.Counts.AttentionOpen != 1 || r.Counts.ConfirmOpen != 0 || r.Counts.ToolCalls != 3 || !r.Live || r.StealthRecorded {
		t.Errorf("%+v", r)
	}
	if r := page.Rows[0]; r.Client == nil || r.Client.Name != "c" || r.Live {
		t.Errorf("%+v", r)
	}
	open, err := s.OpenRequests(t.Context(), types.AttentionKindAttention, nil)
	if of := "shop-3"; err != nil || open != 3 {
		t.Errorf("%d open, %v", open, err)
	} else if open, err = s.OpenRequests(t.Context(), types.AttentionKindAttention, &of); err != nil || open != 1 {
		t.Errorf("%d open of one session, %v", open, err)
	}
	n := notificationTrial()
	n.fill(t, s, n.rows)
	if unread, err := s.UnreadNotifications(t.Context(), "admin"); err != nil || unread != int64(len(n.want(n.rows, n.choices[:1], false))) {
		t.Errorf("%d unread, %v", unread, err)
	}
}

// A search that finds nothing ends after so many rows, says that others may follow, and goes on from there.
func TestSearchIsBounded(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	c := visitTrial()
	n := store.MaxScan + 10
	execute(t, s.WriterConn(), `WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO pages (id, ts, session_id, category, url) SELECT printf('01-%08d', i), i, 's', 'public', iif(i = 3, 'needle', 'hay') FROM n`, n-1)
	q := store.VisitQuery{Text: "needle", Span: store.Span{Limit: 5, Count: true}}
	page, err := s.ListVisits(t.Context(), q)
	if err != nil || len(page.Rows) != 0 || !page.More || page.Last == nil || page.Total != nil || page.Facets != nil {
		t.Fatalf("%+v, %v", page, err)
	}
	if got := c.walk(t, s, q, nil); len(got) != 1 || got[0] != "01-00000003" {
		t.Errorf("found %v", got)
	}
	// Nor are more than that counted one by one.
	all, err := s.ListVisits(t.Context(), store.VisitQuery{Span: store.Span{Limit: 5, Count: true}})
	if err != nil || len(all.Rows) != 5 || all.Total != nil {
		t.Errorf("%+v, %v", all, err)
	}
}

// A facet tells of the most frequent values only.
func TestFacetsAreBounded(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	execute(t, s.WriterConn(), `WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO blocked_attempts (id, ts, session_id, session_slug, domain, pattern, source, url) SELECT printf('01-%08d', i), i, 's', 's', 'd' || (i / 2), 'p', 'tool', 'u' FROM n`, 4*store.MaxFacetValues)
	page, err := s.ListBlocked(t.Context(), store.BlockedQuery{Span: store.Span{Limit: 5, Count: true}})
	if err != nil || len(page.Facets["domain"]) != store.MaxFacetValues || page.Facets["domain"][0].Count != 2 {
		t.Errorf("%d values, %v", len(page.Facets["domain"]), err)
	}
}

func TestDomains(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	c := visitTrial()
	c.fill(t, s, c.rows)
	q := store.DomainQuery{Limit: 2}
	page, err := s.ListDomains(t.Context(), q)
	if err != nil || len(page.Rows) != 2 || !page.More || page.Since != nil {
		t.Fatalf("%+v, %v", page, err)
	}
	if d := page.Rows[0]; d.Domain != "a.example" || d.Visits != 48 || d.Sessions != 3 || d.LastVisitedAt != c.rows[117]["ts"] || string(d.Category) != c.rows[117]["category"] {
		t.Errorf("%+v", d)
	}
	q.Mark = page.Last
	rest, err := s.ListDomains(t.Context(), q)
	if err != nil || rest.More || len(rest.Rows) != 1 || rest.Rows[0].Visits != 24 || rest.Rows[0].Domain == page.Rows[1].Domain {
		t.Fatalf("%+v, %v", rest, err)
	}
	one, err := s.ListDomains(t.Context(), store.DomainQuery{Limit: 9, SessionIDs: []string{"s-1", "s-2"}, From: &from, To: &to, Text: "B.ex"})
	want := c.want(c.rows, []choice[store.VisitQuery]{{"all", nil, func(r row) bool {
		return r.is("session_id", "s-1", "s-2") && r.is("domain", "b.example") && r.within("ts", from.UnixMilli(), to.UnixMilli())
	}}}, false)
	if err != nil || len(one.Rows) != 1 || one.Rows[0].Visits != int64(len(want)) || len(want) == 0 {
		t.Errorf("%+v, %v; want %d", one, err, len(want))
	}
}

// Domains are those of the latest visits where there are many, and the page says since when.
func TestDomainsOfManyVisits(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	old, late := record.IDAt(began)[:14], record.IDAt(from)[:14]
	for prefix, domain := range map[string]string{old: "old.example", late: "late.example"} {
		execute(t, s.WriterConn(), `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?)
			INSERT INTO pages (id, ts, session_id, category, url, domain) SELECT printf('%s%08d', ?, i), i, 's', 'public', 'u', ? FROM n`, store.MaxDomainVisits, prefix, domain)
	}
	page, err := s.ListDomains(t.Context(), store.DomainQuery{Limit: 5})
	if err != nil || len(page.Rows) != 1 || page.Rows[0].Domain != "late.example" || page.Rows[0].Visits != store.MaxDomainVisits || page.Since == nil || !page.Since.Equal(from) {
		t.Errorf("%+v, %v", page, err)
	}
}
