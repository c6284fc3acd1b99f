package auth

import (
	"net/netip"
	"sync"
	"time"
)

// Limiter lets each key do something so many times at once and then once in a while. It keeps no more keys
// than it was told; when there are more, the rest share one.
type Limiter struct {
	burst int
	every time.Duration
	most  int

	mu sync.Mutex
	// full is when a key that has used some of its turns has them all again.
	full map[string]time.Time
}

// NewLimiter makes a limiter for at most so many keys.
func NewLimiter(burst int, every time.Duration, most int) *Limiter {
	return &Limiter{burst: burst, every: every, most: most, full: map[string]time.Time{}}
}

// Take uses a turn of the key, or says how long to wait for one.
func (l *Limiter) Take(key string) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	key = l.room(key, now)
	full := l.full[key]
	if full.Before(now) {
		full = now
	}
	full = full.Add(l.every)
	if wait = full.Sub(now) - time.Duration(l.burst)*l.every; wait > 0 {
		return wait
	}
	l.full[key] = full
	return 0
}

// Return gives a turn back that was not to be counted.
func (l *Limiter) Return(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if full, ok := l.full[key]; ok {
		l.full[key] = full.Add(-l.every)
	}
}

// room returns the key, or the one that all share when there is no room for it.
func (l *Limiter) room(key string, now time.Time) string {
	if _, known := l.full[key]; known || len(l.full) < l.most {
		return key
	}
	for k, full := range l.full {
		if !full.After(now) {
			delete(l.full, k)
		}
	}
	if len(l.full) < l.most {
		return key
	}
	return ""
}

// Whose is the key under which an address is counted: of IPv6 a whole network of 64 bits, which one client
// has for itself.
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
	addressBurst = 5
	addressEvery = 10 * time.Second
	// All addresses together, so that many of them gain little.
	totalBurst = 30
	totalEvery = 2 * time.Second
	// addresses is how many are told apart: some hundred kilobytes.
	addresses = 4096
	// knownAddresses is from how many an operator has signed in since the start.
	knownAddresses = 256
)

// attempts limits sign-ins by address and in total. The total does not hold for the host itself, nor for an
// address that a sign-in has succeeded from: whoever floods the server from elsewhere cannot lock its owner
// out.
type attempts struct {
	address, total *Limiter

	mu    sync.Mutex
	known map[string]bool
}

func newAttempts() *attempts {
	return &attempts{
		address: NewLimiter(addressBurst, addressEvery, addresses), total: NewLimiter(totalBurst, totalEvery, 1),
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
	if len(a.known) < knownAddresses {
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
