package toolset

import (
	"context"

	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/session"
)

func (h *handlers) LaunchSession(ctx context.Context, a tools.LaunchSessionArgs) (*types.SessionSummary, error) {
	q := launch(a)
	q.Client, q.Secrets = h.client(ctx), keepOf(ctx)
	s, err := h.Sessions.Launch(ctx, caller(ctx), q)
	if err != nil {
		return nil, err
	}
	sum := s.Summary()
	return &sum, nil
}

// launch is what the arguments ask for.
func launch(a tools.LaunchSessionArgs) session.Request {
	return session.Request{
		Slug: a.Slug, Channel: a.Channel, Headless: a.Headless, Incognito: a.Incognito, Persistence: a.PersistenceMode,
		RestoreProfile: a.RestoreProfile, LaunchOptions: a.LaunchOptions, ContextOptions: a.ContextOptions,
		DisableEvaluate: a.DisableEvaluate, VaultEnabled: a.VaultEnabled, Stealth: a.Stealth,
	}
}

// DefaultLaunch is the launch of a caller that chooses nothing.
func DefaultLaunch() session.Request { return launch(tools.NewLaunchSessionArgs()) }

func (h *handlers) CloseSession(ctx context.Context, a tools.CloseSessionArgs) (*tools.CloseSessionResult, error) {
	closed, saved := h.Sessions.Close(a.SessionID, caller(ctx), session.ByUser)
	return &tools.CloseSessionResult{SessionID: a.SessionID, Closed: closed, LoginSaved: saved}, nil
}

func (h *handlers) ListSessions(ctx context.Context) ([]types.SessionSummary, error) {
	out := []types.SessionSummary{}
	for _, s := range h.Sessions.List(caller(ctx)) {
		out = append(out, s.Summary())
	}
	return out, nil
}

// client is how the caller's client describes itself, nil when it gives no name.
func (h *handlers) client(ctx context.Context) *types.SessionClient {
	c, _ := ctx.Value(clientKey{}).(Client)
	if c.Name == "" {
		return nil
	}
	client := &types.SessionClient{Name: c.Name, Transport: h.Transport}
	if c.Version != "" {
		client.Version = &c.Version
	}
	return client
}

// caller is the principal that dispatch put into the context.
func caller(ctx context.Context) auth.Principal {
	p, _ := auth.From(ctx)
	return p
}
