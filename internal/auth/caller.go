package auth

import (
	"context"
	"slices"
	"time"

	"github.com/browserhive/browserhive/gen/api"
	"github.com/browserhive/browserhive/gen/types"
)

// Caller is who makes a request, as a cookie or a token proved it.
type Caller struct {
	// Principal is its name.
	Principal string
	Kind      types.PrincipalKind
	// Auth is how it proved who it is.
	Auth types.PrincipalAuth
	// MustChangePassword says that it may do nothing else first.
	MustChangePassword bool
	// Expires is when its cookie ends at the latest; zero for a token.
	Expires time.Time
	// Live ends when what proved the caller is revoked, and every request under way with it.
	Live context.Context
	// proof is the id of the session or of the credential.
	proof string
}

// LocalOperator is who asks over the socket in the data directory. Only the account that the server runs under
// reaches it, to which the database is open as well.
func LocalOperator() Caller {
	return Caller{Principal: Admin, Kind: types.PrincipalKindOperator, Live: context.Background()}
}

// Scopes lists what the caller may do: operators everything, agents what MCP needs.
func (c Caller) Scopes() []string {
	if c.Kind == types.PrincipalKindOperator {
		return slices.Clone(api.Scopes)
	}
	return []string{api.ScopeMCPTools}
}

// Holds reports whether the caller has a scope.
func (c Caller) Holds(scope string) bool { return slices.Contains(c.Scopes(), scope) }

// Origin is where a request came from.
type Origin struct {
	// Address is the IP address of the client, "" when it is not known.
	Address string
	// UserAgent is what the client says it is.
	UserAgent string
}

// Actor is who does something, and from where. The zero value is the command line.
type Actor struct {
	Principal string
	Origin
}
