package auth

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
)

// ErrUnchanged is the outcome of a change to the present password.
var ErrUnchanged = errors.New("the new password is the present one")

// limited is the answer to whoever has to wait.
func limited(wait time.Duration) error {
	return errcode.RateLimited{RetryAfterMs: max(1, wait.Milliseconds())}.Err()
}

// Login checks the operator's password and begins a dashboard session. It fails with INVALID_CREDENTIALS,
// and with RATE_LIMITED after too many failures.
func (a *Authority) Login(ctx context.Context, from Origin, name, password string) (cookie string, c Caller, err error) {
	if wait := a.attempts.take(from.Address); wait > 0 {
		return "", Caller{}, a.refuse(ctx, ActionLogin, reasonLimit, Actor{Origin: a.clean(from)}, limited(wait))
	}
	// Within the limit alone: anybody can send a common word, and what is known as a secret vanishes everywhere.
	defer a.opts.Secrets.Add(password)()
	from = a.clean(from)
	a.mu.Lock()
	account := a.operator
	a.mu.Unlock()
	record := absent
	if account != nil {
		record = account.Hash
	}
	// A wrong name costs what a wrong password does, so that time does not tell them apart.
	right, err := a.hasher.matches(ctx, password, record)
	if err != nil {
		return "", Caller{}, err
	}
	if !right || account == nil || name != account.ID {
		return "", Caller{}, a.refuse(ctx, ActionLogin, reasonPassword, Actor{Origin: from}, errcode.InvalidCredentials{}.Err())
	}
	a.attempts.succeeded(from.Address)
	return a.begin(ctx, from, account)
}

// begin makes a dashboard session of the account.
func (a *Authority) begin(ctx context.Context, from Origin, account *Operator) (string, Caller, error) {
	cookie, id := newCookie()
	now := time.Now()
	s := newSession(Session{
		ID: id, Principal: account.ID, Origin: from, CreatedAt: now, LastSeen: now, Expires: now.Add(SessionLifetime),
	})
	s.forget = a.opts.Secrets.Add(cookie)
	a.mu.Lock()
	if a.operator != account { // The password was changed meanwhile.
		a.mu.Unlock()
		s.forget()
		return "", Caller{}, errcode.InvalidCredentials{}.Err()
	}
	a.makeRoom(now)
	a.sessions[id] = s
	live := slices.Collect(maps.Keys(a.sessions))
	c := a.caller(s)
	a.mu.Unlock()
	ctx, done := storing(ctx)
	defer done()
	e := entry(ActionLogin, true, account.ID, Actor{account.ID, s.Origin}, forced(account)...)
	if err := a.opts.Store.AddOperatorSession(ctx, s.Session, live, e); err != nil {
		a.dropWhere(func(one *session) bool { return one == s })
		return "", Caller{}, err
	}
	a.tell(e)
	return cookie, c, nil
}

// forced are the details of an entry about an account whose password has to be changed.
func forced(account *Operator) []string {
	if account.MustChange {
		return []string{"must_change_password", "true"}
	}
	return nil
}

// makeRoom ends what is over, and what was idle the longest when there are too many. The caller holds the
// lock.
func (a *Authority) makeRoom(now time.Time) {
	for _, s := range a.sessions {
		if s.over(now) {
			a.drop(s)
		}
	}
	for len(a.sessions) >= maxSessions {
		var idlest *session
		for _, s := range a.sessions {
			if idlest == nil || s.LastSeen.Before(idlest.LastSeen) {
				idlest = s
			}
		}
		a.drop(idlest)
	}
}

