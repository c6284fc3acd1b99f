package httpapi

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/browserhive/browserhive/gen/api"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
)

// ListTokens lists issued tokens.
func (o operations) ListTokens(ctx context.Context, r api.ListTokensRequestObject) (api.ListTokensResponseObject, error) {
	if err := operatorsOnly(visitOf(ctx).caller, api.ScopeSystemRead); err != nil {
		return nil, err
	}
	l, err := newListing(r.Params.Cursor, r.Params.Limit, r.Params.Sort, r.Params.Dir)
	if err != nil {
		return nil, err
	}
	q := auth.CredentialQuery{Kinds: r.Params.Kind, Revoked: *r.Params.Revoked, Span: l.span()}
	filters := map[string]json.RawMessage{}
	filter(filters, "revoked", q.Revoked)
	if len(q.Kinds) > 0 {
		filter(filters, "kind", q.Kinds)
	}
	if r.Params.Q != nil {
		q.Text = *r.Params.Q
		filter(filters, "q", q.Text)
	}
	rows, more, err := o.opts.Identity.Tokens(ctx, q)
	if err != nil {
		return nil, err
	}
	mark := func(c auth.Credential) cursor { return cursor{At: c.CreatedAt.UnixMilli(), ID: c.ID} }
	out := types.ListTokensPage{
		Data: []types.APIToken{}, Page: page(l, rows, more, mark), Applied: l.applied(filters), Meta: o.meta(),
	}
	for _, c := range rows {
		out.Data = append(out.Data, c.Shown())
	}
	return api.ListTokens200JSONResponse(out), nil
}

// CreateToken issues a token.
func (o operations) CreateToken(ctx context.Context, r api.CreateTokenRequestObject) (api.CreateTokenResponseObject, error) {
	v := visitOf(ctx)
	if err := operatorsOnly(v.caller, api.ScopeSystemWrite); err != nil {
		return nil, err
	}
	token, c, err := o.opts.Identity.CreateToken(ctx, v.caller.By(v.origin), r.Body.Name, r.Body.Kind)
	if errors.Is(err, auth.ErrTaken) {
		return nil, invalid("body.name", "is taken", "taken")
	}
	if err != nil {
		return nil, err
	}
	return api.CreateToken201JSONResponse{Token: token, Credential: c.Shown()}, nil
}

// RevokeToken makes a token invalid.
func (o operations) RevokeToken(ctx context.Context, r api.RevokeTokenRequestObject) (api.RevokeTokenResponseObject, error) {
	v := visitOf(ctx)
	if err := operatorsOnly(v.caller, api.ScopeSystemWrite); err != nil {
		return nil, err
	}
	err := o.opts.Identity.RevokeToken(ctx, v.caller.By(v.origin), r.CredentialID)
	if errors.Is(err, auth.ErrUnknown) {
		return nil, errcode.NotFound{}.Err()
	}
	if err != nil {
		return nil, err
	}
	return api.RevokeToken204Response{}, nil
}

// Resources are what grants open.
type Resources interface {
	// Grantable fails with SESSION_NOT_FOUND, TRACE_UNAVAILABLE or SCREENSHOT_UNAVAILABLE when there is no
	// such resource.
	Grantable(ctx context.Context, route types.GrantRoute, id string) error
}

// CreateGrant makes a grant for one download.
func (o operations) CreateGrant(ctx context.Context, r api.CreateGrantRequestObject) (api.CreateGrantResponseObject, error) {
	v := visitOf(ctx)
	if !v.caller.Holds(api.ScopeSessionsRead) {
		return nil, errcode.Forbidden{Scope: api.ScopeSessionsRead}.Err()
	}
	if err := o.opts.Resources.Grantable(ctx, r.Body.Route, r.Body.ResourceID); err != nil {
		return nil, err
	}
	text, expires, err := o.opts.Identity.CreateGrant(ctx, v.caller, v.origin, r.Body.Route, r.Body.ResourceID)
	if err != nil {
		return nil, err
	}
	return api.CreateGrant201JSONResponse{
		Grant: text, Route: r.Body.Route, ResourceID: r.Body.ResourceID, ExpiresAt: expires.UnixMilli(),
	}, nil
}
