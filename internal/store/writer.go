package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/browserhive/browserhive/gen/ent"
	"github.com/browserhive/browserhive/gen/errcode"
)

// The bounds of the writer.
const (
	// maxQueue is how many writes may wait: a few seconds of what a busy server does, and some ten
	// megabytes where each holds a result of 16 KiB at most.
	maxQueue = 8192
	// maxBatch is how many writes are committed together. More would gain little and make a reader's view
	// older.
	maxBatch = 512
	// batchInterval is how long the writer gathers a batch: far below the half second within which rows have to
	// be there.
	batchInterval = 50 * time.Millisecond
	// retryInterval is the pause between two tries while the disk takes nothing.
	retryInterval = time.Second
)

// write is one change of the database.
type write struct {
	// table is what it is counted under when it is lost.
	table string
	do    func(ctx context.Context, tx *ent.Tx) error
	// answer gets the outcome of a durable write; nil for others.
	answer chan error
}

// writer is the only one that writes. It takes writes in their order, some hundred to a transaction.
type writer struct {
	dir    string // The data directory.
	conn   *sql.DB
	client *ent.Client
	log    *slog.Logger
	queue  chan write
	// quit is closed to make it write what is left and end; ended is closed when it has.
	quit, ended chan struct{}
	// ctx is cancelled when even the last writes may take no longer.
	ctx    context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	stopped bool
	dropped map[string]int64 // By table.
	trouble error            // Why the disk takes nothing, nil while it does.
}

func newWriter(dir string, conn *sql.DB, log *slog.Logger) *writer {
	w := &writer{
		dir: dir, conn: conn, client: ent.NewClient(ent.Driver(entsql.OpenDB(dialect.SQLite, conn))), log: log,
		queue: make(chan write, maxQueue), quit: make(chan struct{}), ended: make(chan struct{}), dropped: map[string]int64{},
	}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	go w.run()
	return w
}

// errClosed is the outcome of a durable write that comes too late.
var errClosed = errors.New("the database is closed")

// errFull is the outcome of a durable write when too many wait.
var errFull = errors.New("too many writes wait for the disk")

// add queues a write and returns at once. When too many wait already it is dropped and counted.
func (w *writer) add(table string, do func(context.Context, *ent.Tx) error) {
	if err := w.put(write{table: table, do: do}); err != nil {
		w.drop(table, err)
	}
}

// commit queues a write, after all that were queued before, and returns once it is on the disk. When ctx ends
// first, the write is still in the queue and is made when the disk takes it. It
// fails with DATA_DIR_UNWRITABLE while the disk takes nothing.
func (w *writer) commit(ctx context.Context, table string, do func(context.Context, *ent.Tx) error) error {
	answer := make(chan error, 1)
	if err := w.put(write{table, do, answer}); err != nil {
		return w.because(err)
	}
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return w.because(ctx.Err())
	}
}

// because adds to the error of a write that was not made why nothing is written at the moment, if so.
func (w *writer) because(err error) error {
	w.mu.Lock()
	trouble := w.trouble
	w.mu.Unlock()
	if trouble == nil {
		return err
	}
	return errcode.DataDirUnwritable{Path: w.dir, Reason: trouble.Error()}.Err().Because(errors.Join(err, trouble))
}

// result is commit of a write that has one. When ctx ends first, what the write still brings is not looked
// at: it belongs to the writer until it answers.
func result[T any](ctx context.Context, w *writer, table string, do func(context.Context, *ent.Tx) (T, error)) (T, error) {
	var value T
	err := w.commit(ctx, table, func(ctx context.Context, tx *ent.Tx) (err error) {
		value, err = do(ctx, tx)
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return value, nil
}

func (w *writer) put(one write) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return errClosed
	}
	select {
	case w.queue <- one:
		return nil
	default:
		return errFull
	}
}

func (w *writer) drop(table string, cause error) {
	w.mu.Lock()
	w.dropped[table]++
	n := w.dropped[table]
	w.mu.Unlock()
	if n&(n-1) == 0 { // At 1, 2, 4, 8 and so on: a full disk must not fill the log.
		w.log.Error("a row was not recorded", "table", table, "dropped", n, "cause", cause)
	}
}

// stop makes the writer write what waits and end. When ctx ends first, what is left is dropped.
func (w *writer) stop(ctx context.Context) error {
	w.mu.Lock()
	if !w.stopped {
		w.stopped = true
		close(w.quit)
	}
	w.mu.Unlock()
	defer w.cancel()
	select {
	case <-w.ended:
		return nil
	case <-ctx.Done():
		w.cancel()
		<-w.ended
		return fmt.Errorf("what waited to be written: %w", ctx.Err())
	}
}

