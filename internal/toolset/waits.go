package toolset

import (
	"context"

	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/session"
)

func (h *handlers) WaitForSelector(ctx context.Context, s *session.Session, p *browser.Page, a tools.WaitForSelectorArgs) (*tools.WaitForSelectorResult, error) {
	if err := p.WaitForSelector(ctx, a.Selector, string(a.State), limit(a.Timeout)); err != nil {
		return nil, err
	}
	return &tools.WaitForSelectorResult{SessionID: s.ID, Selector: a.Selector, State: a.State}, nil
}

func (h *handlers) WaitForLoadState(ctx context.Context, s *session.Session, p *browser.Page, a tools.WaitForLoadStateArgs) (*tools.WaitForLoadStateResult, error) {
	if err := p.WaitForLoadState(ctx, string(a.State), limit(a.Timeout)); err != nil {
		return nil, err
	}
	return &tools.WaitForLoadStateResult{SessionID: s.ID, State: a.State}, nil
}
