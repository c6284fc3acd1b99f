package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/datadir"
	"github.com/browserhive/browserhive/internal/record"
	"github.com/browserhive/browserhive/internal/store"
)

// recordedCalls is how many calls the lists are measured with.
const recordedCalls = 1_000_000

// recordedTime is the time in which they were called.
const recordedTime = 7 * 24 * time.Hour

// surroundings is how many sessions there are, each with ten visits and five blocked requests.
const surroundings = 10_000

// records measures the database: what recording costs, and how long a list takes beside a million calls, with
// sessions, visits and blocked requests in proportion.
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
	info, err := os.Stat(filepath.Join(dir, store.FileName))
	if err != nil {
		return err
	}
	calls := info.Size()
	if err := b.surround(s); err != nil {
		return err
	}
	if err := b.lists(s); err != nil {
		return err
	}
	if err := b.recorder(s, dir); err != nil {
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
	t := &table{title: fmt.Sprintf("Records of %d calls, each with 300 bytes of arguments and result.", recordedCalls), head: []string{"What", "Figure"}}
	t.add("Calls committed a second, one writer", number(recordedCalls/took.Seconds()))
	t.add("Handing a call to the writer, µs", number(1000*add.median()))
	t.add("Times that the queue was full", busy)
	t.add("Database bytes for 1,000 calls", number(float64(calls)/recordedCalls*1000))
	t.add("Backup of it, s", number(backup.median()/1000))
	t.print()
	return nil
}

// fill records calls as fast as they are taken, and counts how often it had to wait.
func (b *bench) fill(s *store.Store, add *sample) (busy int, err error) {
	start, step := time.Now().Add(-recordedTime), recordedTime/recordedCalls
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
			message := fmt.Sprintf("No element matched 'button.item-%d' within 30000 ms on https://shop.example/item/%d.", i%1000, i)
			c.ErrorCode, c.ErrorMessage, c.Result, c.ResultSize = &code, &message, nil, nil
		}
		if waited, err := b.room(s); err != nil {
			return busy, err
		} else if waited {
			busy++
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

// room waits until the queue has room.
func (b *bench) room(s *store.Store) (waited bool, err error) {
	for s.WriterState().Waiting > writerRoom {
		waited = true
		if err := s.Flush(b.ctx); err != nil {
			return waited, err
		}
	}
	return waited, nil
}

// surround records sessions that have ended, but for the last ones, with what they visited and what was
// blocked.
func (b *bench) surround(s *store.Store) error {
	start, step := time.Now().Add(-recordedTime), recordedTime/surroundings
	random := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // the same rows in every run
	for i := range surroundings {
		if _, err := b.room(s); err != nil {
			return err
		}
		at, id := start.Add(time.Duration(i)*step), fmt.Sprintf("shop-%08d", i)
		s.AddSession(record.Session{
			ID: id, Slug: "shop", Owner: fmt.Sprintf("agent-%d", i%4+1), Channel: types.ChannelChromium, Engine: types.EnginePlaywright,
			Persistence: []types.PersistenceMode{types.PersistenceModeMemory, types.PersistenceModePersistent}[i%2], CreatedAt: at,
		})
		for range 10 {
			domain := fmt.Sprintf("site%d.example", random.IntN(2000))
			s.AddVisit(record.Visit{ID: record.IDAt(at), At: at, SessionID: id, URL: "https://" + domain + "/path", Domain: &domain, Category: types.PageCategoryPublic})
		}
		for range 5 {
			domain := fmt.Sprintf("ads%d.example", random.IntN(300))
			s.AddBlocked(record.Blocked{
				ID: record.IDAt(at), At: at, SessionID: id, SessionSlug: "shop", URL: "https://" + domain + "/", Domain: &domain,
				Pattern: fmt.Sprintf("*.ads%d.example", random.IntN(50)), Source: types.BlockSourceNetwork,
			})
		}
		if i < surroundings-8 {
			s.EndSession(record.End{SessionID: id, At: at.Add(time.Minute), Reason: types.ClosedReasonUser})
		}
	}
	return s.Flush(b.ctx)
}

// recorder measures what a call waits for its record, and how long it takes until the row is queued: what is
// kept of it, and where an image lies, is decided off the call's path.
func (b *bench) recorder(s *store.Store, dir string) error {
	data, err := datadir.Open(dir)
	if err != nil {
		return err
	}
	r := record.New(record.Options{Results: config.RecordToolResultsFull, Images: data.KeepImage}, s)
	args := json.RawMessage(`{"session_id":"shop-00000000","selector":"button.buy","timeout":30000}`)
	snapshot := json.RawMessage(`{"tab_id":"t1","text":"` + strings.Repeat(`- button \"Buy\" [ref=e12] https://shop.example/item?id=1\n`, 200) + `"}`)
	image := &contract.Image{Data: make([]byte, 300<<10), MIMEType: "image/png"}
	t := &table{title: "Recorder.Call, in µs: until the call goes on, and until it is recorded.", head: []string{"call", "goes on", "recorded"}}
	for _, c := range []struct {
		name    string
		outcome record.Outcome
	}{
		{"click, a result of 40 bytes", record.Outcome{Tool: "click", Result: json.RawMessage(`{"url":"https://shop.example/item/12"}`)}},
		{"snapshot, a result of 13 KB with 200 addresses", record.Outcome{Tool: "snapshot", Result: snapshot}},
		{"screenshot, an image of 300 KB", record.Outcome{Tool: "screenshot", Result: json.RawMessage(`{"width":1280,"height":720}`), Image: image}},
	} {
		var times, whole sample
		for range 20 * b.rounds {
			o := c.outcome
			o.ID, o.At, o.Owner, o.SessionID, o.TabID, o.Args = record.NewID(), time.Now(), "agent-1", "shop-00000000", "t1", args
			recorded := make(chan struct{})
			err := whole.took(func() error {
				err := times.took(func() error { r.Call(o, func() { close(recorded) }); return nil })
				<-recorded
				return err
			})
			if err != nil {
				return err
			}
			if _, err := b.room(s); err != nil {
				return err
			}
		}
		for i := range times {
			times[i] *= 1000
			whole[i] *= 1000
		}
		t.add(c.name, times, whole)
	}
	t.print()
	return r.Stop(b.ctx)
}
