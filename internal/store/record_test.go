package store_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/ent"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/record"
	"github.com/browserhive/browserhive/internal/store"
)

// settled waits until everything that was recorded by now is there.
func settled(t *testing.T, s *store.Store) {
	t.Helper()
	if err := s.Commit(t.Context(), "", func(context.Context, *ent.Tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
}

// sessionOf is the row of a session.
func sessionOf(t *testing.T, s *store.Store, id string) types.Session {
	t.Helper()
	page, err := s.ListSessions(t.Context(), store.SessionQuery{Span: store.Span{Limit: 1}, Text: id})
	if err != nil || len(page.Rows) != 1 {
		t.Fatalf("session %s: %d rows, %v", id, len(page.Rows), err)
	}
	return page.Rows[0]
}

func TestRecords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, store.Options{Dir: dir})
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	session, code, text := "shop-1", "TAB_NOT_FOUND", "{}"
	proxy := "proxy.example:3128"
	s.AddSession(record.Session{
		ID: session, Slug: "shop", Owner: "agent-1", Channel: types.ChannelChromium, Engine: types.EnginePlaywright,
		Persistence: types.PersistenceModeMemory, CreatedAt: at, Identity: &types.Identity{UserAgent: "ua"},
		Client: &types.SessionClient{Name: "c"}, Warnings: []string{"w"}, ProxyLabel: &proxy, Stealth: true,
	})
	for i, failed := range []*string{nil, nil, &code} {
		s.AddCall(record.Call{
			ID: record.NewID(), At: at.Add(time.Duration(i) * time.Second), SessionID: &session, Owner: "agent-1", Tool: "click",
			ErrorCode: failed, Took: 7 * time.Millisecond, Args: &text, Result: &text, Client: json.RawMessage(`{"model":"m"}`),
		})
	}
	unknown := "nobody-2"
	s.AddCall(record.Call{ID: record.NewID(), At: at.Add(time.Hour), SessionID: &unknown, Owner: "agent-1", Tool: "click", ErrorCode: &code})
	s.AddVisit(record.Visit{ID: record.NewID(), At: at, SessionID: session, URL: "https://a.example/", Category: types.PageCategoryPublic})
	s.AddBlocked(record.Blocked{ID: record.NewID(), At: at, SessionID: session, SessionSlug: "shop", URL: "u", Pattern: "p", Source: types.BlockSourceTool})
	settled(t, s)
	r := sessionOf(t, s, session)
	if c := r.Counts; c.ToolCalls != 3 || c.Errors != 1 || c.Pages != 1 || c.Blocked != 1 || r.LastActivityAt != at.Add(2*time.Second).UnixMilli() ||
		*r.CurrentURL != "https://a.example/" || r.State != types.SessionStateLive || *r.ProxyLabel != proxy {
		t.Errorf("%+v", r)
	}
	for query, want := range map[string]int64{
		"SELECT count(*) FROM sessions WHERE json_extract(warnings, '$[0]') = 'w' AND trace IS NULL": 1,
		"SELECT count(*) FROM tool_calls":                                                     4,
		"SELECT count(*) FROM call_counts WHERE hour >= 0":                                    3,
		"SELECT sum(calls) FROM call_counts WHERE hour = -1 AND error_code = ''":              2,
		"SELECT sum(calls) FROM call_counts WHERE hour = -1 AND error_code = 'TAB_NOT_FOUND'": 2,
		"SELECT count(*) FROM tool_calls WHERE session_id = 'shop-1' AND ok AND client > ''":  2,
	} {
		if got := number(t, s.Reads(), query); got != want {
			t.Errorf("%s: %d, want %d", query, got, want)
		}
	}
	s.EndSession(record.End{SessionID: session, At: at.Add(time.Hour), Reason: types.ClosedReasonUser})
	settled(t, s)
	r = sessionOf(t, s, session)
	if r.State != types.SessionStateClosed || *r.ClosedReason != types.ClosedReasonUser || *r.ClosedAt != at.Add(time.Hour).UnixMilli() || *r.CurrentURL != "https://a.example/" {
		t.Errorf("%+v", r)
	}
	if dropped := s.WriterState().Dropped; len(dropped) != 0 {
		t.Errorf("dropped %v", dropped)
	}
}

// The sessions of a server that died are interrupted at the next start.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for _, id := range []string{"a-1", "b-2"} {
		s.AddSession(record.Session{ID: id, Slug: "a", CreatedAt: at})
	}
	s.AddSession(record.Session{ID: "c-3", Slug: "a", CreatedAt: at, Warnings: []string{"w"}, Trace: &record.Trace{State: types.TraceStateRecording}})
	s.EndSession(record.End{SessionID: "a-1", At: at, Reason: types.ClosedReasonCrash})
	n, err := s.Interrupt(t.Context(), at)
	if err != nil || n != 2 {
		t.Fatalf("%d, %v", n, err)
	}
	for id, want := range map[string]types.ClosedReason{"a-1": "crash", "b-2": "interrupted", "c-3": "interrupted"} {
		if r := sessionOf(t, s, id); *r.ClosedReason != want {
			t.Errorf("%s: %+v", id, r)
		}
	}
	// The trace of a session that was cut off is told of, and a session without one has none to tell of.
	for query, want := range map[string]int64{
		"SELECT count(*) FROM sessions WHERE json_extract(trace, '$.state') = 'failed'":             1,
		"SELECT count(*) FROM sessions WHERE id = 'c-3' AND json_array_length(warnings) = 2":        1,
		"SELECT count(*) FROM sessions WHERE id <> 'c-3' AND (trace IS NOT NULL OR warnings <> '')": 0,
		"SELECT count(*) FROM sessions WHERE json_extract(warnings, '$[1]') LIKE 'TRACE_FINALIZE%'": 1,
	} {
		if got := number(t, s.Reads(), query); got != want {
			t.Errorf("%s: %d, want %d", query, got, want)
		}
	}
	for id, code := range map[string]contract.Code{"b-2": errcode.CodeTraceUnavailable, "c-3": "", "gone": errcode.CodeSessionNotFound} {
		wantCode(t, s.Grantable(t.Context(), types.GrantRouteTrace, id), code)
	}
	if n, err := s.Interrupt(t.Context(), at); err != nil || n != 0 {
		t.Errorf("%d, %v", n, err)
	}
}
