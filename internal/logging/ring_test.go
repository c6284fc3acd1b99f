package logging_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/logging"
	"github.com/browserhive/browserhive/internal/secret"
)

func ringed(t testing.TB, size int, level string) (*slog.Logger, *logging.Ring, *logging.Levels, *secret.Redactor) {
	t.Helper()
	levels, err := logging.ParseLevels(level)
	if err != nil {
		t.Fatal(err)
	}
	ring, secrets := logging.NewRing(size), &secret.Redactor{}
	return logging.New(io.Discard, logging.Options{Levels: levels, JSON: true, Secrets: secrets, Ring: ring}), ring, levels, secrets
}

func seqs(records []types.LogRecord) (list []int64) {
	for _, r := range records {
		list = append(list, r.Seq)
	}
	return list
}

func TestRingKeepsTheNewest(t *testing.T) {
	t.Parallel()
	log, ring, _, _ := ringed(t, 5000, "info")
	if got, more := ring.Read(logging.Query{Limit: 10}); len(got) > 0 || more || ring.Span() != (logging.Span{Capacity: 5000}) {
		t.Error("an empty ring holds something")
	}
	for i := range 12_000 {
		log.Info("step", "i", i)
	}
	if got := ring.Span(); got != (logging.Span{Oldest: 7001, Newest: 12_000, Capacity: 5000}) {
		t.Errorf("%+v", got)
	}
	for _, c := range []struct {
		q    logging.Query
		want string
		more bool
	}{
		{logging.Query{Limit: 3}, "[12000 11999 11998]", true},
		{logging.Query{Limit: 3, Before: 11_999}, "[11998 11997 11996]", true},
		{logging.Query{Limit: 3, OldestFirst: true}, "[7001 7002 7003]", true},
		{logging.Query{Limit: 3, OldestFirst: true, After: 11_998}, "[11999 12000]", false},
		{logging.Query{Limit: 3, After: 11_998}, "[12000 11999]", false},
		{logging.Query{Limit: 2, After: 11_998}, "[12000 11999]", false},
		{logging.Query{Limit: 3, After: 12_000}, "[]", false},
		{logging.Query{Limit: 3, After: 1 << 60}, "[]", false},
		{logging.Query{Limit: 3, Before: 5}, "[]", false},
		{logging.Query{Limit: 2, Keep: func(r *types.LogRecord) bool { return r.Seq%4000 == 0 }}, "[12000 8000]", false},
		{logging.Query{Limit: 1, Keep: func(r *types.LogRecord) bool { return r.Seq%4000 == 0 }}, "[12000]", true},
	} {
		got, more := ring.Read(c.q)
		if s := fmt.Sprint(seqs(got)); s != c.want || more != c.more {
			t.Errorf("%+v: %s more %t", c.q, s, more)
		}
	}
	if got, _ := ring.Read(logging.Query{Limit: 10_000}); len(got) != 5000 {
		t.Errorf("%d records", len(got))
	}
}

func TestRingIsBoundedInBytes(t *testing.T) {
	t.Parallel()
	log, ring, _, _ := ringed(t, 1_000_000, "info")
	long := strings.Repeat("x", 8500) // More than is kept of any part.
	for range 4500 {
		log.Info(long, "a", long[:4200], "b", long[:4200])
	}
	got, _ := ring.Read(logging.Query{Limit: 4500})
	total := 0
	for _, r := range got {
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if len(raw) > 20<<10 {
			t.Fatalf("a record of %d bytes", len(raw))
		}
		total += len(raw)
	}
	if total > 80<<20 || len(got) < 1000 || len(got) == 4500 {
		t.Errorf("%d records of %d bytes", len(got), total)
	}
}

