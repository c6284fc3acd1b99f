package auth

import (
	"testing"

	"github.com/alexedwards/argon2id"
)

// MakePasswordsCheap is for tests that sign in often.
func MakePasswordsCheap() {
	cheap := *hashing
	cheap.Memory, cheap.Iterations = 64, 1
	hashing = &cheap
}

// costly are the parameters of the product.
var costly = hashing

// BenchmarkPassword measures a check of a password.
func BenchmarkPassword(b *testing.B) {
	record, err := argon2id.CreateHash("a password of my own", costly)
	if err != nil {
		b.Fatal(err)
	}
	h := newHasher()
	b.ReportAllocs()
	for b.Loop() {
		if ok, err := h.matches(b.Context(), "a password of my own", record); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}
