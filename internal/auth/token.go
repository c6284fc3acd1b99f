package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
)

// tokenStart begins every token, so that people and scanners know one when they see it.
const tokenStart = "bh_"

// tokenLength is the length of every token.
const tokenLength = len(tokenStart) + 52

// prefixLength is how much of a token is public: enough to tell two apart, and far too little to guess one.
const prefixLength = 8

// newToken generates a token of 260 bits.
func newToken() string { return tokenStart + strings.ToLower(rand.Text()+rand.Text()) }

func hashOf(text string) []byte {
	h := sha256.Sum256([]byte(text))
	return h[:]
}

// token is a credential that is valid.
type token struct {
	Credential
	// live ends when the token is revoked.
	live context.Context
	end  context.CancelFunc
	// configured tokens are not stored.
	configured bool
	// noted is when its use was last stored.
	noted time.Time
	// forget takes its text from the redactor; nil until the text is known.
	forget func()
}

// useInterval is how often the last use of a token or a dashboard session is stored: often enough for people.
const useInterval = time.Minute

// admit makes a credential valid.
func (a *Authority) admit(c Credential) *token {
	t := &token{Credential: c}
	t.live, t.end = context.WithCancel(context.Background())
	a.tokens[[sha256.Size]byte(c.Hash)] = t
	return t
}

// Bearer returns the caller that a token proves.
//
// The look-up is a map of SHA-256 hashes. How long it takes may tell something of the hash, but nobody can
// choose a token by its hash, so it tells nothing of a token.
func (a *Authority) Bearer(text string) (Caller, bool) {
	key := sha256.Sum256([]byte(text))
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.tokens[key]
	if t == nil {
		return Caller{}, false
	}
	if t.forget == nil {
		t.forget = a.opts.Secrets.Add(text)
	}
	if !t.configured && now.Sub(t.noted) >= useInterval {
		t.noted = now
		a.opts.Store.CredentialUsed(t.ID, now)
	}
	return Caller{
		Principal: t.Principal, Kind: t.Kind, Auth: types.PrincipalAuthBearer, Live: t.live, proof: t.ID,
	}, true
}

// maxTokens is how many tokens may be valid at once. They are kept in memory, some hundred bytes each.
const maxTokens = 10000

// CreateToken issues a token under a name that no other valid token has. Its text is in the answer alone.
// It fails with ErrTaken, and with RATE_LIMITED when there are too many.
func (a *Authority) CreateToken(ctx context.Context, by Actor, name string, kind types.PrincipalKind) (string, Credential, error) {
	if err := a.free(name); err != nil {
		return "", Credential{}, err
	}
	text := newToken()
	forget := a.opts.Secrets.AddFor(by.Principal, text) // Who is shown it.
	c := Credential{
		ID: uuid.Must(uuid.NewV7()).String(), Name: name, Principal: name, Kind: kind, Prefix: text[:prefixLength],
		Hash: hashOf(text), CreatedAt: time.Now(), CreatedBy: by.Principal,
	}
	ctx, done := storing(ctx)
	defer done()
	e := entry(ActionTokenCreate, true, name, by, "credential_id", c.ID, "kind", string(kind), "prefix", c.Prefix)
	if err := a.opts.Store.AddCredential(ctx, c, e); err != nil {
		forget()
		return "", Credential{}, err
	}
	a.mu.Lock()
	a.admit(c).forget = forget
	a.mu.Unlock()
	a.tell(e)
	return text, c, nil
}

// free reports whether a token may have the name, as far as the authority knows.
func (a *Authority) free(name string) error {
	if name == Local || name == Admin {
		return ErrTaken // It would own what is not its own.
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.tokens) >= maxTokens {
		return errcode.RateLimited{RetryAfterMs: time.Hour.Milliseconds()}.Err().Because(errFull)
	}
	for _, t := range a.tokens {
		if t.Name == name {
			return ErrTaken
		}
	}
	return nil
}

// RevokeToken makes a token invalid, at once and for what it has under way. It fails with ErrUnknown when no
// valid token that is stored has the id.
func (a *Authority) RevokeToken(ctx context.Context, by Actor, id string) error {
	// In memory first: even when the disk takes nothing, nobody goes on with it.
	a.dismiss(id)
	ctx, done := storing(ctx)
	defer done()
	e := entry(ActionTokenRevoke, true, "", by, "credential_id", id)
	if err := a.opts.Store.RevokeCredential(ctx, id, e); err != nil {
		return err
	}
	a.tell(e)
	return nil
}

// dismiss takes a stored token from the valid ones, and ends what it has under way.
func (a *Authority) dismiss(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for key, t := range a.tokens {
		if t.configured || t.ID != id {
			continue
		}
		t.end()
		if t.forget != nil {
			t.forget()
		}
		delete(a.tokens, key)
		a.dropGrants(id)
	}
}

// Tokens lists issued tokens, and says whether more follow. Those of the configuration are not among them.
func (a *Authority) Tokens(ctx context.Context, q CredentialQuery) ([]Credential, bool, error) {
	return a.opts.Store.Credentials(ctx, q)
}

// Shown is the credential as the contract shows it.
func (c Credential) Shown() types.APIToken {
	t := types.APIToken{
		CredentialID: c.ID, Name: c.Name, Kind: c.Kind, PrincipalID: c.Principal, Prefix: c.Prefix, CreatedAt: c.CreatedAt.UnixMilli(),
		LastUsedAt: moment(c.LastUsed), RevokedAt: moment(c.RevokedAt),
	}
	if c.CreatedBy != "" {
		t.CreatedBy = &c.CreatedBy
	}
	return t
}

// moment is null for a time that never was.
func moment(t time.Time) *types.Timestamp {
	if t.IsZero() {
		return nil
	}
	at := t.UnixMilli()
	return &at
}

// IsToken reports whether a text has the form of a token that this program issues.
func IsToken(text string) bool {
	return len(text) == tokenLength && strings.HasPrefix(text, tokenStart)
}