func TestRecordsHaveTheFieldsOfTheContract(t *testing.T) {
	t.Parallel()
	log, ring, _, secrets := ringed(t, 100, "info,sessions=debug")
	secrets.Add("hunter22", "1234567890")
	failure := errcode.DataDirUnwritable{Path: "/x", Reason: "no space left on device"}.Err().Because(errors.New("no"))
	log.With(logging.ModuleKey, "sessions", "session_id", "s-1").WithGroup("g").With("k", 1).
		Debug("tells hunter22", "seq", 9, "took", 1500*time.Millisecond, slog.Group("sub", "deep", true), "number", 1234567890)
	log.Error("failed", "error", failure, "ref", "R1", "principal", "agent-1", "transport", "http", "trace_id", "t", "span_id", "s",
		"seq", "mine", "list", []string{"a", "hunter22"}, "value", slog.AnyValue(nil), "broken", "a\xffb")
	log.Debug("not logged")
	got, _ := ring.Read(logging.Query{Limit: 10, OldestFirst: true})
	if len(got) != 2 {
		t.Fatalf("%d records", len(got))
	}
	for i, want := range []string{
		`{"seq":1,"ts":0,"level":"debug","msg":"tells <redacted>","module":"sessions","trace_id":null,"span_id":null,"request_id":null,` +
			`"session_id":"s-1","principal":null,"transport":null,"err":null,"g.k":1,"g.number":"<redacted>","g.seq":9,"g.sub.deep":true,"g.took":"1.5s"}`,
		`{"seq":2,"ts":0,"level":"error","msg":"failed","module":null,"trace_id":"t","span_id":"s","request_id":"R1","session_id":null,` +
			`"principal":"agent-1","transport":"http","err":{"message":"[DATA_DIR_UNWRITABLE] Cannot write to the data directory /x: no space left on device.","code":"DATA_DIR_UNWRITABLE"},` +
			`"attr.seq":"mine","broken":"a�b","list":"[a <redacted>]","value":null}`,
	} {
		if now := time.Now().UnixMilli(); got[i].Ts > now || got[i].Ts < now-60_000 {
			t.Error(got[i].Ts)
		}
		got[i].Ts = 0
		raw, err := json.Marshal(got[i])
		if err != nil {
			t.Fatal(err)
		}
		if same(t, string(raw)) != same(t, want) {
			t.Errorf("\n%s\nwant\n%s", raw, want)
		}
	}
}

// same is JSON with its keys in order.
func same(t *testing.T, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// kept is a sink.
type kept struct {
	mu   sync.Mutex
	seqs []int64
	then func()
}

func (k *kept) AddLog(r types.LogRecord) {
	k.mu.Lock()
	k.seqs = append(k.seqs, r.Seq)
	k.mu.Unlock()
	if k.then != nil {
		k.then()
	}
}

func TestPersist(t *testing.T) {
	t.Parallel()
	log, ring, levels, _ := ringed(t, 100, "info")
	log.Info("1, before the sink and below it")
	log.Warn("2, before the sink")
	sink := &kept{}
	ring.Persist(slog.LevelWarn, sink)
	log.Info("3, below")
	log.Error("4")
	if err := levels.Set("error"); err != nil {
		t.Fatal(err)
	}
	log.Warn("not logged any more")
	// A sink that logs comes back to itself.
	again := 3
	sink.then = func() {
		if again--; again > 0 {
			log.Error("the sink")
		}
	}
	log.Error("5")
	ring.Persist(0, nil)
	log.Error("8, after the sink")
	if s := fmt.Sprint(sink.seqs); s != "[2 4 5 6 7]" {
		t.Error(s)
	}
}

// Readers and writers do not disturb each other, and numbers have no holes.
func TestRingUnderLoad(t *testing.T) {
	t.Parallel()
	log, ring, _, _ := ringed(t, 500, "info")
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for range 2000 {
				log.Info("x")
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		got, _ := ring.Read(logging.Query{Limit: 1000, OldestFirst: true})
		for i := 1; i < len(got); i++ {
			if got[i].Seq <= got[i-1].Seq {
				t.Fatalf("%d after %d", got[i].Seq, got[i-1].Seq)
			}
		}
	}
	if s := ring.Span(); s.Newest != 8000 || s.Oldest != 7501 {
		t.Errorf("%+v", s)
	}
}

func BenchmarkLog(b *testing.B) {
	levels, err := logging.ParseLevels("info")
	if err != nil {
		b.Fatal(err)
	}
	for name, ring := range map[string]*logging.Ring{"with a ring": logging.NewRing(5000), "without": nil} {
		b.Run(name, func(b *testing.B) {
			log := logging.New(io.Discard, logging.Options{Levels: levels, JSON: true, Ring: ring}).With(logging.ModuleKey, "tools")
			for b.Loop() {
				log.Info("call", "tool", "click", "session_id", "0198c2d1", "took_ms", 12, "ok", true)
			}
		})
	}
}
