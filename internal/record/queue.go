package record

import (
	"context"
	"sync"
)

// maxQueue is how many calls may wait to be recorded, and maxQueueBytes how much they may hold together: what two
// cores record in about a second, within which rows are promised.
const (
	maxQueue      = 512
	maxQueueBytes = 64 << 20
)

// queue holds calls that wait to be recorded. One goroutine records them, in their order.
type queue struct {
	waiting chan waiting
	ended   chan struct{} // Closed when the last is recorded.

	mu      sync.Mutex
	bytes   int64
	stopped bool
}

// waiting is a call that waits.
type waiting struct {
	outcome Outcome
	done    func()
}

// size is about what it holds.
func (w waiting) size() int64 {
	n := len(w.outcome.Args) + len(w.outcome.Result)
	if w.outcome.Image != nil {
		n += len(w.outcome.Image.Data)
	}
	if w.outcome.Frame != nil {
		n += len(w.outcome.Frame.Data)
	}
	return int64(n)
}

// start records each call with record, until stop.
func (q *queue) start(record func(Outcome)) {
	q.waiting, q.ended = make(chan waiting, maxQueue), make(chan struct{})
	go func() {
		defer close(q.ended)
		for one := range q.waiting {
			record(one.outcome)
			one.done()
			q.mu.Lock()
			q.bytes -= one.size()
			q.mu.Unlock()
		}
	}()
}

// put takes a call, and reports false when there is no room for it.
func (q *queue) put(o Outcome, done func()) bool {
	one := waiting{o, done}
	size := one.size()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.stopped || q.bytes+size > maxQueueBytes {
		return false
	}
	select {
	case q.waiting <- one:
		q.bytes += size
		return true
	default:
		return false
	}
}

func (q *queue) stop(ctx context.Context) error {
	q.mu.Lock()
	if !q.stopped {
		q.stopped = true
		close(q.waiting)
	}
	q.mu.Unlock()
	select {
	case <-q.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
