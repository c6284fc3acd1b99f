package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/browserhive/browserhive/internal/record"
	"github.com/browserhive/browserhive/internal/store"
)

// recordedCalls is how many calls the lists are measured with.
const recordedCalls = 1_000_000

// records measures the database: what recording costs, and how long a list takes beside a million calls.
func (b *bench) records() (err error) {
	dir := filepath.Join(b.dir, "records")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	s, err := store.Open(b.ctx, store.Options{Dir: dir})
	if err != nil {
		return err
	}
	closed := false
	defer func() {
		if !closed {
			_ = s.Close(context.WithoutCancel(b.ctx))
		}
	}()
	began := time.Now()
	var add sample
	busy, err := b.fill(s, &add)
	if err != nil {
		return err
	}
	if err := s.Flush(b.ctx); err != nil {
		return err
	}
	took := time.Since(began)
	if err := b.lists(s); err != nil {
		return err
	}
	var backup sample
	if err := backup.took(func() error {
		_, err := store.CopyTo(b.ctx, dir, "")
		return err
	}); err != nil {
		return err
	}
	closed = true
	if err := s.Close(b.ctx); err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(dir, store.FileName))
	if err != nil {
		return err
	}
	t := &table{title: fmt.Sprintf("Records of %d calls, each with 300 bytes of arguments and result.", recordedCalls), head: []string{"What", "Figure"}}
	t.add("Calls committed a second, one writer", number(recordedCalls/took.Seconds()))
	t.add("Handing a call to the writer, µs", number(1000*add.median()))
	t.add("Times that the queue was full", busy)
	t.add("Database bytes for 1,000 calls", number(float64(info.Size())/recordedCalls*1000))
	t.add("Backup of it, s", number(backup.median()/1000))
	t.print()
	return nil
}

// fill records calls as fast as they are taken, and counts how often it had to wait.
func (b *bench) fill(s *store.Store, add *sample) (busy int, err error) {
	start := time.Now().Add(-7 * 24 * time.Hour)
	step := 7 * 24 * time.Hour / recordedCalls
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same calls in every run
	tools := []string{"navigate", "click", "snapshot", "fill", "evaluate", "screenshot", "wait_for_selector", "get_content"}
	codes := []string{"ELEMENT_NOT_FOUND", "NAVIGATION_TIMEOUT", "WAIT_TIMEOUT"}
	text := `{"session_id":"shop-a1b2c3d4","selector":"e12","value":"` + strings.Repeat("x", 240) + `"}`
	for i := range recordedCalls {
		at := start.Add(time.Duration(i) * step)
		session := fmt.Sprintf("shop-%08d", i/2000)
		size := int64(len(text))
		c := record.Call{
			ID: record.IDAt(at), At: at, SessionID: &session, Owner: fmt.Sprintf("agent-%d", i%4+1), Tool: tools[random.IntN(len(tools))],
			Took: time.Duration(random.IntN(2000)) * time.Millisecond, Args: &text, Result: &text, ResultSize: &size,
		}
		if random.IntN(20) == 0 {
			code := codes[random.IntN(len(codes))]
			c.ErrorCode, c.ErrorMessage, c.Result, c.ResultSize = &code, &code, nil, nil
		}
		for s.WriterState().Waiting > writerRoom {
			busy++
			if err := s.Flush(b.ctx); err != nil {
				return busy, err
			}
		}
		if i%1000 == 0 {
			if err := add.took(func() error { s.AddCall(c); return nil }); err != nil {
				return busy, err
			}
			continue
		}
		s.AddCall(c)
	}
	return busy, nil
}

// writerRoom is how many writes may wait before fill waits too: less than the queue holds.
const writerRoom = 4000

// lists measures the pages that a dashboard asks for.
func (b *bench) lists(s *store.Store) error {
	failed := false
	hour := time.Now().Add(-36*time.Hour - 17*time.Minute)
	until := hour.Add(24 * time.Hour)
	deep := record.IDAt(time.Now().Add(-5 * 24 * time.Hour))
	t := &table{title: fmt.Sprintf("A page of 50 calls of %d, ms.", recordedCalls), head: []string{"Query", "Median (p10–p90)"}}
	for _, q := range []struct {
		name  string
		query store.CallQuery
	}{
		{"first page, total and facets", store.CallQuery{Facets: true}},
		{"first page, in detail", store.CallQuery{Detail: true}},
		{"page 14,000", store.CallQuery{After: deep}},
		{"one tool, total and facets", store.CallQuery{Tools: []string{"click"}, Facets: true}},
		{"three tools, total and facets", store.CallQuery{Tools: []string{"click", "fill", "snapshot"}, Facets: true}},
		{"failures of two codes, total and facets", store.CallQuery{ErrorCodes: []string{"WAIT_TIMEOUT", "ELEMENT_NOT_FOUND"}, Facets: true}},
		{"failures of one tool, total and facets", store.CallQuery{OK: &failed, Tools: []string{"click"}, Facets: true}},
		{"one owner, total and facets", store.CallQuery{Owners: []string{"agent-2"}, Facets: true}},
		{"one session, total and facets", store.CallQuery{SessionIDs: []string{"shop-00000250"}, Facets: true}},
		{"a window of 24 hours, total and facets", store.CallQuery{From: &hour, To: &until, Facets: true}},
		{"part of a tool's name", store.CallQuery{Text: "naviga"}},
		{"text that is nowhere", store.CallQuery{Text: "nowhere to be found"}},
	} {
		q.query.Limit = 50
		var times sample
		for range b.rounds {
			if err := times.took(func() error {
				_, err := s.ListCalls(b.ctx, q.query)
				return err
			}); err != nil {
				return fmt.Errorf("%s: %w", q.name, err)
			}
		}
		t.add(q.name, times)
	}
	t.print()
	return nil
}
