package auth

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"

	"github.com/alexedwards/argon2id"
)

// hashing are the parameters of new password records, those of RFC 9106 for hosts that have other things to
// keep in memory, with one lane, so that a check takes one core. Old records carry their own.
var hashing = &argon2id.Params{Memory: 64 << 10, Iterations: 3, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// absent is a record that no password has, with the cost of a real one.
var absent = fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s", hashing.Memory, hashing.Iterations, hashing.Parallelism,
	base64.RawStdEncoding.EncodeToString(make([]byte, hashing.SaltLength)),
	base64.RawStdEncoding.EncodeToString(make([]byte, hashing.KeyLength)))

// hashers is how many passwords are hashed at once. Each takes 64 MiB.
const hashers = 2

// hasher hashes passwords, some at once; others wait.
type hasher chan struct{}

func newHasher() hasher { return make(hasher, hashers) }

func (h hasher) enter(ctx context.Context) (leave func(), err error) {
	select {
	case h <- struct{}{}:
		return func() { <-h }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// record is what is stored of a password.
func (h hasher) record(ctx context.Context, password string) (string, error) {
	leave, err := h.enter(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	return argon2id.CreateHash(password, hashing)
}

// matches reports whether the record is of the password.
func (h hasher) matches(ctx context.Context, password, record string) (bool, error) {
	leave, err := h.enter(ctx)
	if err != nil {
		return false, err
	}
	defer leave()
	return argon2id.ComparePasswordAndHash(password, record)
}

// seedLength is the length of a generated password: 120 bits.
const seedLength = 24

// newSeed generates a password.
func newSeed() string { return rand.Text()[:seedLength] }
