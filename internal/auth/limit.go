package auth

import (
	"net/netip"
	"sync"
	"time"
)

// Limiter allows each key a burst of turns, and then one turn per interval. It keeps at most maxKeys keys; when
// there are more, the rest share one.
type Limiter struct {
	burst    int
	interval time.Duration
	maxKeys  int

	mu sync.Mutex
	// full is the time at which a key has all its turns again.
	full map[string]time.Time
}

// NewLimiter returns a limiter that tells at most maxKeys keys apart.
func NewLimiter(burst int, interval time.Duration, maxKeys int) *Limiter {
	return &Limiter{burst: burst, interval: interval, maxKeys: maxKeys, full: map[string]time.Time{}}
}

// Take uses a turn of the key, or returns how long to wait for one.
func (l *Limiter) Take(key string) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	key = l.room(key, now)
	full := l.full[key]
	if full.Before(now) {
		full = now
	}
	full = full.Add(l.interval)
	if wait = full.Sub(now) - time.Duration(l.burst)*l.interval; wait > 0 {
		return wait
	}
	l.full[key] = full
	return 0
}

// Return gives a turn back, so that it does not count.
func (l *Limiter) Return(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if full, ok := l.full[key]; ok {
		l.full[key] = full.Add(-l.interval)
	}
}

// room returns the key, or the one that all share when there is no room for it.
func (l *Limiter) room(key string, now time.Time) string {
	if _, known := l.full[key]; known || len(l.full) < l.maxKeys {
		return key
	}
	for k, full := range l.full {
		if !full.After(now) {
			delete(l.full, k)
		}
	}
	if len(l.full) < l.maxKeys {
		return key
	}
	return ""
}

// Whose is the key under which an address is counted. With IPv6 that is its /64 network, which belongs to one
// client.
func Whose(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	if ip = ip.Unmap(); ip.Is4() {
		return ip.String()
	}
	network, err := ip.WithZone("").Prefix(64)
	if err != nil {
		return ip.String()
	}
	return network.String()
}

// Bounds of attempts to sign in. They count wrong passwords alone, and live in memory, so that a restart
// ends them.
const (
	// A person mistypes a password a few times; a program gets some 8,600 a day.
	addressBurst    = 5
	addressInterval = 10 * time.Second
	// All addresses together, so that many of them gain little.
	totalBurst    = 30
	totalInterval = 2 * time.Second
	// maxAddresses is how many are told apart: some hundred kilobytes.
	maxAddresses = 4096
	// maxKnownAddresses bounds the addresses remembered from which an operator has signed in.
	maxKnownAddresses = 256
)

// attempts limits sign-ins by address and in total. The total does not apply to the host itself, nor to an
// address from which a sign-in has succeeded, so that a flood from elsewhere cannot lock the owner out.
type attempts struct {
	address, total *Limiter

	mu    sync.Mutex
	known map[string]bool
}

func newAttempts() *attempts {
	return &attempts{
		address: NewLimiter(addressBurst, addressInterval, maxAddresses), total: NewLimiter(totalBurst, totalInterval, 1),
		known: map[string]bool{},
	}
}

func (a *attempts) take(address string) time.Duration {
	key := Whose(address)
	if wait := a.address.Take(key); wait > 0 {
		return wait
	}
	if a.trusted(address) {
		return 0
	}
	if wait := a.total.Take(""); wait > 0 {
		a.address.Return(key)
		return wait
	}
	return 0
}

// succeeded takes an attempt back and remembers where it came from.
func (a *attempts) succeeded(address string) {
	key := Whose(address)
	if !a.trusted(address) {
		a.total.Return("")
	}
	a.address.Return(key)
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.known) < maxKnownAddresses {
		a.known[key] = true
	}
}

func (a *attempts) trusted(address string) bool {
	if ip, err := netip.ParseAddr(address); err == nil && ip.Unmap().IsLoopback() {
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.known[Whose(address)]
}
