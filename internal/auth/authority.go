package auth

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/secret"
)

// The names that exist on every server.
const (
	// Admin is the operator's account.
	Admin = "admin"
	// FirstAgent is the principal of the token that the first start makes.
	FirstAgent = "agent-1"
)

// SeedFile keeps a generated password until it is changed.
type SeedFile interface {
	// Prepare stores the text beside the file, for the owner alone.
	Prepare(text string) error
	// Place puts what was prepared in the place of the file. It returns where the text stands, also when it
	// fails.
	Place() (path string, err error)
	// Discard erases what was prepared.
	Discard() error
	// Erase overwrites and removes all of it; no file is no error.
	Erase() error
}

// Options are what an Authority is made of.
type Options struct {
	Store Store
	Seed  SeedFile
	// Tokens are name:token pairs that are valid beside the stored ones and never stored.
	Tokens []string
	// Agents makes the first token when there is none; Dashboard makes the operator's account when there is
	// none.
	Agents, Dashboard bool
	// Secrets hears of every secret that is made or shown to the authority.
	Secrets *secret.Redactor
	// Log hears of every audit entry; nil discards.
	Log *slog.Logger
}

// Authority knows who may call, and issues what proves it. Its methods may be called from several
// goroutines.
type Authority struct {
	opts     Options
	hasher   hasher
	attempts *attempts
	// changes limits guesses of the present password, by caller.
	changes  *Limiter
	refusals refusals

	mu       sync.Mutex
	tokens   map[[sha256.Size]byte]*token
	operator *Operator // nil without a dashboard
	sessions map[string]*session
	grants   map[[sha256.Size]byte]*grant
}

// First is what a first start made. Each is shown to the operator once.
type First struct {
	// Token of FirstAgent, "" when none was made.
	Token string
	// Password of Admin, "" when none was made, and the file that has it too.
	Password, File string
}

// storeTimeout bounds a change that has to be on the disk. It does not end with the request that asked for it:
// what is under way is not left half done because a client went away.
const storeTimeout = 10 * time.Second

func storing(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
}

// Open reads who may call, and makes what a first start needs.
func Open(ctx context.Context, o Options) (*Authority, First, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	a := &Authority{
		opts: o, hasher: newHasher(), attempts: newAttempts(), changes: NewLimiter(addressBurst, addressInterval, maxAddresses),
		tokens: map[[sha256.Size]byte]*token{}, sessions: map[string]*session{}, grants: map[[sha256.Size]byte]*grant{},
	}
	known, err := o.Store.Identities(ctx)
	if err != nil {
		return nil, First{}, fmt.Errorf("read who may call: %w", err)
	}
	if err := a.configure(o.Tokens); err != nil {
		return nil, First{}, err
	}
	for _, c := range known.Credentials {
		a.admit(c)
	}
	for _, s := range known.Sessions {
		a.sessions[s.ID] = newSession(s)
	}
	a.operator = known.Operator
	var first First
	if o.Agents && !known.AgentsBefore && len(o.Tokens) == 0 {
		if first.Token, _, err = a.CreateToken(ctx, Actor{}, FirstAgent, types.PrincipalKindAgent); err != nil {
			return nil, First{}, fmt.Errorf("make the first token: %w", err)
		}
	}
	switch {
	case a.operator == nil && o.Dashboard:
		first.Password, first.File, err = a.seed(ctx, ActionPasswordSeed)
	case a.operator != nil && !a.operator.MustChange:
		err = o.Seed.Erase() // What a change that was cut short left.
	}
	if err != nil {
		return nil, First{}, err
	}
	return a, first, nil
}

// configure adds the tokens of the configuration. Its errors never quote a token.
func (a *Authority) configure(pairs []string) error {
	for i, pair := range pairs {
		name, text, ok := strings.Cut(pair, ":")
		if !ok || name == "" || text == "" {
			return fmt.Errorf("token %d is not written name:token", i+1)
		}
		a.opts.Secrets.Add(text)
		t := a.admit(Credential{Name: name, Principal: name, Kind: types.PrincipalKindAgent, Hash: hashOf(text)})
		t.configured = true
	}
	return nil
}

// entry begins an audit entry.
func entry(action string, ok bool, principal string, by Actor, details ...string) Entry {
	e := Entry{
		ID: uuid.Must(uuid.NewV7()).String(), At: time.Now(), Action: action, OK: ok, Principal: principal, Actor: by,
	}
	for i := 0; i+1 < len(details); i += 2 {
		if e.Details == nil {
			e.Details = map[string]string{}
		}
		e.Details[details[i]] = details[i+1]
	}
	return e
}

// tell logs what an entry says, once it is stored.
func (a *Authority) tell(e Entry) {
	level := slog.LevelInfo
	if !e.OK {
		level = slog.LevelWarn
	}
	a.opts.Log.Log(context.Background(), level, "identity", "action", e.Action, "ok", e.OK, "principal", e.Principal,
		"actor", e.Actor.Principal, "address", e.Actor.Address)
}

// errFull is the outcome when more is asked for than the authority keeps.
var errFull = errors.New("too many")
