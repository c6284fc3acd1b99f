package store_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/ent"
	"github.com/browserhive/browserhive/gen/types"
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
	row, err := s.Client().Session.Get(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	if row.ToolCalls != 3 || row.Errors != 1 || row.Pages != 1 || row.Blocked != 1 || row.LastActivityAt != at.Add(2*time.Second).UnixMilli() ||
		*row.CurrentURL != "https://a.example/" || row.State != "live" || len(row.Warnings) != 1 || *row.ProxyLabel != proxy {
		t.Errorf("%+v", row)
	}
	for query, want := range map[string]int64{
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
	if row, err := s.Client().Session.Get(t.Context(), session); err != nil || row.State != "closed" || *row.ClosedReason != "user" || *row.ClosedAt != at.Add(time.Hour).UnixMilli() {
		t.Errorf("%+v, %v", row, err)
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
	s.EndSession(record.End{SessionID: "a-1", At: at, Reason: types.ClosedReasonCrash})
	n, err := s.Interrupt(t.Context(), at)
	if err != nil || n != 1 {
		t.Fatalf("%d, %v", n, err)
	}
	for id, want := range map[string]string{"a-1": "crash", "b-2": "interrupted"} {
		if row, err := s.Client().Session.Get(t.Context(), id); err != nil || *row.ClosedReason != want {
			t.Errorf("%s: %+v, %v", id, row, err)
		}
	}
	if n, err := s.Interrupt(t.Context(), at); err != nil || n != 0 {
		t.Errorf("%d, %v", n, err)
	}
}
