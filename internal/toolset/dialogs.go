package toolset

import (
	"context"

	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/session"
)

func (h *handlers) AcceptNextDialog(ctx context.Context, s *session.Session, a tools.AcceptNextDialogArgs) (*tools.AcceptNextDialogResult, error) {
	answer := browser.DialogAnswer{Accept: true, Text: a.PromptText}
	if err := answerNextDialog(ctx, s, a.TabID, answer); err != nil {
		return nil, err
	}
	return &tools.AcceptNextDialogResult{SessionID: s.ID, Armed: true}, nil
}

func (h *handlers) DismissNextDialog(ctx context.Context, s *session.Session, a tools.DismissNextDialogArgs) (*tools.DismissNextDialogResult, error) {
	if err := answerNextDialog(ctx, s, a.TabID, browser.DialogAnswer{}); err != nil {
		return nil, err
	}
	return &tools.DismissNextDialogResult{SessionID: s.ID, Armed: true}, nil
}

func answerNextDialog(ctx context.Context, s *session.Session, tab *string, answer browser.DialogAnswer) error {
	p, err := s.Browser().Page(tabID(tab))
	if err != nil {
		return err
	}
	return p.AnswerNextDialog(ctx, answer)
}
