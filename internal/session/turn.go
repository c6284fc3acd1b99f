package session

import (
	"context"
	"sync"
)

// turns keeps the calls that change a tab in the order in which they came. Calls on different tabs do not
// wait for each other.
type turns struct {
	mu   sync.Mutex
	tabs map[string]*turn
}

type turn struct {
	free    chan struct{} // holds one token while nobody has the tab
	waiting int           // callers that have or want the tab; the entry goes with the last
}

// Turn waits until every earlier call that changes the tab is done, and returns what ends the caller's own
// turn. It fails with the error of ctx when that ends first. Callers are served in the order in which they
// came.
func (s *Session) Turn(ctx context.Context, tab string) (done func(), err error) {
	s.turns.mu.Lock()
	t := s.turns.tabs[tab]
	if t == nil {
		t = &turn{free: make(chan struct{}, 1)}
		t.free <- struct{}{}
		if s.turns.tabs == nil {
			s.turns.tabs = map[string]*turn{}
		}
		s.turns.tabs[tab] = t
	}
	t.waiting++
	s.turns.mu.Unlock()
	leave := func() {
		s.turns.mu.Lock()
		defer s.turns.mu.Unlock()
		if t.waiting--; t.waiting == 0 {
			delete(s.turns.tabs, tab)
		}
	}
	select {
	case <-t.free:
		return func() { t.free <- struct{}{}; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
