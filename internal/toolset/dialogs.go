package toolset

import (
	"context"

	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/session"
)

func (h *handlers) AcceptNextDialog(ctx context.Context, s *session.Session, p *browser.Page, a tools.AcceptNextDialogArgs) (*tools.AcceptNextDialogResult, error) {
	if err := p.AnswerNextDialog(ctx, browser.DialogAnswer{Accept: true, Text: a.PromptText}); err != nil {
		return nil, err
	}
	return &tools.AcceptNextDialogResult{SessionID: s.ID, Armed: true}, nil
}

func (h *handlers) DismissNextDialog(ctx context.Context, s *session.Session, p *browser.Page, _ tools.DismissNextDialogArgs) (*tools.DismissNextDialogResult, error) {
	if err := p.AnswerNextDialog(ctx, browser.DialogAnswer{}); err != nil {
		return nil, err
	}
	return &tools.DismissNextDialogResult{SessionID: s.ID, Armed: true}, nil
}
