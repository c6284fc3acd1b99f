package secret_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/browserhive/browserhive/internal/secret"
)

func hides(r *secret.Redactor, s string) bool { return r.Scrub(s) == secret.Redacted }

// What a session handled is known until it has ended and its last call is recorded, and nothing of it
// afterwards.
func TestKeep(t *testing.T) {
	t.Parallel()
	r := &secret.Redactor{}
	k, end := r.Keep("a")
	k.Add("first-secret", "first-secret", "short", strings.Repeat("x", secret.MaxLength+1))
	release := k.Hold()
	end()
	end()
	k.Add("during-a-call")
	if !hides(r, "first-secret") || !hides(r, "during-a-call") {
		t.Error("forgotten while a call has it")
	}
	if long := strings.Repeat("x", secret.MaxLength+1); r.Scrub(long) != long || r.Scrub("short") != "short" {
		t.Error("too long or too short to be looked for")
	}
	release()
	release()
	k.Add("too-late-to-be-known")
	k.Hold()()
	for _, s := range []string{"first-secret", "during-a-call", "too-late-to-be-known"} {
		if hides(r, s) {
			t.Errorf("%s is known for ever", s)
		}
	}
	var none *secret.Keep
	none.Add("nothing-keeps-it")
	none.Hold()()
}

// Past the bounds the first goes, unless it was used again.
func TestKeepBounds(t *testing.T) {
	t.Parallel()
	r := &secret.Redactor{}
	k, end := r.Keep("a")
	defer end()
	k.Add("used-again")
	for i := range 511 {
		k.Add(fmt.Sprintf("secret-%04d", i))
	}
	k.Add("used-again")
	k.Add("one-more")
	if !hides(r, "used-again") || hides(r, "secret-0000") || !hides(r, "secret-0001") {
		t.Error("another than the first went")
	}
	for i := range 64 {
		k.Add(fmt.Sprintf("%04d", i) + strings.Repeat("y", secret.MaxLength-4))
	}
	if hides(r, "one-more") {
		t.Error("their length has no bound")
	}
}

// Whoever ends and adds at the same time leaves nothing behind.
func TestKeepConcurrently(t *testing.T) {
	t.Parallel()
	r := &secret.Redactor{}
	for i := range 200 {
		k, end := r.Keep("a")
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				defer k.Hold()()
				k.Add(fmt.Sprintf("secret-of-%d", i))
			})
		}
		all.Go(end)
		all.Wait()
		if hides(r, fmt.Sprintf("secret-of-%d", i)) {
			t.Fatal("known for ever")
		}
	}
}
