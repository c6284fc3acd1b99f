package auth_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/browserhive/browserhive/internal/auth"
)

func TestLimiter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := auth.NewLimiter(3, time.Second, 2)
		take := func(key string, want time.Duration) {
			t.Helper()
			if got := l.Take(key); got != want {
				t.Errorf("%s waits %v, want %v", key, got, want)
			}
		}
		for range 3 {
			take("a", 0)
		}
		take("a", time.Second)
		time.Sleep(400 * time.Millisecond)
		take("a", 600*time.Millisecond)
		take("b", 0)
		l.Return("b")
		for range 3 {
			take("b", 0)
		}
		take("b", time.Second)
		// There is no room for more keys: they share one.
		for i := range 3 {
			take(fmt.Sprint(i), 0)
		}
		take("more", time.Second)
		// Whoever has all its turns again makes room.
		time.Sleep(3 * time.Second)
		take("c", 0)
		for range 3 {
			take("a", 0)
		}
		take("a", time.Second)
	})
}

func TestWhose(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "::ffff:192.0.2.1": "192.0.2.1", "2001:db8::1": "2001:db8::/64", "2001:db8::ffff:1": "2001:db8::/64",
		"fe80::1%eth0": "fe80::/64", "": "", "unix": "unix",
	} {
		if got := auth.Whose(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}