// ChangePassword replaces the operator's password, erases the file of a generated one, and ends every
// dashboard session but the caller's. The caller is an operator. It fails with BAD_CURRENT_PASSWORD,
// RATE_LIMITED after too many of those, and ErrUnchanged.
func (a *Authority) ChangePassword(ctx context.Context, c Caller, from Origin, current, next string) (Caller, error) {
	defer a.opts.Secrets.Add(current, next)()
	from = a.clean(from)
	if wait := a.changes.Take(c.proof); wait > 0 {
		return Caller{}, a.refuse(ctx, ActionPasswordChange, reasonLimit, c.By(from), limited(wait))
	}
	a.mu.Lock()
	account := a.operator
	a.mu.Unlock()
	if account == nil {
		return Caller{}, errcode.BadCurrentPassword{}.Err()
	}
	right, err := a.hasher.matches(ctx, current, account.Hash)
	if err != nil {
		return Caller{}, err
	}
	if !right {
		return Caller{}, a.refuse(ctx, ActionPasswordChange, reasonPassword, c.By(from), errcode.BadCurrentPassword{}.Err())
	}
	a.changes.Return(c.proof)
	if current == next {
		return Caller{}, ErrUnchanged
	}
	record, err := a.hasher.record(ctx, next)
	if err != nil {
		return Caller{}, err
	}
	changed := &Operator{ID: account.ID, Hash: record}
	a.mu.Lock()
	if a.operator != account { // Somebody else was faster.
		a.mu.Unlock()
		return Caller{}, errcode.BadCurrentPassword{}.Err()
	}
	a.operator = changed
	a.mu.Unlock()
	ctx, done := storing(ctx)
	defer done()
	e := entry(ActionPasswordChange, true, account.ID, c.By(from), forced(account)...)
	if err := a.opts.Store.SetPassword(ctx, *changed, c.proof, e); err != nil {
		a.mu.Lock()
		a.operator = account
		a.mu.Unlock()
		return Caller{}, err
	}
	a.dropWhere(func(s *session) bool { return s.Principal == account.ID && s.ID != c.proof })
	a.tell(e)
	if err := a.opts.Seed.Erase(); err != nil {
		// The password in it is no longer valid, and the next start tries again.
		a.opts.Log.Warn("the file of the generated password was not erased", "err", err)
	}
	c.MustChangePassword = false
	return c, nil
}

// SetPassword replaces the operator's password, or makes the account, without the present password, and ends every
// dashboard session. It erases the file of a generated one. It is for a command that has the data directory for
// itself.
func (a *Authority) SetPassword(ctx context.Context, next string) error {
	defer a.opts.Secrets.Add(next)()
	record, err := a.hasher.record(ctx, next)
	if err != nil {
		return err
	}
	account := &Operator{ID: Admin, Hash: record}
	ctx, done := storing(ctx)
	defer done()
	e := entry(ActionPasswordChange, true, Admin, Actor{})
	if err := a.opts.Store.SetPassword(ctx, *account, "", e); err != nil {
		return err
	}
	a.mu.Lock()
	a.operator = account
	a.mu.Unlock()
	a.dropWhere(func(s *session) bool { return s.Principal == Admin })
	a.tell(e)
	return a.opts.Seed.Erase() // The password in it is no longer valid; the next start tries again.
}

// seedText is what the file of a generated password holds.
func seedText(password string) string {
	return "User name: " + Admin + "\nPassword:  " + password + "\n"
}

var seedForm = regexp.MustCompile(`^User name: \S+\r?\n+Password: +(\S+)\s*$`)

// SeedPassword is the password in the text of such a file.
func SeedPassword(text string) (password string, ok bool) {
	m := seedForm.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// ResetPassword replaces the operator's password by a generated one, which has to be changed at the next
// sign-in, and ends every dashboard session. The password stands in file too.
func (a *Authority) ResetPassword(ctx context.Context) (password, file string, err error) {
	return a.seed(ctx, ActionPasswordReset)
}

// seed generates the operator's password. It stands in a file before it is valid: a password that is stored
// and that nobody has seen would lock the owner out. The file of the old one goes only afterwards, so that a
// full disk costs neither.
func (a *Authority) seed(ctx context.Context, action string) (password, file string, err error) {
	password = newSeed()
	a.opts.Secrets.Add(password)
	record, err := a.hasher.record(ctx, password)
	if err != nil {
		return "", "", err
	}
	if err := a.opts.Seed.Prepare(seedText(password)); err != nil {
		return "", "", fmt.Errorf("write the generated password: %w", err)
	}
	account := &Operator{ID: Admin, Hash: record, MustChange: true}
	ctx, done := storing(ctx)
	defer done()
	e := entry(action, true, Admin, Actor{})
	if err := a.opts.Store.SetPassword(ctx, *account, "", e); err != nil {
		if ctx.Err() == nil { // Else it may still become valid, and what holds it has to stay.
			err = errors.Join(err, a.opts.Seed.Discard())
		}
		return "", "", err
	}
	if file, err = a.opts.Seed.Place(); err != nil {
		a.opts.Log.Warn("the file of the generated password was not replaced", "path", file, "err", err)
	}
	a.mu.Lock()
	a.operator = account
	a.mu.Unlock()
	a.dropWhere(func(s *session) bool { return s.Principal == Admin })
	a.tell(e)
	return password, file, nil
}
