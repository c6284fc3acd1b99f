package auth

import (
	"context"
	"errors"
	"time"

	"github.com/browserhive/browserhive/gen/types"
)

// Store keeps identities. What it is told to change is on the disk when a method returns, together with its
// audit entry; only the Used methods return before.
type Store interface {
	// Identities returns what an Authority works with.
	Identities(ctx context.Context) (Identities, error)
	// AddCredential stores a token and makes its principal. It fails with ErrTaken when a token of that name
	// is valid, or the principal is of another kind.
	AddCredential(ctx context.Context, c Credential, e Entry) error
	// RevokeCredential marks a token as revoked at e.At. It fails with ErrUnknown when no valid one has the id.
	RevokeCredential(ctx context.Context, id string, e Entry) error
	// Credentials lists issued tokens, and says whether more follow.
	Credentials(ctx context.Context, q CredentialQuery) (rows []Credential, more bool, err error)
	// CredentialUsed stores when a token was last used, some time later.
	CredentialUsed(id string, at time.Time)
	// SetPassword stores the operator's password and ends its dashboard sessions, all but keep.
	SetPassword(ctx context.Context, o Operator, keep string, e Entry) error
	// AddOperatorSession stores a dashboard session, and deletes those that are not among the live ones.
	AddOperatorSession(ctx context.Context, s Session, live []string, e Entry) error
	// OperatorSessionUsed stores when and from where a dashboard session was last used, some time later.
	OperatorSessionUsed(s Session)
	// EndOperatorSessions deletes dashboard sessions.
	EndOperatorSessions(ctx context.Context, ids []string, e Entry) error
	// AddEntry stores an audit entry alone, or the details of one that is there already.
	AddEntry(ctx context.Context, e Entry) error
}

// Errors of a Store and of an Authority.
var (
	ErrTaken   = errors.New("the name is taken")
	ErrUnknown = errors.New("there is no such token")
)

// Identities are those that can be used at the moment.
type Identities struct {
	// Operator is nil before the first start with a dashboard.
	Operator *Operator
	// Credentials that are not revoked.
	Credentials []Credential
	Sessions    []Session
	// AgentsBefore says that a token for an agent was issued at some time.
	AgentsBefore bool
}

// Operator is the account of the dashboard.
type Operator struct {
	ID string
	// Hash is an Argon2id record of the password, with its parameters.
	Hash string
	// MustChange says that the password is a generated one.
	MustChange bool
}

// Credential is an issued token, without its secret.
type Credential struct {
	ID, Name  string
	Principal string
	Kind      types.PrincipalKind
	// Prefix is how the token begins, for people.
	Prefix string
	// Hash is the SHA-256 of the token.
	Hash      []byte
	CreatedAt time.Time
	CreatedBy string    // "" for the command line
	LastUsed  time.Time // zero when it never was
	RevokedAt time.Time // zero while it is valid
}

// CredentialQuery says which tokens to list.
type CredentialQuery struct {
	Kinds []types.PrincipalKind // all when empty
	// Revoked lists revoked ones as well.
	Revoked bool
	// Text is a part of the name or the prefix; case counts for nothing.
	Text string
	Span
}

// Span is the part of a list that is wanted: so many rows after, or before, the row that is known.
type Span struct {
	// Mark is the last row that is known; nil for the start.
	Mark *Mark
	// Before wants the rows before the mark instead of those after it.
	Before bool
	// Ascending puts the earliest first.
	Ascending bool
	Limit     int
}

// Mark names a row of a list that is sorted by a time.
type Mark struct {
	At time.Time
	ID string
}

// Session is a dashboard session. Its id is the SHA-256 of the cookie's value as hexadecimal digits.
type Session struct {
	ID, Principal string
	Origin
	CreatedAt, LastSeen, Expires time.Time
}

// Actions of audit entries.
const (
	ActionLogin          = "login"
	ActionLogout         = "logout"
	ActionPasswordSeed   = "password.seed"
	ActionPasswordReset  = "password.reset"
	ActionPasswordChange = "password.change"
	ActionSessionRevoke  = "session.revoke"
	ActionTokenCreate    = "token.create"
	ActionTokenRevoke    = "token.revoke"
	ActionGrantCreate    = "grant.create"
)

// Entry is one line of the audit: something that happened to an identity, or was refused.
type Entry struct {
	ID     string
	At     time.Time
	Action string
	OK     bool
	// Principal is whom it happened to; "" when that is not known.
	Principal string
	Actor     Actor
	// Details say more, without secrets.
	Details map[string]string
}