func (w *writer) run() {
	defer close(w.ended)
	batch := make([]write, 0, maxBatch)
	for {
		batch = batch[:0]
		select {
		case one := <-w.queue:
			batch = w.gather(append(batch, one))
		case <-w.quit:
			if batch = w.rest(batch); len(batch) == 0 {
				return
			}
		}
		w.flush(batch)
	}
}

// gather adds what comes within batchInterval. A durable write is not kept waiting.
func (w *writer) gather(batch []write) []write {
	timer := time.NewTimer(batchInterval)
	defer timer.Stop()
	for len(batch) < maxBatch && batch[len(batch)-1].answer == nil {
		select {
		case one := <-w.queue:
			batch = append(batch, one)
		case <-timer.C:
			return batch
		case <-w.quit:
			return w.rest(batch)
		}
	}
	return batch
}

// rest adds what waits already.
func (w *writer) rest(batch []write) []write {
	for len(batch) < maxBatch {
		select {
		case one := <-w.queue:
			batch = append(batch, one)
		default:
			return batch
		}
	}
	return batch
}

// flush commits a batch. While the disk takes nothing it tries again; a write that cannot be is left out.
func (w *writer) flush(batch []write) {
	for w.ctx.Err() == nil {
		err := w.transact(batch)
		w.noteTrouble(err)
		switch {
		case err == nil:
			for _, one := range batch {
				one.settle(nil)
			}
			return
		case !temporary(err):
			w.flushOneByOne(batch)
			return
		}
		select {
		case <-time.After(retryInterval):
		case <-w.ctx.Done():
		}
	}
	for _, one := range batch {
		one.settle(errClosed)
		if one.answer == nil {
			w.drop(one.table, errClosed)
		}
	}
}

// flushOneByOne finds the write that spoils a batch.
func (w *writer) flushOneByOne(batch []write) {
	for i := range batch {
		err := w.transact(batch[i : i+1])
		if temporary(err) {
			w.flush(batch[i:])
			return
		}
		batch[i].settle(err)
		if err != nil && batch[i].answer == nil {
			w.drop(batch[i].table, err)
		}
	}
}

func (one write) settle(err error) {
	if one.answer != nil {
		one.answer <- err
	}
}

// transact makes all writes of a batch, or none. With a durable one among them it is on the disk
// afterwards, whatever happens to the power.
func (w *writer) transact(batch []write) (err error) {
	for _, one := range batch {
		if one.answer != nil {
			if _, err := w.conn.ExecContext(w.ctx, "PRAGMA synchronous = full"); err != nil {
				return err
			}
			defer func() {
				_, back := w.conn.ExecContext(context.WithoutCancel(w.ctx), "PRAGMA synchronous = normal")
				err = errors.Join(err, back)
			}()
			break
		}
	}
	tx, err := w.client.Tx(w.ctx)
	if err != nil {
		return err
	}
	for _, one := range batch {
		if err := one.do(w.ctx, tx); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

// temporary reports whether an error comes from the disk or a lock rather than from the rows, so that a later try may
// succeed.
func temporary(err error) bool {
	var failure *sqlite.Error
	if !errors.As(err, &failure) {
		return false
	}
	switch failure.Code() & 0xff { // Without its extension.
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY,
		sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOMEM:
		return true
	}
	return false
}

// noteTrouble remembers why nothing is written, and logs it once.
func (w *writer) noteTrouble(err error) {
	if !temporary(err) {
		err = nil
	}
	w.mu.Lock()
	was := w.trouble
	w.trouble = err
	w.mu.Unlock()
	switch {
	case err != nil && was == nil:
		w.log.Error("the database cannot be written; rows wait", "cause", err)
	case err == nil && was != nil:
		w.log.Info("the database can be written again")
	}
}

// Flush returns once everything is written that was queued before.
func (s *Store) Flush(ctx context.Context) error {
	return s.writer.commit(ctx, "", func(context.Context, *ent.Tx) error { return nil })
}

// WriterState is how the writer does.
type WriterState struct {
	// Waiting is how many writes wait.
	Waiting int
	// Dropped counts the rows that were lost since the start, by table.
	Dropped map[string]int64
	// Trouble is why nothing is written at the moment; nil while all is well.
	Trouble error
}

// WriterState returns how the writer does at this moment.
func (s *Store) WriterState() WriterState {
	w := s.writer
	w.mu.Lock()
	defer w.mu.Unlock()
	return WriterState{len(w.queue), maps.Clone(w.dropped), w.trouble}
}
