package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/browserhive/browserhive/gen/ent"
	"github.com/browserhive/browserhive/gen/ent/credential"
	"github.com/browserhive/browserhive/gen/ent/operatorsession"
	"github.com/browserhive/browserhive/gen/ent/predicate"
	"github.com/browserhive/browserhive/gen/ent/principal"
	"github.com/browserhive/browserhive/gen/ent/row"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
)

// The tables that identities go to, as lost rows are counted.
const (
	tablePrincipals  = "principals"
	tableCredentials = "credentials"
	tableOperators   = "operator_sessions"
	tableAudit       = "auth_audit"
)

var _ auth.Store = (*Store)(nil)

// Identities implements auth.Store.
func (s *Store) Identities(ctx context.Context) (known auth.Identities, err error) {
	operator, err := s.client.Principal.Query().Where(principal.PasswordHashNotNil()).First(ctx)
	switch {
	case ent.IsNotFound(err):
	case err != nil:
		return known, err
	default:
		known.Operator = &auth.Operator{ID: operator.ID, Hash: *operator.PasswordHash, MustChange: operator.MustChangePassword}
	}
	credentials, err := s.client.Credential.Query().Where(credential.RevokedAtIsNil()).All(ctx)
	if err != nil {
		return known, err
	}
	for _, row := range credentials {
		known.Credentials = append(known.Credentials, credentialOf(row))
	}
	sessions, err := s.client.OperatorSession.Query().All(ctx)
	if err != nil {
		return known, err
	}
	for _, row := range sessions {
		known.Sessions = append(known.Sessions, auth.Session{
			ID: row.ID, Principal: row.PrincipalID, Origin: auth.Origin{Address: text(row.RemoteAddr), UserAgent: text(row.UserAgent)},
			CreatedAt: time.UnixMilli(row.CreatedAt), LastSeen: time.UnixMilli(row.LastSeenAt), Expires: time.UnixMilli(row.ExpiresAt),
		})
	}
	known.AgentsBefore, err = s.client.Credential.Query().Where(credential.Kind(string(types.PrincipalKindAgent))).Exist(ctx)
	return known, err
}

// AddCredential implements auth.Store.
func (s *Store) AddCredential(ctx context.Context, c auth.Credential, e auth.Entry) error {
	return s.writer.commit(ctx, tableCredentials, func(ctx context.Context, tx *ent.Tx) error {
		taken, err := tx.Credential.Query().Where(credential.Name(c.Name), credential.RevokedAtIsNil()).Exist(ctx)
		if err != nil {
			return err
		}
		owner, err := tx.Principal.Get(ctx, c.Principal)
		switch {
		case ent.IsNotFound(err):
			err = tx.Principal.Create().SetID(c.Principal).SetKind(string(c.Kind)).SetCreatedAt(c.CreatedAt.UnixMilli()).Exec(ctx)
		case err == nil && (taken || owner.Kind != string(c.Kind)):
			return auth.ErrTaken
		}
		if err != nil {
			return err
		}
		err = tx.Credential.Create().
			SetID(c.ID).SetPrincipalID(c.Principal).SetName(c.Name).SetKind(string(c.Kind)).SetPrefix(c.Prefix).SetHash(c.Hash).
			SetCreatedAt(c.CreatedAt.UnixMilli()).SetNillableCreatedBy(optional(c.CreatedBy)).
			Exec(ctx)
		if err != nil {
			return err
		}
		return audited(ctx, tx, e)
	})
}

// RevokeCredential implements auth.Store.
func (s *Store) RevokeCredential(ctx context.Context, id string, e auth.Entry) error {
	return s.writer.commit(ctx, tableCredentials, func(ctx context.Context, tx *ent.Tx) error {
		row, err := tx.Credential.Query().Where(credential.ID(id), credential.RevokedAtIsNil()).Only(ctx)
		if ent.IsNotFound(err) {
			return auth.ErrUnknown
		}
		if err != nil {
			return err
		}
		if err := row.Update().SetRevokedAt(e.At.UnixMilli()).Exec(ctx); err != nil {
			return err
		}
		e.Principal = row.PrincipalID
		return audited(ctx, tx, e)
	})
}

