package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/ent"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/logging"
	"github.com/browserhive/browserhive/internal/store"
)

// The store is the sink of a log, also of what the store itself logs.
func TestLogsAreKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	levels, err := logging.ParseLevels("info")
	if err != nil {
		t.Fatal(err)
	}
	ring := logging.NewRing(100)
	log := logging.New(io.Discard, logging.Options{Levels: levels, Ring: ring})
	log.Warn("before the database", "k", 1)
	s := open(t, store.Options{Dir: dir, Log: log})
	ring.Persist(logging.LevelOf("warn"), s)
	log.Info("below")
	log.With(logging.ModuleKey, "sessions").Error("after", "session_id", "s1", "transport", "http", "err", io.ErrUnexpectedEOF, "n", 2)
	ring.Persist(0, nil)
	closed(t, s)

	db := raw(t, filepath.Join(dir, store.FileName))
	rows, err := db.QueryContext(t.Context(), "SELECT level, coalesce(module, '-'), coalesce(session_id, '-'), msg, coalesce(attrs, '') FROM log_records ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got []string
	for rows.Next() {
		var c [5]string
		if err := rows.Scan(&c[0], &c[1], &c[2], &c[3], &c[4]); err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.Join(c[:], " "))
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	want := `warn - - before the database {"k":1}|error sessions s1 after {"err":{"message":"unexpected EOF","code":null},"n":2,"transport":"http"}`
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("\n%s\nwant\n%s", s, want)
	}
}

// A flood of log records leaves room for what happened, and the store does not drown in its own complaints.
func TestLogsDoNotTakeThePlaceOfCalls(t *testing.T) {
	t.Parallel()
	levels, err := logging.ParseLevels("info")
	if err != nil {
		t.Fatal(err)
	}
	ring := logging.NewRing(100)
	log := logging.New(io.Discard, logging.Options{Levels: levels, Ring: ring})
	s := open(t, store.Options{Dir: t.TempDir(), Log: log})
	ring.Persist(slog.LevelInfo, s)
	held, release := make(chan struct{}), make(chan struct{})
	s.Add("auth_audit", func(context.Context, *ent.Tx) error { // Until release, the disk is slow.
		close(held)
		<-release
		return nil
	})
	<-held
	const flood = 20_000
	for i := range flood {
		log.Info("flood", "i", i)
	}
	st := s.WriterState()
	if st.Dropped["log_records"] < flood/2 || st.Waiting > 4200 {
		t.Errorf("%d wait, dropped %v", st.Waiting, st.Dropped)
	}
	if span := ring.Span(); span.Newest > flood+100 {
		t.Errorf("%d records of a flood of %d", span.Newest, flood)
	}
	history(s, "a", time.Now(), 100, time.Second)
	close(release)
	closed(t, s)
	if st := s.WriterState(); st.Dropped["tool_calls"] > 0 {
		t.Error(st.Dropped)
	}
}

func TestLogsGoAfterTheirTime(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	for i := range 3 {
		s.AddLog(types.LogRecord{Seq: int64(i), Ts: time.Now().UnixMilli(), Level: types.LogLevelWarn, Msg: fmt.Sprint(i), Extra: map[string]json.RawMessage{"a": json.RawMessage("1")}})
	}
	if n, err := s.PruneLogs(t.Context(), time.Now().Add(-time.Hour), 10); n != 0 || err != nil {
		t.Errorf("%d went: %v", n, err)
	}
	if n, err := s.PruneLogs(t.Context(), time.Now().Add(time.Hour), 10); n != 3 || err != nil {
		t.Errorf("%d went: %v", n, err)
	}
}
