package e2e

import (
	"runtime"
	"sync"
	"testing"
)

// places bounds the tests that are at work at once to the processors of the host. Go's own bound counts tests
// that wait, too.
var places = gate{free: runtime.GOMAXPROCS(0)}

// gate hands out places, to those in a hurry first and else in the order in which they came.
type gate struct {
	mu            sync.Mutex
	free          int
	hurry, others []chan struct{}
}

func (g *gate) take(hurry bool) {
	g.mu.Lock()
	if g.free > 0 {
		g.free--
		g.mu.Unlock()
		return
	}
	mine := make(chan struct{})
	if hurry {
		g.hurry = append(g.hurry, mine)
	} else {
		g.others = append(g.others, mine)
	}
	g.mu.Unlock()
	<-mine
}

func (g *gate) give() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, queue := range []*[]chan struct{}{&g.hurry, &g.others} {
		if len(*queue) > 0 {
			close((*queue)[0])
			*queue = (*queue)[1:]
			return
		}
	}
	g.free++
}

// work is t.Parallel for a test that drives the program: it goes on when there is a place. A test whose subtests
// work leaves the places to them.
func work(t *testing.T) {
	t.Helper()
	enter(t, false)
}

// first is work for a test that waits long or is long, and so should not be the last.
func first(t *testing.T) {
	t.Helper()
	enter(t, true)
}

func enter(t *testing.T, hurry bool) {
	t.Helper()
	t.Parallel()
	tenancy.enter(t)
	places.take(hurry)
	t.Cleanup(places.give)
}

// rest lets another test work while this one waits for something that takes no processor.
func rest(wait func()) {
	places.give()
	defer places.take(true)
	wait()
}
