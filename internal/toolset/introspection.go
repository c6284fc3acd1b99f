package toolset

import (
	"context"
	"time"

	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/session"
)

func (h *handlers) ServerStatus(context.Context) (*tools.ServerStatusResult, error) {
	live, launching := h.Sessions.Counts()
	res := &tools.ServerStatusResult{
		UptimeMs: time.Since(h.Started).Milliseconds(), Version: h.Version, Transport: h.Transport,
		Sessions: tools.ServerStatusResultSessions{Live: int64(live)},
		// No vault backend is built yet, so there is none to unlock.
		Vault:           tools.ServerStatusResultVault{Backend: tools.ServerStatusResultVaultBackendOff},
		PersistenceMode: h.Sessions.Persistence(),
	}
	if most := h.Sessions.Max(); most > 0 {
		res.Sessions.Max = contract.To(int64(most))
	}
	if launching > 0 {
		res.Sessions.Launching = contract.To(int64(launching))
	}
	return res, nil
}

func (h *handlers) SessionInfo(_ context.Context, s *session.Session, _ tools.SessionInfoArgs) (*tools.SessionInfoResult, error) {
	b := s.Browser()
	return &tools.SessionInfoResult{
		SessionID: s.ID,
		Config: tools.SessionInfoResultConfig{
			Channel: s.Channel, Headless: s.Headless, Incognito: s.Incognito, PersistenceMode: s.Persistence,
			DisableEvaluate: s.DisableEvaluate, VaultEnabled: s.VaultEnabled, Stealth: s.Stealth, Engine: b.Engine(), Identity: s.Identity(), ProxyLabel: s.ProxyLabel,
		},
		PageCount: int64(len(b.Pages())), CurrentURL: s.CurrentURL(), CreatedAt: s.CreatedAt.UnixMilli(),
		LastToolAt: s.LastUse().UnixMilli(), LeaseExpiresAt: s.Expires().UnixMilli(), NavigationCount: b.NavigationCount(),
	}, nil
}
