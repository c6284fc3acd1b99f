package store_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/store"
)

// moments are the rows of one session in all tables that a timeline is made of, with their kind.
func moments(t *testing.T, s *store.Store) (all []row) {
	t.Helper()
	kinds := map[types.TimelineKind][]row{
		types.TimelineKindToolCall: callTrial().rows, types.TimelineKindPage: visitTrial().rows, types.TimelineKindAttention: requestTrial("").rows,
		types.TimelineKindVault: vaultTrial().rows, types.TimelineKindBlocked: blockedTrial().rows,
	}
	callTrial().fill(t, s, kinds[types.TimelineKindToolCall])
	visitTrial().fill(t, s, kinds[types.TimelineKindPage])
	requestTrial("").fill(t, s, kinds[types.TimelineKindAttention])
	vaultTrial().fill(t, s, kinds[types.TimelineKindVault])
	blockedTrial().fill(t, s, kinds[types.TimelineKindBlocked])
	for kind, rows := range kinds {
		for _, r := range rows {
			if r["session_id"] == "s-1" {
				r["timeline"] = string(kind)
				if r["ts"] == nil {
					r["ts"] = r["created_at"]
				}
				all = append(all, r)
			}
		}
	}
	return all
}

func TestTimeline(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	type q = store.TimelineQuery
	isCall := func(r row) bool { return r["timeline"] == "tool_call" }
	textIn := func(text string) func(row) bool {
		columns := map[string][]string{
			"tool_call": {"tool", "error_code", "error_message"}, "page": {"url", "title"}, "attention": {"tool", "reason", "page_url", "entry_name"},
			"vault": {"entry_name", "reason", "page_url"}, "blocked": {"url"},
		}
		return func(r row) bool { return r.has(text, columns[r["timeline"].(string)]...) }
	}
	c := trial[q, types.TimelineEntry]{
		rows: moments(t, s), list: (*store.Store).Timeline, sort: "id", span: func(q *q) *store.Span { return &q.Span }, base: q{SessionID: "s-1"},
		id: func(e types.TimelineEntry) string { return e.EventID }, facets: map[string]func(row) any{"kind": column("timeline")},
		choices: []choice[q]{
			{"kind", func(q *q) { q.Kinds = []types.TimelineKind{"page"} }, func(r row) bool { return r.is("timeline", "page") }},
			{"kind", func(q *q) { q.Kinds = []types.TimelineKind{"tool_call", "vault", "attention"} }, func(r row) bool { return r.is("timeline", "tool_call", "vault", "attention") }},
			{"ok", func(q *q) { q.OK = &no }, func(r row) bool { return isCall(r) && r["error_code"] != nil }},
			{"tool", func(q *q) { q.Tools = []string{"click"} }, func(r row) bool { return isCall(r) && r.is("tool", "click") }},
			{"window", func(q *q) { q.From, q.To = &from, &to }, func(r row) bool { return r.within("ts", from.UnixMilli(), to.UnixMilli()) }},
			{"text", func(q *q) { q.Text = "bank" }, textIn("bank")},
			{"text", func(q *q) { q.Text = "no tab" }, textIn("no tab")},
		},
	}
	for _, chosen := range combinations(c.choices) {
		query := c.query(chosen)
		query.Span = store.Span{Limit: 13, Count: true}
		rows := c.want(c.rows, chosen, false)
		var first store.Page[types.TimelineEntry]
		if got := c.walk(t, s, query, func(p store.Page[types.TimelineEntry]) { first = p }); !slices.Equal(got, ids(rows)) {
			t.Errorf("%+v: %d entries, want %d", query, len(got), len(rows))
		}
		c.checkCounts(t, query, chosen, first, len(rows))
		for i, e := range first.Rows {
			set := []bool{e.ToolCall != nil, e.Page != nil, e.Attention != nil, e.Vault != nil, e.Blocked != nil}
			of := []string{"tool_call", "page", "attention", "vault", "blocked"}
			if string(e.Kind) != rows[i]["timeline"] || slices.Index(of, string(e.Kind)) != slices.Index(set, true) || e.Ts != rows[i]["ts"] {
				t.Errorf("%+v: %+v", query, e)
			}
		}
		if last := len(rows) - 1; last > 0 {
			mark := c.mark(rows[last])
			query.Span = store.Span{Limit: 7, Mark: &mark, Before: true}
			if got := c.walk(t, s, query, nil); !slices.Equal(got, ids(rows)[:last]) {
				t.Errorf("%+v, backwards: %d entries, want %d", query, len(got), last)
			}
		}
	}
}

// A kind in which a search stops early does not let the others run ahead of it.
func TestTimelineOfABoundedSearch(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	execute(t, s.WriterConn(), `WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO pages (id, ts, session_id, category, url) SELECT printf('01-%08d', i), i, 's', 'public', iif(i = 5, 'needle', 'hay') FROM n`, store.MaxScan+20)
	execute(t, s.WriterConn(), `INSERT INTO blocked_attempts (id, ts, session_id, session_slug, pattern, source, url)
		VALUES ('01-00000003-b', 3, 's', 's', 'p', 'tool', 'needle'), ('02', 9, 's', 's', 'p', 'tool', 'needle')`)
	c := trial[store.TimelineQuery, types.TimelineEntry]{
		rows: make([]row, 10), list: (*store.Store).Timeline, span: func(q *store.TimelineQuery) *store.Span { return &q.Span },
		id: func(e types.TimelineEntry) string { return e.EventID },
	}
	var first store.Page[types.TimelineEntry]
	got := c.walk(t, s, store.TimelineQuery{SessionID: "s", Text: "needle", Span: store.Span{Limit: 5}}, func(p store.Page[types.TimelineEntry]) { first = p })
	if want := "02 01-00000005 01-00000003-b"; strings.Join(got, " ") != want || len(first.Rows) != 1 {
		t.Errorf("%v, first page %d; want %s", got, len(first.Rows), want)
	}
}
