package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/record"
	"github.com/browserhive/browserhive/internal/store"
)

// began is when what the tests look at began.
var began = time.Date(2026, 3, 4, 5, 30, 0, 0, time.UTC)

// The windows that the tests ask for: one of many hours, and one within an hour.
var (
	from, to, soon = began.Add(3*time.Hour + time.Minute), began.Add(11*time.Hour + 5*time.Minute), began.Add(3*time.Hour + 40*time.Minute)
	yes, no        = true, false
)

// events are n rows, seven minutes apart, with id and time. Their fields vary independently.
func events(n int, set func(i int, r row)) (list []row) {
	for i := range n {
		at := began.Add(time.Duration(i) * 7 * time.Minute)
		r := row{"id": record.IDAt(at), "ts": at.UnixMilli()}
		set(i, r)
		list = append(list, r)
	}
	return list
}

// pick is one of the values.
func pick(i int, values ...any) any { return values[i%len(values)] }

// every is a value for one row in n, nothing for the others.
func every(n, i int, value any) any {
	if i%n == 0 {
		return value
	}
	return nil
}

// windows are the choices of a window of time.
func windows[Q any](column string, set func(q *Q, from, to *time.Time)) []choice[Q] {
	ms := func(t *time.Time) int64 {
		if t == nil {
			return 0
		}
		return t.UnixMilli()
	}
	var list []choice[Q]
	for _, w := range [][2]*time.Time{{&from, nil}, {nil, &to}, {&from, &soon}, {&from, &to}} {
		list = append(list, choice[Q]{"window", func(q *Q) { set(q, w[0], w[1]) }, func(r row) bool { return r.within(column, ms(w[0]), ms(w[1])) }})
	}
	return list
}

// column is the value of a row in a column.
func column(name string) func(row) any { return func(r row) any { return r[name] } }

func calls(n int) []row {
	return events(n, func(i int, r row) {
		r["session_id"], r["owner"], r["tool"] = pick(i, nil, "s-1", "s-2", "s-1", "s-2", "s-0"), pick(i, "agent-0", "agent-1"), pick(i, "click", "navigate", "snapshot", "new_tab")
		r["error_code"], r["error_message"] = every(5, i, "TAB_NOT_FOUND"), every(5, i, "There is no Tab t9.")
		if i%15 == 0 {
			r["error_code"], r["error_message"] = "OTHER", "100 clicks of 100"
		}
		r["trace_id"] = every(10, i, "trace-1")
	})
}

func putCalls(t *testing.T, s *store.Store, rows []row) {
	t.Helper()
	text := func(r row, column string) *string {
		if value, ok := r[column].(string); ok {
			return &value
		}
		return nil
	}
	args := `{"a":1}`
	for _, r := range rows {
		s.AddCall(record.Call{
			ID: r["id"].(string), At: time.UnixMilli(r["ts"].(int64)), SessionID: text(r, "session_id"), Owner: r["owner"].(string), Tool: r["tool"].(string),
			ErrorCode: text(r, "error_code"), ErrorMessage: text(r, "error_message"), TraceID: text(r, "trace_id"), Args: &args,
		})
	}
	settled(t, s)
}