// CredentialUsed implements auth.Store.
func (s *Store) CredentialUsed(id string, at time.Time) {
	s.writer.add(tableCredentials, func(ctx context.Context, tx *ent.Tx) error {
		return tx.Credential.Update().Where(credential.ID(id)).SetLastUsedAt(at.UnixMilli()).Exec(ctx)
	})
}

// Credentials implements auth.Store.
func (s *Store) Credentials(ctx context.Context, q auth.CredentialQuery) (list []auth.Credential, more bool, err error) {
	query := s.client.Credential.Query()
	if len(q.Kinds) > 0 {
		var kinds []string
		for _, k := range q.Kinds {
			kinds = append(kinds, string(k))
		}
		query.Where(credential.KindIn(kinds...))
	}
	if !q.Revoked {
		query.Where(credential.RevokedAtIsNil())
	}
	if q.Text != "" {
		query.Where(credential.Or(credential.NameContainsFold(q.Text), credential.PrefixContainsFold(q.Text)))
	}
	ascending := q.Ascending != q.Before // What lies before the mark is read from the mark on.
	if q.Mark != nil {
		query.Where(beyond(*q.Mark, ascending))
	}
	order := sql.OrderDesc()
	if ascending {
		order = sql.OrderAsc()
	}
	rows, err := query.Order(credential.ByCreatedAt(order), credential.ByID(order)).Limit(q.Limit + 1).All(ctx)
	if err != nil {
		return nil, false, err
	}
	if more = len(rows) > q.Limit; more {
		rows = rows[:q.Limit]
	}
	for _, row := range rows {
		list = append(list, credentialOf(row))
	}
	if q.Before {
		slices.Reverse(list)
	}
	return list, more, nil
}

// beyond selects the tokens after a mark in an order.
func beyond(m auth.Mark, ascending bool) predicate.Credential {
	compare := sql.CompositeLT // As one comparison, so that the index is read from the mark on.
	if ascending {
		compare = sql.CompositeGT
	}
	return func(s *sql.Selector) {
		s.Where(compare([]string{s.C(credential.FieldCreatedAt), s.C(credential.FieldID)}, m.At.UnixMilli(), m.ID))
	}
}

// SetPassword implements auth.Store.
func (s *Store) SetPassword(ctx context.Context, o auth.Operator, keep string, e auth.Entry) error {
	return s.writer.commit(ctx, tablePrincipals, func(ctx context.Context, tx *ent.Tx) error {
		at := e.At.UnixMilli()
		n, err := tx.Principal.Update().Where(principal.ID(o.ID)).
			SetPasswordHash(o.Hash).SetMustChangePassword(o.MustChange).SetPasswordChangedAt(at).
			Save(ctx)
		if err == nil && n == 0 {
			err = tx.Principal.Create().SetID(o.ID).SetKind(string(types.PrincipalKindOperator)).SetCreatedAt(at).
				SetPasswordHash(o.Hash).SetMustChangePassword(o.MustChange).SetPasswordChangedAt(at).
				Exec(ctx)
		}
		if err != nil {
			return err
		}
		_, err = tx.OperatorSession.Delete().
			Where(operatorsession.PrincipalID(o.ID), operatorsession.IDNEQ(keep)).Exec(ctx)
		if err != nil {
			return err
		}
		return audited(ctx, tx, e)
	})
}

