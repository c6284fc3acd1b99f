// Package auth says who may call: agents and operators, the tokens, passwords and dashboard sessions that
// prove who they are, and the grants that open one download.
package auth

import "context"

// Local is the principal of every caller when authentication is off, and of the one caller of stdio.
const Local = "local"

// Principal is who a call of a tool is made for.
type Principal struct {
	// Name of the token or operator. Sessions belong to it.
	Name string
	// All sees and uses the sessions of every principal: authentication is off.
	All bool
	// Live ends when the token is revoked; nil when there is none.
	Live context.Context
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
