package toolset

import (
	"context"

	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/session"
)

func (h *handlers) SaveStorageState(ctx context.Context, s *session.Session, a tools.SaveStorageStateArgs) (*tools.SaveStorageStateResult, error) {
	path, size, err := h.Sessions.SaveStorage(ctx, s, a.Name)
	if err != nil {
		return nil, err
	}
	return &tools.SaveStorageStateResult{Name: a.Name, Path: path, Size: size}, nil
}

func (h *handlers) SaveFullProfile(ctx context.Context, s *session.Session, a tools.SaveFullProfileArgs) (*tools.SaveFullProfileResult, error) {
	path, size, err := h.Sessions.SaveProfile(ctx, s, a.Name)
	if err != nil {
		return nil, err
	}
	return &tools.SaveFullProfileResult{Name: a.Name, Path: path, Size: size}, nil
}

func (h *handlers) ListSavedAuths(ctx context.Context) ([]types.SavedAuth, error) {
	return h.Dir.SavedAuths(caller(ctx).Name)
}