// AddOperatorSession implements auth.Store.
func (s *Store) AddOperatorSession(ctx context.Context, one auth.Session, live []string, e auth.Entry) error {
	return s.writer.commit(ctx, tableOperators, func(ctx context.Context, tx *ent.Tx) error {
		if _, err := tx.OperatorSession.Delete().Where(operatorsession.IDNotIn(live...)).Exec(ctx); err != nil {
			return err
		}
		err := tx.OperatorSession.Create().
			SetID(one.ID).SetPrincipalID(one.Principal).
			SetNillableRemoteAddr(optional(one.Address)).SetNillableUserAgent(optional(one.UserAgent)).
			SetCreatedAt(one.CreatedAt.UnixMilli()).SetLastSeenAt(one.LastSeen.UnixMilli()).SetExpiresAt(one.Expires.UnixMilli()).
			Exec(ctx)
		if err != nil {
			return err
		}
		return audited(ctx, tx, e)
	})
}

// OperatorSessionUsed implements auth.Store.
func (s *Store) OperatorSessionUsed(one auth.Session) {
	s.writer.add(tableOperators, func(ctx context.Context, tx *ent.Tx) error {
		return tx.OperatorSession.Update().Where(operatorsession.ID(one.ID)).SetLastSeenAt(one.LastSeen.UnixMilli()).
			SetNillableRemoteAddr(optional(one.Address)).SetNillableUserAgent(optional(one.UserAgent)).
			Exec(ctx)
	})
}

// EndOperatorSessions implements auth.Store.
func (s *Store) EndOperatorSessions(ctx context.Context, ids []string, e auth.Entry) error {
	return s.writer.commit(ctx, tableOperators, func(ctx context.Context, tx *ent.Tx) error {
		if _, err := tx.OperatorSession.Delete().Where(operatorsession.IDIn(ids...)).Exec(ctx); err != nil {
			return err
		}
		return audited(ctx, tx, e)
	})
}

// AddEntry implements auth.Store.
func (s *Store) AddEntry(ctx context.Context, e auth.Entry) error {
	return s.writer.commit(ctx, tableAudit, func(ctx context.Context, tx *ent.Tx) error {
		entry, err := auditRow(e)
		if err != nil {
			return err
		}
		statement, args := entry.Insert()
		return execute(ctx, tx, statement+" ON CONFLICT (id) DO UPDATE SET details = excluded.details", args...)
	})
}

// audited adds an audit entry to a transaction.
func audited(ctx context.Context, tx *ent.Tx, e auth.Entry) error {
	entry, err := auditRow(e)
	if err != nil {
		return err
	}
	return insert(ctx, tx, entry)
}

func auditRow(e auth.Entry) (row.AuthAudit, error) {
	details := e.Details
	if e.Actor.UserAgent != "" {
		details = map[string]string{"user_agent": e.Actor.UserAgent}
		for k, v := range e.Details {
			details[k] = v
		}
	}
	entry := row.AuthAudit{
		ID: e.ID, Ts: e.At.UnixMilli(), Action: e.Action, Ok: e.OK, PrincipalID: optional(e.Principal),
		Actor: optional(e.Actor.Principal), RemoteAddr: optional(e.Actor.Address),
	}
	if details != nil {
		raw, err := json.Marshal(details)
		if err != nil {
			return entry, fmt.Errorf("details of an audit entry: %w", err)
		}
		entry.Details = raw
	}
	return entry, nil
}

// credentialOf is a row as the rules see it.
func credentialOf(row *ent.Credential) auth.Credential {
	c := auth.Credential{
		ID: row.ID, Name: row.Name, Principal: row.PrincipalID, Kind: types.PrincipalKind(row.Kind), Prefix: row.Prefix,
		Hash: row.Hash, CreatedAt: time.UnixMilli(row.CreatedAt), CreatedBy: text(row.CreatedBy),
	}
	if row.LastUsedAt != nil {
		c.LastUsed = time.UnixMilli(*row.LastUsedAt)
	}
	if row.RevokedAt != nil {
		c.RevokedAt = time.UnixMilli(*row.RevokedAt)
	}
	return c
}

// optional is nil for "".
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// text is "" for nil.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
