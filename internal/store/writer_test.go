package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/ent"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/store"
)

func TestWriterKeepsWhatABadRowStandsBeside(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	bad := errors.New("bad row")
	for i := range 10 {
		s.Add("auth_audit", audit(fmt.Sprint(i)))
	}
	s.Add("auth_audit", func(context.Context, *ent.Tx) error { return bad })
	s.Add("auth_audit", audit("3")) // There is one.
	if err := s.Commit(t.Context(), "auth_audit", audit("last")); err != nil {
		t.Fatal(err)
	}
	if n := count(t, s); n != 11 {
		t.Errorf("%d rows", n)
	}
	if err := s.Commit(t.Context(), "auth_audit", func(context.Context, *ent.Tx) error { return bad }); !errors.Is(err, bad) {
		t.Errorf("%v", err)
	}
	if state := s.WriterState(); state.Dropped["auth_audit"] != 2 || state.Trouble != nil {
		t.Errorf("%+v", state)
	}
}

func TestWriterWritesTheRestAtTheEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, store.Options{Dir: dir})
	for i := range 3000 {
		s.Add("auth_audit", audit(fmt.Sprint(i)))
	}
	closed(t, s)
	s.Add("auth_audit", audit("late"))
	if err := s.Commit(t.Context(), "auth_audit", audit("too late")); err == nil {
		t.Error("a closed database commits")
	}
	if state := s.WriterState(); state.Dropped["auth_audit"] != 1 {
		t.Errorf("%+v", state)
	}
	if n := count(t, open(t, store.Options{Dir: dir})); n != 3000 {
		t.Errorf("%d rows", n)
	}
}

// A full disk keeps rows waiting, and loses none that the queue can hold.
func TestWriterOutlastsAFullDisk(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	pages := number(t, s.WriterConn(), "PRAGMA page_count")
	number(t, s.WriterConn(), fmt.Sprintf("PRAGMA max_page_count = %d", pages))
	const rows = 2000 // More than fit into the pages that are there.
	for i := range rows {
		s.Add("auth_audit", audit(fmt.Sprint(i)))
	}
	s.Add("auth_audit", audit("last"))
	eventually(t, "the trouble", func() bool { return s.WriterState().Trouble != nil })
	for range store.MaxQueue * 2 {
		s.Add("pages", audit("over"))
	}
	if state := s.WriterState(); state.Waiting > store.MaxQueue || state.Dropped["pages"] < store.MaxQueue/2 {
		t.Errorf("%+v", state)
	}
	number(t, s.WriterConn(), "PRAGMA max_page_count = 1000000")
	eventually(t, "the rows", func() bool { return s.WriterState().Waiting == 0 && s.WriterState().Trouble == nil })
	if n := count(t, s); n < rows {
		t.Errorf("%d rows of %d", n, rows)
	}
	if dropped := s.WriterState().Dropped["auth_audit"]; dropped != 0 {
		t.Errorf("%d lost", dropped)
	}
}

// A caller does not wait longer than it wants to.
func TestDurableWriteOnAFullDisk(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	number(t, s.WriterConn(), fmt.Sprintf("PRAGMA max_page_count = %d", number(t, s.WriterConn(), "PRAGMA page_count")))
	for i := range 2000 {
		s.Add("auth_audit", audit(fmt.Sprint(i)))
	}
	eventually(t, "the trouble", func() bool { return s.WriterState().Trouble != nil })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Commit(ctx, "auth_audit", audit("durable")); !errors.Is(err, context.Canceled) || contract.CodeOf(err) != errcode.CodeDataDirUnwritable {
		t.Errorf("%v", err)
	}
	// A server that stops does not wait for the disk either, once its time is up.
	if err := s.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Whoever gives up waiting for a write leaves what it brings alone.
func TestGivingUpAWriteWithAResult(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	for range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		began := make(chan struct{})
		s.Add("auth_audit", func(context.Context, *ent.Tx) error { close(began); return nil })
		go func() {
			<-began // Just before the next of the batch.
			cancel()
		}()
		if n, _, err := s.Prune(ctx, time.Now(), 10); err != nil && (n != 0 || !errors.Is(err, context.Canceled)) {
			t.Errorf("%d, %v", n, err)
		}
		cancel()
	}
}
