package auth

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/browserhive/browserhive/gen/types"
)

// How long a dashboard session lasts without use, and in all.
const (
	SessionIdleTimeout = 15 * time.Minute
	SessionLifetime    = 8 * time.Hour
)

// maxSessions is how many dashboard sessions an operator may have; with one more the one that was idle the
// longest ends.
const maxSessions = 64

// idPrefix is how much of a session's id names it: 64 bits among 64 sessions.
const idPrefix = 16

// userAgentLength bounds what is kept of a client's description, in bytes.
const userAgentLength = 512

// session is a dashboard session that is not revoked.
type session struct {
	Session
	live   context.Context
	end    context.CancelFunc
	noted  time.Time
	forget func() // nil until the cookie is known
}

func newSession(s Session) *session {
	one := &session{Session: s, noted: s.LastSeen}
	one.live, one.end = context.WithCancel(context.Background())
	return one
}

// over reports whether the session has expired.
func (s *Session) over(now time.Time) bool {
	return !now.Before(s.Expires) || now.Sub(s.LastSeen) >= SessionIdleTimeout
}

// IDPrefix is the start of the session's id that names it.
func (s *Session) IDPrefix() string { return s.ID[:min(idPrefix, len(s.ID))] }

// newCookie generates the value of a cookie, of 260 bits, and the id of its session.
func newCookie() (value, id string) {
	value = rand.Text() + rand.Text()
	return value, idOf(value)
}

func idOf(cookie string) string { return hex.EncodeToString(hashOf(cookie)) }

// clipped is a client's own words, within bounds.
func (o Origin) clipped() Origin {
	if len(o.UserAgent) > userAgentLength {
		o.UserAgent = strings.ToValidUTF8(o.UserAgent[:userAgentLength], "")
	}
	return o
}

// clean is a client's own words without secrets, within bounds.
func (a *Authority) clean(o Origin) Origin {
	o.UserAgent = a.opts.Secrets.Scrub(o.UserAgent)
	return o.clipped()
}

// Cookie returns the operator that the cookie of a dashboard session proves, and counts as its use.
func (a *Authority) Cookie(value string, from Origin) (Caller, bool) {
	id, now := idOf(value), time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.sessions[id]
	if s == nil || a.operator == nil {
		return Caller{}, false
	}
	if s.over(now) {
		a.drop(s)
		return Caller{}, false
	}
	if s.forget == nil {
		s.forget = a.opts.Secrets.Add(value)
	}
	s.LastSeen, s.Origin = now, from.clipped()
	if now.Sub(s.noted) >= useInterval {
		s.noted = now
		a.opts.Store.OperatorSessionUsed(s.Session)
	}
	return a.caller(s), true
}

// caller is the operator that a session stands for. The caller holds the lock.
func (a *Authority) caller(s *session) Caller {
	return Caller{
		Principal: s.Principal, Kind: types.PrincipalKindOperator, Auth: types.PrincipalAuthCookie,
		MustChangePassword: a.operator.MustChange, Expires: s.Expires, Live: s.live, proof: s.ID,
	}
}

// drop ends a session in memory. The caller holds the lock.
func (a *Authority) drop(s *session) {
	s.end()
	if s.forget != nil {
		s.forget()
	}
	delete(a.sessions, s.ID)
	a.dropGrants(s.ID)
}

// dropWhere ends the sessions that a rule names, and returns their ids.
func (a *Authority) dropWhere(rule func(*session) bool) (ids []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, s := range a.sessions {
		if rule(s) {
			a.drop(s)
			ids = append(ids, id)
		}
	}
	return ids
}

// Sessions lists the dashboard sessions of a caller, the one last used first. Current reports whether one of
// them is the caller's own.
func (a *Authority) Sessions(c Caller) []Session {
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []Session
	for _, s := range a.sessions {
		if s.Principal == c.Principal && !s.over(now) {
			out = append(out, s.Session)
		}
	}
	slices.SortFunc(out, func(x, y Session) int {
		return cmp.Or(cmp.Compare(y.LastSeen.UnixMilli(), x.LastSeen.UnixMilli()), strings.Compare(y.ID, x.ID))
	})
	return out
}

// Current reports whether the caller proved itself with this session.
func (c Caller) Current(s Session) bool { return c.proof == s.ID }

// Logout ends the dashboard session of the caller; for a token it does nothing.
func (a *Authority) Logout(ctx context.Context, c Caller, from Origin) error {
	if c.Auth != types.PrincipalAuthCookie {
		return nil
	}
	return a.end(ctx, c, from, ActionLogout, func(s *session) bool { return s.ID == c.proof })
}

// RevokeSession ends the one dashboard session of the caller whose id begins so, and reports whether there
// is exactly one.
func (a *Authority) RevokeSession(ctx context.Context, c Caller, from Origin, prefix string) (bool, error) {
	found := ""
	for _, s := range a.Sessions(c) {
		if strings.HasPrefix(s.ID, prefix) {
			if found != "" {
				return false, nil
			}
			found = s.ID
		}
	}
	if found == "" {
		return false, nil
	}
	return true, a.end(ctx, c, from, ActionSessionRevoke, func(s *session) bool { return s.ID == found })
}

// RevokeOtherSessions ends every dashboard session of the caller but its own, and returns how many.
func (a *Authority) RevokeOtherSessions(ctx context.Context, c Caller, from Origin) (n int, err error) {
	n = len(slices.DeleteFunc(a.Sessions(c), c.Current))
	return n, a.end(ctx, c, from, ActionSessionRevoke, func(s *session) bool {
		return s.Principal == c.Principal && s.ID != c.proof
	})
}

// end ends sessions, in memory first: even when the disk takes nothing, nobody goes on with them.
func (a *Authority) end(ctx context.Context, c Caller, from Origin, action string, rule func(*session) bool) error {
	ids := a.dropWhere(rule)
	if len(ids) == 0 {
		return nil
	}
	ctx, done := storing(ctx)
	defer done()
	e := entry(action, true, c.Principal, c.By(from))
	if err := a.opts.Store.EndOperatorSessions(ctx, ids, e); err != nil {
		return err
	}
	a.tell(e)
	return nil
}

// By is the caller as an audit entry names it.
func (c Caller) By(from Origin) Actor { return Actor{c.Principal, from.clipped()} }
