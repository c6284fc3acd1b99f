package auth

import (
	"context"
	"math/bits"
	"strconv"
	"sync"
	"time"
)

// Why something was refused, as the audit has it.
const (
	reasonPassword = "wrong_password"
	reasonLimit    = "rate_limited"
)

// The bounds of what refusals leave in the audit. Those of one address and kind within a minute share a row
// with a count, and beyond so many rows all further addresses share one of each kind. There are four kinds
// (a sign-in or a change, refused for the password or the limit), so that it is 20 rows a minute at most, some
// 10 MB a day, whoever knocks from wherever.
const (
	refusalInterval = time.Minute
	maxRefusals     = 16
)

// exactly is up to which count each refusal is on the disk before its answer; further ones are when their
// count is a power of two, so that a flood does not keep the disk busy. Wrong passwords stay below it.
const exactly = 16

// refusals counts what was refused within the present minute.
type refusals struct {
	mu    sync.Mutex
	until time.Time
	rows  map[refusal]*refused
}

type refusal struct{ action, reason, from string }

// refused is one row.
type refused struct {
	entry Entry
	count int // guarded by refusals.mu

	writing sync.Mutex // keeps the counts of a row in order
}

// add counts a refusal, and reports whether its row has to be written.
func (r *refusals) add(action, reason string, by Actor) (row *refused, write bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Now(); !now.Before(r.until) {
		r.until, r.rows = now.Truncate(refusalInterval).Add(refusalInterval), map[refusal]*refused{}
	}
	key := refusal{action, reason, Whose(by.Address)}
	if r.rows[key] == nil && len(r.rows) >= maxRefusals {
		key.from, by.Origin = "", Origin{}
	}
	row = r.rows[key]
	if row == nil {
		row = &refused{entry: entry(action, false, Admin, by, "reason", reason)}
		r.rows[key] = row
	}
	row.count++
	return row, row.count <= exactly || bits.OnesCount(uint(row.count)) == 1
}

// current is the row with its present count.
func (r *refusals) current(row *refused) Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := row.entry
	e.Details = map[string]string{"reason": e.Details["reason"], "count": strconv.Itoa(row.count)}
	return e
}

// refuse records an attempt that failed, and returns why it did.
func (a *Authority) refuse(ctx context.Context, action, reason string, by Actor, why error) error {
	row, write := a.refusals.add(action, reason, by)
	if !write {
		return why
	}
	row.writing.Lock()
	defer row.writing.Unlock()
	e := a.refusals.current(row)
	ctx, done := storing(ctx)
	defer done()
	if err := a.opts.Store.AddEntry(ctx, e); err != nil {
		return err
	}
	a.tell(e)
	return why
}
