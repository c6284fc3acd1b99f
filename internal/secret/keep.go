package secret

import (
	"slices"
	"sync"
)

// The bounds of a Keep: how many secrets it holds, and their bytes. Both are far beyond what a session types and
// sets; a program that does more would otherwise fill the memory.
const (
	maxKept      = 512
	maxKeptBytes = 256 << 10
)

// MaxLength is the length in bytes of the longest secret that is looked for. What is longer stands in storage
// states, and no other text repeats it.
const MaxLength = 4 << 10

// Keep is the secrets that one session or one call handled. They are known while somebody holds it: its
// session until that has ended, and each call until it is recorded. Afterwards nothing can be added, so that
// what comes late is not known for ever. Its methods may be called from several goroutines; a nil Keep keeps
// nothing.
type Keep struct {
	redactor *Redactor
	owner    string

	mu      sync.Mutex
	holders int
	order   []string // The one added last is last.
	forget  map[string]func()
	bytes   int
}

// Keep begins to keep secrets of an owner. end has to be called.
func (r *Redactor) Keep(owner string) (k *Keep, end func()) {
	k = &Keep{redactor: r, owner: owner, holders: 1, forget: map[string]func(){}}
	return k, sync.OnceFunc(k.letGo)
}

// Hold keeps the secrets known until release is called. It does nothing when nobody holds them any more.
func (k *Keep) Hold() (release func()) {
	if k == nil {
		return func() {}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.holders == 0 {
		return func() {}
	}
	k.holders++
	return sync.OnceFunc(k.letGo)
}

// Add makes secrets known while somebody holds them. Past the bounds, those go that were added first.
func (k *Keep) Add(secrets ...string) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.holders == 0 {
		return
	}
	for _, s := range secrets {
		if len(s) < minLength || len(s) > MaxLength {
			continue
		}
		if k.forget[s] != nil {
			k.order = append(slices.DeleteFunc(k.order, func(one string) bool { return one == s }), s)
			continue
		}
		k.forget[s] = k.redactor.AddFor(k.owner, s)
		k.order = append(k.order, s)
		k.bytes += len(s)
		for len(k.order) > maxKept || k.bytes > maxKeptBytes {
			k.drop()
		}
	}
}

// drop forgets the first. The caller holds the lock.
func (k *Keep) drop() {
	s := k.order[0]
	k.order = k.order[1:]
	k.forget[s]()
	delete(k.forget, s)
	k.bytes -= len(s)
}

func (k *Keep) letGo() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.holders--; k.holders > 0 {
		return
	}
	for len(k.order) > 0 {
		k.drop()
	}
}
