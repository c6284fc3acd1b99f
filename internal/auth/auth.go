// Package auth says who a caller is: principals, and the tokens that prove them.
package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"strings"
)

// Local is the principal of every caller when authentication is off, and of the one caller of stdio.
const Local = "local"

// Principal is who a call is made for.
type Principal struct {
	// Name of the token or operator. Sessions belong to it.
	Name string
	// All sees and uses the sessions of every principal: authentication is off.
	All bool
}

// Anyone is the principal of every caller when authentication is off.
var Anyone = Principal{Name: Local, All: true}

// Owns reports whether the principal may use what owner made.
func (p Principal) Owns(owner string) bool { return p.All || p.Name == owner }

type contextKey struct{}

// With returns a context that carries the principal.
func With(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, contextKey{}, p)
}

// From returns the principal that ctx carries.
func From(ctx context.Context) (Principal, bool) {
	p, ok := ctx.Value(contextKey{}).(Principal)
	return p, ok
}

// Tokens finds the principal of a bearer token. Only hashes are kept, and a look-up compares all of
// them in constant time, so that timing says nothing about a token.
type Tokens struct {
	names  []string
	hashes [][sha256.Size]byte
}

// ParseTokens reads name:token pairs as the configuration writes them. Its errors never quote a token.
func ParseTokens(pairs []string) (*Tokens, error) {
	t := &Tokens{}
	for i, pair := range pairs {
		name, token, ok := strings.Cut(pair, ":")
		if !ok || name == "" || token == "" {
			return nil, fmt.Errorf("token %d is not written name:token", i+1)
		}
		t.names = append(t.names, name)
		t.hashes = append(t.hashes, sha256.Sum256([]byte(token)))
	}
	return t, nil
}

// Len is the number of tokens.
func (t *Tokens) Len() int { return len(t.names) }

// Find returns the principal that the token proves.
func (t *Tokens) Find(token string) (Principal, bool) {
	h := sha256.Sum256([]byte(token))
	found := -1
	for i := range t.hashes {
		if subtle.ConstantTimeCompare(h[:], t.hashes[i][:]) == 1 {
			found = i
		}
	}
	if found < 0 {
		return Principal{}, false
	}
	return Principal{Name: t.names[found]}, true
}
