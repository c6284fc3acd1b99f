package logging

import (
	"log/slog"
	"sync"

	"github.com/browserhive/browserhive/gen/types"
)

// maxRingBytes bounds a ring in bytes, whatever its size in records: at level trace records may be long, and the
// browsers need the memory.
const maxRingBytes = 64 << 20

// Sink keeps records for longer than memory does. AddLog returns at once; what it logs itself comes back to
// it, so it must not log every record that it cannot take.
type Sink interface{ AddLog(types.LogRecord) }

// Ring holds the last records, in memory. Its methods may be called from several goroutines.
type Ring struct {
	max int // in records

	mu      sync.Mutex
	records []*types.LogRecord // A ring of up to max; first is the place of the oldest.
	sizes   []int
	first   int
	count   int
	bytes   int
	newest  int64 // The seq of the newest record, 0 before the first.
	sink    Sink
	level   slog.Level // of the sink
}

// NewRing returns a ring of so many records. It takes memory as it fills.
func NewRing(records int) *Ring { return &Ring{max: max(records, 1)} }

// add numbers a record and puts it in the place of the oldest.
func (r *Ring) add(level slog.Level, record *types.LogRecord, size int) {
	r.mu.Lock()
	r.newest++
	record.Seq = r.newest
	if r.count == r.max {
		r.evict()
	}
	r.put(record, size)
	for r.bytes > maxRingBytes && r.count > 1 {
		r.evict()
	}
	sink := r.sink
	if level < r.level {
		sink = nil
	}
	r.mu.Unlock()
	if sink != nil {
		sink.AddLog(*record)
	}
}

func (r *Ring) put(record *types.LogRecord, size int) {
	if r.count == len(r.records) { // Full, and not yet as long as it may become.
		grown := make([]*types.LogRecord, min(max(2*len(r.records), 64), r.max))
		sizes := make([]int, len(grown))
		for i := range r.count {
			grown[i], sizes[i] = r.at(i), r.sizes[r.place(i)]
		}
		r.records, r.sizes, r.first = grown, sizes, 0
	}
	r.records[r.place(r.count)], r.sizes[r.place(r.count)] = record, size
	r.count++
	r.bytes += size
}

// place is where the record i after the oldest stands.
func (r *Ring) place(i int) int { return (r.first + i) % len(r.records) }

func (r *Ring) at(i int) *types.LogRecord { return r.records[r.place(i)] }

func (r *Ring) evict() {
	r.records[r.first] = nil
	r.bytes -= r.sizes[r.first]
	r.first = (r.first + 1) % len(r.records)
	r.count--
}

// Persist sends the records of a level and above to a sink, beginning with those that the ring holds
// already. A nil sink ends it.
func (r *Ring) Persist(level slog.Level, sink Sink) {
	r.mu.Lock()
	r.level, r.sink = level, sink
	var earlier []types.LogRecord
	if sink != nil {
		for i := range r.count {
			if one := r.at(i); levels[string(one.Level)] >= level {
				earlier = append(earlier, *one)
			}
		}
	}
	r.mu.Unlock()
	for _, one := range earlier {
		sink.AddLog(one)
	}
}

// Span describes what a ring holds.
type Span struct {
	// Oldest and Newest are the numbers of the records at its ends; Oldest is 0 without any.
	Oldest, Newest int64
	// Capacity is how many records it holds at most.
	Capacity int
}

// Span returns what the ring holds now.
func (r *Ring) Span() Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := Span{Newest: r.newest, Capacity: r.max}
	if r.count > 0 {
		s.Oldest = r.at(0).Seq
	}
	return s
}

// Query selects records.
type Query struct {
	// After and Before bound the numbers, both exclusive; 0 is no bound.
	After, Before int64
	// OldestFirst reverses the order, which is newest first.
	OldestFirst bool
	// Limit is how many records are wanted at most.
	Limit int
	// Keep chooses among the records; nil takes all. It must not change them.
	Keep func(*types.LogRecord) bool
}

// readChunk is how many records a reader takes from the ring at once: some microseconds in which nobody can
// log.
const readChunk = 1024

// Read returns records, and whether there are more. Records that come meanwhile may be among them.
func (r *Ring) Read(q Query) (records []types.LogRecord, more bool) {
	after, before := q.After, q.Before
	if before == 0 {
		before = r.Span().Newest + 1
	}
	for {
		chunk := r.chunk(after, before, q.OldestFirst)
		if len(chunk) == 0 {
			return records, false
		}
		for _, one := range chunk {
			if q.Keep != nil && !q.Keep(one) {
				continue
			}
			if len(records) >= q.Limit {
				return records, true
			}
			records = append(records, *one)
		}
		if last := chunk[len(chunk)-1].Seq; q.OldestFirst {
			after = last
		} else {
			before = last
		}
	}
}

// chunk takes the next records between two numbers, both exclusive.
func (r *Ring) chunk(after, before int64, oldestFirst bool) []*types.LogRecord {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count == 0 {
		return nil
	}
	// Numbers have no gaps, so a record's place follows from its number.
	oldest := r.at(0).Seq
	from, to := max(after+1, oldest)-oldest, min(before, r.newest+1)-oldest // The places from ≤ i < to.
	if from >= to {
		return nil
	}
	n := min(to-from, readChunk)
	chunk := make([]*types.LogRecord, n)
	for i := range n {
		if oldestFirst {
			chunk[i] = r.at(int(from + i))
		} else {
			chunk[i] = r.at(int(to - 1 - i))
		}
	}
	return chunk
}
