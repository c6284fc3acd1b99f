package server

import (
	"context"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/internal/auth"
)

// startIdentity opens who may call. The one caller of stdio has nothing to prove, and nobody to show a secret
// to.
func (s *Server) startIdentity(ctx context.Context) (err error) {
	if s.cfg.Transport == config.TransportStdio {
		return nil
	}
	s.identity, s.first, err = auth.Open(ctx, auth.Options{
		Store: s.store, Seed: s.dir.SeedFile(), Tokens: s.cfg.AuthTokens, Agents: s.cfg.Auth == config.AuthToken,
		Dashboard: s.cfg.Admin, Secrets: &s.secrets, Log: s.module("auth"),
	})
	return err
}

// First is what the first start made, to be shown to the operator this one time.
func (s *Server) First() auth.First { return s.first }