func callTrial() trial[store.CallQuery, types.ToolCall] {
	trace := "trace-1"
	type q = store.CallQuery
	textIn := func(text string) func(row) bool {
		return func(r row) bool { return r.has(text, "tool", "error_code", "error_message") }
	}
	return trial[q, types.ToolCall]{
		table: "tool_calls", rows: calls(200), put: putCalls, list: (*store.Store).ListCalls, sort: "id",
		span: func(q *q) *store.Span { return &q.Span }, id: func(c types.ToolCall) string { return c.EventID },
		facets: map[string]func(row) any{"tool": column("tool"), "error_code": column("error_code")},
		choices: slices.Concat([]choice[q]{
			{"session", func(q *q) { q.SessionIDs = []string{"s-1"} }, func(r row) bool { return r.is("session_id", "s-1") }},
			{"session", func(q *q) { q.SessionIDs = []string{"s-1", "s-2", "gone"} }, func(r row) bool { return r.is("session_id", "s-1", "s-2") }},
			{"owner", func(q *q) { q.Owners = []string{"agent-1"} }, func(r row) bool { return r.is("owner", "agent-1") }},
			{"owner", func(q *q) { q.Owners = []string{"agent-0", "agent-1"} }, func(row) bool { return true }},
			{"tool", func(q *q) { q.Tools = []string{"click"} }, func(r row) bool { return r.is("tool", "click") }},
			{"tool", func(q *q) { q.Tools = []string{"click", "new_tab", "click"} }, func(r row) bool { return r.is("tool", "click", "new_tab") }},
			{"error_code", func(q *q) { q.ErrorCodes = []string{"TAB_NOT_FOUND", "NONE"} }, func(r row) bool { return r.is("error_code", "TAB_NOT_FOUND") }},
			{"ok", func(q *q) { q.OK = &yes }, func(r row) bool { return r["error_code"] == nil }},
			{"ok", func(q *q) { q.OK = &no }, func(r row) bool { return r["error_code"] != nil }},
			{"trace", func(q *q) { q.TraceID = &trace }, func(r row) bool { return r.is("trace_id", trace) }},
			{"text", func(q *q) { q.Text = "TAB" }, textIn("TAB")},
			{"text", func(q *q) { q.Text = "no tab t9" }, textIn("no tab t9")},
			{"text", func(q *q) { q.Text = "other" }, textIn("other")},
			{"text", func(q *q) { q.Text = "CLICK" }, textIn("CLICK")},
			{"text", func(q *q) { q.Text = "0%0" }, textIn("0%0")},
			{"text", func(q *q) { q.Text = "1_0" }, textIn("1_0")},
			{"text", func(q *q) { q.Text = `a\` }, textIn(`a\`)},
			{"text", func(q *q) { q.Text = "avigat" }, textIn("avigat")},
		}, windows("ts", func(q *q, from, to *time.Time) { q.From, q.To = from, to })),
	}
}

func visitTrial() trial[store.VisitQuery, types.PageVisit] {
	type q = store.VisitQuery
	return trial[q, types.PageVisit]{
		table: "pages", list: (*store.Store).ListVisits, sort: "id", span: func(q *q) *store.Span { return &q.Span },
		id: func(v types.PageVisit) string { return v.EventID }, facets: map[string]func(row) any{"category": column("category")},
		rows: events(120, func(i int, r row) {
			r["session_id"], r["tab_id"], r["domain"] = pick(i, "s-0", "s-1", "s-2"), every(2, i, "t1"), pick(i, "a.example", "b.example", "a.example", nil, "c.example")
			r["category"], r["title"], r["url"] = pick(i, "public", "public", "ip", "local", "other", "public", "public"), every(3, i, "A Title"), fmt.Sprintf("https://site.example/%d", i)
		}),
		choices: slices.Concat([]choice[q]{
			{"session", func(q *q) { q.SessionIDs = []string{"s-1"} }, func(r row) bool { return r.is("session_id", "s-1") }},
			{"session", func(q *q) { q.SessionIDs = []string{"s-1", "s-0"} }, func(r row) bool { return r.is("session_id", "s-1", "s-0") }},
			{"domain", func(q *q) { q.Domains = []string{"a.example"} }, func(r row) bool { return r.is("domain", "a.example") }},
			{"domain", func(q *q) { q.Domains = []string{"a.example", "c.example"} }, func(r row) bool { return r.is("domain", "a.example", "c.example") }},
			{"category", func(q *q) { q.Categories = []types.PageCategory{"ip"} }, func(r row) bool { return r.is("category", "ip") }},
			{"category", func(q *q) { q.Categories = []types.PageCategory{"ip", "public"} }, func(r row) bool { return r.is("category", "ip", "public") }},
			{"text", func(q *q) { q.Text = "title" }, func(r row) bool { return r.has("title", "url", "title") }},
			{"text", func(q *q) { q.Text = "EXAMPLE/1" }, func(r row) bool { return r.has("example/1", "url", "title") }},
		}, windows("ts", func(q *q, from, to *time.Time) { q.From, q.To = from, to })),
	}
}

func blockedTrial() trial[store.BlockedQuery, types.BlockedAttempt] {
	type q = store.BlockedQuery
	return trial[q, types.BlockedAttempt]{
		table: "blocked_attempts", list: (*store.Store).ListBlocked, sort: "id", span: func(q *q) *store.Span { return &q.Span },
		id:     func(b types.BlockedAttempt) string { return b.EventID },
		facets: map[string]func(row) any{"source": column("source"), "domain": column("domain")},
		rows: events(120, func(i int, r row) {
			r["session_id"], r["session_slug"], r["tool_event_id"] = pick(i, "s-0", "s-1", "s-2"), "slug", every(2, i, "e1")
			r["domain"], r["pattern"], r["source"] = pick(i, "a.example", "b.example", nil, "a.example", "c.example"), pick(i, "*.a", "*.b", "*.a", "*.c"), pick(i, "tool", "network")
			r["tool"], r["url"] = every(2, i, pick(i, "navigate", "click", "new_tab")), fmt.Sprintf("https://ads.example/%d", i)
		}),
		choices: slices.Concat([]choice[q]{
			{"session", func(q *q) { q.SessionIDs = []string{"s-1"} }, func(r row) bool { return r.is("session_id", "s-1") }},
			{"session", func(q *q) { q.SessionIDs = []string{"s-1", "s-0"} }, func(r row) bool { return r.is("session_id", "s-1", "s-0") }},
			{"domain", func(q *q) { q.Domains = []string{"a.example", "c.example"} }, func(r row) bool { return r.is("domain", "a.example", "c.example") }},
			{"pattern", func(q *q) { q.Patterns = []string{"*.a"} }, func(r row) bool { return r.is("pattern", "*.a") }},
			{"tool", func(q *q) { q.Tools = []string{"navigate", "new_tab"} }, func(r row) bool { return r.is("tool", "navigate", "new_tab") }},
			{"source", func(q *q) { q.Sources = []types.BlockSource{"tool"} }, func(r row) bool { return r.is("source", "tool") }},
			{"text", func(q *q) { q.Text = "ADS.example/1" }, func(r row) bool { return r.has("ads.example/1", "url") }},
		}, windows("ts", func(q *q, from, to *time.Time) { q.From, q.To = from, to })),
	}
}

func screenshotTrial() trial[store.ScreenshotQuery, types.Screenshot] {
	type q = store.ScreenshotQuery
	rows := events(80, func(i int, r row) {
		r["session_id"], r["tool"], r["kind"], r["content_type"] = "s-1", "screenshot", pick(i, "agent", "trace", "trace"), "image/png"
		r["width"], r["height"], r["size_bytes"], r["path"] = every(2, i, int64(10)), every(2, i, int64(20)), int64(i), "p"
	})
	return trial[q, types.Screenshot]{
		table: "screenshots", list: (*store.Store).ListScreenshots, sort: "id", span: func(q *q) *store.Span { return &q.Span }, base: q{SessionID: "s-1"},
		id: func(r types.Screenshot) string { return r.EventID }, facets: map[string]func(row) any{"kind": column("kind")}, rows: rows,
		choices: slices.Concat([]choice[q]{
			{"kind", func(q *q) { q.Kinds = []types.ScreenshotKind{"trace"} }, func(r row) bool { return r.is("kind", "trace") }},
			{"session", func(q *q) { q.SessionID = "s-2" }, func(row) bool { return false }},
		}, windows("ts", func(q *q, from, to *time.Time) { q.From, q.To = from, to })),
	}
}

// requests are of a kind, those of the other kind among them.
func requestTrial(kind types.AttentionKind) trial[store.RequestQuery, types.AttentionRequest] {
	type q = store.RequestQuery
	texts := map[types.AttentionKind][]string{"attention": {"reason", "message"}, "vault_confirm": {"entry_name", "page_url", "session_slug"}, "": {"tool", "reason", "page_url", "entry_name"}}[kind]
	rows := events(120, func(i int, r row) {
		r["created_at"] = r["ts"]
		delete(r, "ts")
		r["kind"], r["session_id"], r["session_slug"], r["owner"] = pick(i, "attention", "attention", "vault_confirm"), pick(i, "s-0", "s-1"), pick(i, "shop", "bank"), pick(i, "agent-0", "agent-1", "agent-1")
		r["tool"], r["status"], r["mode"] = "request_attention", pick(i, "pending", "resolved", "rejected", "timeout", "resolved"), pick(i, "live", "notify", nil)
		r["entry_name"], r["resolved_by"], r["deadline_at"], r["resolved_at"] = every(3, i-2, "Bank"), every(2, i, "admin"), int64(0), every(2, i, r["created_at"])
		r["reason"], r["message"], r["page_url"] = pick(i, "A captcha", "A login", nil), every(4, i, "Done"), every(5, i, "https://bank.example/")
		r["options"] = every(2, i, `{"a":1}`)
	})
	c := trial[q, types.AttentionRequest]{
		table: "requests", list: (*store.Store).ListRequests, sort: "id", span: func(q *q) *store.Span { return &q.Span }, base: q{Kind: kind},
		id: func(r types.AttentionRequest) string { return r.RequestID }, facets: map[string]func(row) any{"status": column("status"), "mode": column("mode")},
		choices: slices.Concat([]choice[q]{
			{"status", func(q *q) { q.Statuses = []types.AttentionStatus{"pending"} }, func(r row) bool { return r.is("status", "pending") }},
			{"status", func(q *q) { q.Statuses = []types.AttentionStatus{"pending", "timeout"} }, func(r row) bool { return r.is("status", "pending", "timeout") }},
			{"mode", func(q *q) { q.Modes = []types.AttentionMode{"notify"} }, func(r row) bool { return r.is("mode", "notify") }},
			{"session", func(q *q) { q.SessionIDs = []string{"s-1"} }, func(r row) bool { return r.is("session_id", "s-1") }},
			{"owner", func(q *q) { q.Owners = []string{"agent-1"} }, func(r row) bool { return r.is("owner", "agent-1") }},
			{"by", func(q *q) { q.ResolvedBy = []string{"admin"} }, func(r row) bool { return r.is("resolved_by", "admin") }},
			{"entry", func(q *q) { q.EntryNames = []string{"Bank"} }, func(r row) bool { return r.is("entry_name", "Bank") }},
			{"text", func(q *q) { q.Text = "BANK" }, func(r row) bool { return r.has("bank", texts...) }},
			{"text", func(q *q) { q.Text = "captcha" }, func(r row) bool { return r.has("captcha", texts...) }},
		}, windows("created_at", func(q *q, from, to *time.Time) { q.From, q.To = from, to })),
	}
	c.rows = rows
	return c
}

func vaultTrial() trial[store.VaultLogQuery, types.VaultAccess] {
	type q = store.VaultLogQuery
	return trial[q, types.VaultAccess]{
		table: "vault_accesses", list: (*store.Store).ListVaultLog, sort: "id", span: func(q *q) *store.Span { return &q.Span },
		id:     func(a types.VaultAccess) string { return a.EventID },
		facets: map[string]func(row) any{"result": column("result"), "origin_check": column("origin_check")},
		rows: events(120, func(i int, r row) {
			r["session_id"], r["session_slug"], r["entry_name"], r["handle"] = pick(i, "s-0", "s-1", "s-2"), "slug", pick(i, "Bank", "Mail", nil), every(2, i, "h")
			r["result"], r["reason"], r["evaluate_enabled"] = pick(i, "filled", "denied", "filled", "error"), every(4, i-1, "not_authorized"), pick(i, true, false)
			r["origin_check"], r["principal_id"], r["page_url"] = pick(i, "match", "mismatch", "not_checked"), pick(i, "agent-0", "agent-1"), every(3, i, "https://bank.example/")
			r["details"] = every(2, i, `{"note":"x"}`)
		}),
		choices: slices.Concat([]choice[q]{
			{"result", func(q *q) { q.Results = []types.VaultAccessResult{"denied"} }, func(r row) bool { return r.is("result", "denied") }},
			{"result", func(q *q) { q.Results = []types.VaultAccessResult{"denied", "error"} }, func(r row) bool { return r.is("result", "denied", "error") }},
			{"origin_check", func(q *q) { q.OriginChecks = []types.OriginCheck{"match"} }, func(r row) bool { return r.is("origin_check", "match") }},
			{"entry", func(q *q) { q.EntryNames = []string{"Bank"} }, func(r row) bool { return r.is("entry_name", "Bank") }},
			{"evaluate", func(q *q) { q.EvaluateEnabled = &no }, func(r row) bool { return r.is("evaluate_enabled", false) }},
			{"session", func(q *q) { q.SessionIDs = []string{"s-1", "s-2"} }, func(r row) bool { return r.is("session_id", "s-1", "s-2") }},
			{"principal", func(q *q) { q.PrincipalIDs = []string{"agent-1"} }, func(r row) bool { return r.is("principal_id", "agent-1") }},
			{"text", func(q *q) { q.Text = "bank" }, func(r row) bool { return r.has("bank", "entry_name", "reason", "page_url") }},
		}, windows("ts", func(q *q, from, to *time.Time) { q.From, q.To = from, to })),
	}
}
