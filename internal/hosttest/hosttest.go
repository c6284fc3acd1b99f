// Package hosttest tells tests how slow their host is, so that limits which are wide on one host are wide on
// another. A test that fails because a host was slow tells nobody anything.
package hosttest

import (
	"sync"
	"time"
)

const (
	// ordinary is how long the work takes on the host that limits are written for: two cores of 2020 or later, and
	// nothing else running.
	ordinary = 60 * time.Millisecond
	// steps is the work of one of the two.
	steps = 25_000_000
	// slowest bounds what is made of a host: with it the longest limits of tests, of a minute, stay far below the
	// time that go test gives them all.
	slowest = 6
	// slow is far from what an ordinary host shows when it is busy for a moment.
	slow = 3
)

// Limit is how long a test waits for what must come within d on an ordinary host: d, or longer on a slower one.
// The host is measured once in a process, at the first call.
func Limit(d time.Duration) time.Duration { return time.Duration(float64(d) * slowness()) }

// Milliseconds is Limit as a number, for the timeout of a call.
func Milliseconds(d time.Duration) int64 { return Limit(d).Milliseconds() }

// Pause is how long a test waits for what must not come, or lets a time pass: d, or at most twice that on a slower
// host, because such a wait takes its time in every run.
func Pause(d time.Duration) time.Duration { return time.Duration(float64(d) * min(slowness(), 2)) }

// Slow reports whether the host is so slow that bounds of the product, which are the same on every host, may be too
// short for it.
func Slow() bool { return slowness() >= slow }

// slowness is how many times longer than an ordinary host this one takes, from 1 to slowest. Two goroutines work
// at once, so that a host of one core, or one that is busy otherwise, shows it.
var slowness = sync.OnceValue(func() float64 {
	began := time.Now()
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() { work(steps) })
	}
	workers.Wait()
	return factor(time.Since(began))
})

// factor is what the time that the work took makes of limits.
func factor(took time.Duration) float64 {
	return min(max(float64(took)/float64(ordinary), 1), slowest)
}

// work takes a processor and no memory, and cannot be left out: each step needs the one before.
func work(steps int) uint64 {
	x := uint64(1)
	for range steps {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	if x == 0 {
		panic("a xorshift generator never comes to zero")
	}
	return x
}
