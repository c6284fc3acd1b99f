package e2e

import (
	"bytes"
	"sync"
)

// transcript collects what a process writes, and wakes those who wait for more.
type transcript struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{}
}

func newTranscript() *transcript { return &transcript{changed: make(chan struct{})} }

func (t *transcript) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Write(b)
	close(t.changed)
	t.changed = make(chan struct{})
	return len(b), nil
}

func (t *transcript) line(s string) { _, _ = t.Write([]byte(s + "\n")) }

// changes is closed at the next write.
func (t *transcript) changes() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.changed
}

func (t *transcript) String() string { return t.since(0) }

// since is what was written after so many bytes.
func (t *transcript) since(mark int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text.Bytes()[mark:])
}

// size is how many bytes were written so far.
func (t *transcript) size() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Len()
}
