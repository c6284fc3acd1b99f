package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/browserhive/browserhive/gen/api"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
)

// Login begins a dashboard session.
func (o operations) Login(ctx context.Context, r api.LoginRequestObject) (api.LoginResponseObject, error) {
	v := visitOf(ctx)
	if o.opts.Identity == nil {
		return nil, errcode.InvalidCredentials{}.Err()
	}
	value, caller, err := o.opts.Identity.Login(ctx, v.origin, r.Body.Username, r.Body.Password)
	if err != nil {
		return nil, err
	}
	cookie := sessionCookie(value, int(auth.SessionLifetime.Seconds()), v.secure)
	return api.Login200JSONResponse{
		Body: principalOf(caller), Headers: api.Login200ResponseHeaders{SetCookie: &cookie},
	}, nil
}

// sessionCookie is a Set-Cookie header; an age below 0 clears the cookie.
func sessionCookie(value string, age int, secure bool) string {
	c := http.Cookie{ //nolint:gosec // Secure where the client speaks https; on loopback it may not, and would lose the cookie
		Name: Cookie, Value: value, Path: "/", MaxAge: age, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: secure,
	}
	return c.String()
}

// principalOf is a caller as the contract shows it.
func principalOf(c auth.Caller) types.Principal {
	p := types.Principal{
		PrincipalID: c.Principal, Kind: c.Kind, Auth: c.Auth, Scopes: c.Scopes(), MustChangePassword: c.MustChangePassword,
	}
	if !c.Expires.IsZero() {
		expires, idle := c.Expires.UnixMilli(), auth.SessionIdleTimeout.Milliseconds()
		p.SessionExpiresAt, p.IdleTimeoutMs = &expires, &idle
	}
	return p
}

// Logout ends the dashboard session that the request came with.
func (o operations) Logout(ctx context.Context, _ api.LogoutRequestObject) (api.LogoutResponseObject, error) {
	v := visitOf(ctx)
	if err := o.opts.Identity.Logout(ctx, v.caller, v.origin); err != nil {
		return nil, err
	}
	var out api.Logout204Response
	if v.caller.Auth == types.PrincipalAuthCookie {
		cleared := sessionCookie("", -1, v.secure)
		out.Headers.SetCookie = &cleared
	}
	return out, nil
}

// GetMe says who is calling.
func (o operations) GetMe(ctx context.Context, _ api.GetMeRequestObject) (api.GetMeResponseObject, error) {
	return api.GetMe200JSONResponse(principalOf(visitOf(ctx).caller)), nil
}

// ChangePassword replaces the operator's password.
func (o operations) ChangePassword(ctx context.Context, r api.ChangePasswordRequestObject) (api.ChangePasswordResponseObject, error) {
	v := visitOf(ctx)
	if err := operatorsOnly(v.caller, api.ScopeSystemWrite); err != nil {
		return nil, err
	}
	caller, err := o.opts.Identity.ChangePassword(ctx, v.caller, v.origin, r.Body.CurrentPassword, r.Body.NewPassword)
	if errors.Is(err, auth.ErrUnchanged) {
		return nil, invalid("body.new_password", "must differ from the present password", "unchanged")
	}
	if err != nil {
		return nil, err
	}
	return api.ChangePassword200JSONResponse(principalOf(caller)), nil
}

// operatorsOnly refuses everybody else; scope is what they would need.
func operatorsOnly(c auth.Caller, scope string) error {
	if c.Kind == types.PrincipalKindOperator {
		return nil
	}
	return errcode.Forbidden{Scope: scope}.Err()
}

// ListAuthSessions lists the caller's dashboard sessions.
func (o operations) ListAuthSessions(ctx context.Context, r api.ListAuthSessionsRequestObject) (api.ListAuthSessionsResponseObject, error) {
	l, err := newListing(r.Params.Cursor, r.Params.Limit, r.Params.Sort, r.Params.Dir)
	if err != nil {
		return nil, err
	}
	caller := visitOf(ctx).caller
	all := o.opts.Identity.Sessions(caller)
	if l.dir == types.AppliedDirAsc {
		slices.Reverse(all)
	}
	mark := func(s auth.Session) cursor { return cursor{At: s.LastSeen.UnixMilli(), ID: s.ID} }
	rows, more := within(l, all, mark)
	out := types.ListAuthSessionsPage{
		Data: []types.AuthSession{}, Page: page(l, rows, more, mark), Applied: l.applied(map[string]json.RawMessage{}), Meta: o.meta(),
	}
	for _, s := range rows {
		out.Data = append(out.Data, authSessionOf(s, caller.Current(s)))
	}
	return api.ListAuthSessions200JSONResponse(out), nil
}

// authSessionOf is a dashboard session as the contract shows it.
func authSessionOf(s auth.Session, current bool) types.AuthSession {
	return types.AuthSession{
		IDPrefix: s.IDPrefix(), Current: current, RemoteAddr: orNull(s.Address), UserAgent: orNull(s.UserAgent),
		CreatedAt: s.CreatedAt.UnixMilli(), LastSeenAt: s.LastSeen.UnixMilli(),
		IdleExpiresAt: s.LastSeen.Add(auth.SessionIdleTimeout).UnixMilli(), ExpiresAt: s.Expires.UnixMilli(),
	}
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// RevokeAuthSession ends one dashboard session of the caller.
func (o operations) RevokeAuthSession(ctx context.Context, r api.RevokeAuthSessionRequestObject) (api.RevokeAuthSessionResponseObject, error) {
	v := visitOf(ctx)
	found, err := o.opts.Identity.RevokeSession(ctx, v.caller, v.origin, r.IDPrefix)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, errcode.NotFound{}.Err()
	}
	return api.RevokeAuthSession204Response{}, nil
}

// RevokeAllAuthSessions ends the caller's other dashboard sessions.
func (o operations) RevokeAllAuthSessions(ctx context.Context, _ api.RevokeAllAuthSessionsRequestObject) (api.RevokeAllAuthSessionsResponseObject, error) {
	v := visitOf(ctx)
	n, err := o.opts.Identity.RevokeOtherSessions(ctx, v.caller, v.origin)
	if err != nil {
		return nil, err
	}
	return api.RevokeAllAuthSessions200JSONResponse{Revoked: int64(n)}, nil
}
