package browser

import "sync"

// signal wakes everybody who waits for the next time that something happens. The zero value is ready.
type signal struct {
	mu   sync.Mutex
	next chan struct{}
}

// wait returns a channel that is closed when it happens next. Ask for it before looking at the state that
// it tells of, so that nothing happens unseen in between.
func (s *signal) wait() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = make(chan struct{})
	}
	return s.next
}

func (s *signal) fire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next != nil {
		close(s.next)
		s.next = nil
	}
}
