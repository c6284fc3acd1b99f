package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/ent"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/record"
	"github.com/browserhive/browserhive/internal/retention"
	"github.com/browserhive/browserhive/internal/store"
)

// history is a session that ended, with n calls and visits, one every interval.
func history(s *store.Store, id string, start time.Time, n int, interval time.Duration) {
	s.AddSession(record.Session{ID: id, Slug: "s", CreatedAt: start})
	text := strings.Repeat("x", 2000)
	for i := range n {
		at := start.Add(time.Duration(i) * interval)
		s.AddCall(record.Call{ID: record.IDAt(at), At: at, SessionID: &id, Tool: "click", Result: &text})
		s.AddVisit(record.Visit{ID: record.IDAt(at), At: at, SessionID: id, URL: "u"})
	}
	s.EndSession(record.End{SessionID: id, At: start.Add(time.Duration(n) * interval), Reason: types.ClosedReasonUser})
}

// files are the artifacts of sessions.
type files map[string]int64

func (f files) ArtifactBytes() (int64, error) {
	var sum int64
	for _, n := range f {
		sum += n
	}
	return sum, nil
}

func (f files) RemoveArtifacts(session string) (int64, error) {
	n := f[session]
	delete(f, session)
	return n, nil
}

func (f files) RemoveArtifact(path string) (int64, error) { return f.RemoveArtifacts(path) }

var now = time.Date(2026, 3, 20, 12, 0, 0, 0, time.UTC)

func ago(days float64) time.Time { return now.Add(-time.Duration(days * 24 * float64(time.Hour))) }

func archive(t *testing.T, s *store.Store, id string) {
	t.Helper()
	err := s.Commit(t.Context(), "sessions", func(ctx context.Context, tx *ent.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE sessions SET archived_at = ? WHERE id = ?", now.UnixMilli(), id)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func sweeper(s *store.Store, bytes int64, f files) *retention.Sweeper {
	return retention.New(retention.Options{MaxAge: 7 * 24 * time.Hour, MaxBytes: bytes}, s, f, func() time.Time { return now })
}

func TestRecordsGoWithAge(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir(), Now: func() time.Time { return now }})
	history(s, "old-1", ago(20), 60, time.Hour)
	history(s, "kept-2", ago(20), 10, time.Hour)
	history(s, "across-3", ago(8), 48, time.Hour)
	history(s, "new-4", ago(1), 10, time.Hour)
	archive(t, s, "kept-2")
	f := files{"old-1": 100, "kept-2": 10, "across-3": 1000, "new-4": 1}
	run := sweeper(s, 1<<30, f).Sweep(t.Context())
	if run.Result != types.RetentionResultOk || run.PrunedRows != 2*60+2*24 || run.FreedBytes != 100 {
		t.Errorf("%+v", run)
	}
	for query, want := range map[string]int64{
		"SELECT count(*) FROM sessions":                                 3,
		"SELECT count(*) FROM tool_calls WHERE session_id = 'kept-2'":   10,
		"SELECT count(*) FROM tool_calls WHERE session_id = 'across-3'": 24,
		"SELECT count(*) FROM pages WHERE session_id = 'new-4'":         10,
		"SELECT count(*) FROM tool_calls":                               44,
		"SELECT sum(calls) FROM call_counts WHERE hour = -1":            44,
		"SELECT sum(calls) FROM call_counts WHERE hour >= 0":            44,
		"SELECT count(*) FROM sessions WHERE id = 'old-1'":              0,
		"SELECT freelist_count FROM pragma_freelist_count":              0,
	} {
		if got := number(t, s.Reads(), query); got != want {
			t.Errorf("%s: %d, want %d", query, got, want)
		}
	}
	if len(f) != 3 {
		t.Errorf("files of %v", f)
	}
}

// The file of a screenshot goes with its row, before its session does.
func TestScreenshotsGoWithAge(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir(), Now: func() time.Time { return now }})
	s.AddSession(record.Session{ID: "long-1", Slug: "s", CreatedAt: ago(9)})
	f := files{"long-1": 1000}
	for i, days := range []float64{9, 8, 6, 1} {
		path := fmt.Sprintf("sessions/long-1/screenshots/%d.png", i)
		f[path] = int64(1 + i)
		s.AddScreenshot(record.Screenshot{ID: record.IDAt(ago(days)), At: ago(days), SessionID: "long-1", Path: path})
	}
	if run := sweeper(s, 1<<30, f).Sweep(t.Context()); run.Result != types.RetentionResultOk || run.PrunedRows != 2 || run.FreedBytes != 3 {
		t.Errorf("%+v", run)
	}
	if n := number(t, s.Reads(), "SELECT count(*) FROM screenshots"); n != 2 || len(f) != 3 {
		t.Errorf("%d rows, files %v", n, f)
	}
}

// The oldest go until the rest fits, files with their sessions.
func TestRecordsGoWithSize(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir(), Now: func() time.Time { return now }})
	f := files{}
	for i := range 12 {
		id := fmt.Sprintf("s-%02d", i)
		history(s, id, ago(6-0.1*float64(i)), 100, time.Minute)
		f[id] = 1 << 20
	}
	settled(t, s)
	before, err := s.Bytes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	limit := before/2 + 6<<20
	run := sweeper(s, limit, f).Sweep(t.Context())
	after, err := s.Bytes(t.Context())
	if err != nil || run.Result != types.RetentionResultOk {
		t.Fatalf("%+v, %v", run, err)
	}
	files, _ := f.ArtifactBytes()
	if after+files > limit || after+files < limit/3 {
		t.Errorf("%d rows and %d files of %d", after, files, limit)
	}
	if _, there := f["s-00"]; there || f["s-11"] == 0 {
		t.Errorf("files of %v", f)
	}
	if calls, counted := number(t, s.Reads(), "SELECT count(*) FROM tool_calls"), number(t, s.Reads(), "SELECT sum(calls) FROM call_counts WHERE hour >= 0"); calls != counted || calls == 0 {
		t.Errorf("%d calls, %d counted", calls, counted)
	}
}

// What cannot be made to fit is a degradation, which ends once it fits.
func TestRetentionThatFails(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir(), Now: func() time.Time { return now }})
	history(s, "kept-1", ago(20), 10, time.Hour)
	archive(t, s, "kept-1")
	for range 2 {
		if run := sweeper(s, 1, files{}).Sweep(t.Context()); run.Result != types.RetentionResultPartial {
			t.Errorf("%+v", run)
		}
	}
	settled(t, s)
	list, err := s.Degradations(t.Context())
	if err != nil || len(list) != 1 || list[0].Code != string(errcode.CodeRetentionFailed) || list[0].Count != 2 || list[0].Severity != types.SeverityWarn {
		t.Errorf("%+v, %v", list, err)
	}
	sweeper(s, 1<<30, files{}).Sweep(t.Context())
	settled(t, s)
	if list, err := s.Degradations(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	if n := number(t, s.Reads(), "SELECT count(*) FROM tool_calls"); n != 10 {
		t.Errorf("%d calls of an archived session", n)
	}
}
