package toolset

import (
	"context"
	"time"

	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/session"
)

func (h *handlers) Click(ctx context.Context, s *session.Session, a tools.ClickArgs) (*tools.ClickResult, error) {
	p, err := s.Browser().Page(tabID(a.TabID))
	if err != nil {
		return nil, err
	}
	o := browser.ClickOptions{Button: string(a.Button), Count: int(a.ClickCount)}
	for _, m := range a.Modifiers {
		o.Modifiers = append(o.Modifiers, string(m))
	}
	if a.Position != nil {
		o.X, o.Y = &a.Position.X, &a.Position.Y
	}
	if err := p.Click(ctx, a.Selector, o, limit(a.Timeout)); err != nil {
		return nil, err
	}
	return &tools.ClickResult{SessionID: s.ID, Selector: a.Selector, Ok: true}, nil
}

// maxDelay bounds the pause between keystrokes: longer ones would outlast any call.
const maxDelay = time.Minute

func (h *handlers) TypeText(ctx context.Context, s *session.Session, a tools.TypeTextArgs) (*tools.TypeTextResult, error) {
	p, err := s.Browser().Page(tabID(a.TabID))
	if err != nil {
		return nil, err
	}
	delay := min(time.Duration(min(a.Delay, float64(maxDelay.Milliseconds()))*float64(time.Millisecond)), maxDelay)
	if err := p.Type(ctx, a.Selector, a.Text, delay, limit(a.Timeout)); err != nil {
		return nil, err
	}
	return &tools.TypeTextResult{SessionID: s.ID, Selector: a.Selector, Ok: true}, nil
}

func (h *handlers) Fill(ctx context.Context, s *session.Session, a tools.FillArgs) (*tools.FillResult, error) {
	p, err := s.Browser().Page(tabID(a.TabID))
	if err != nil {
		return nil, err
	}
	if err := p.Fill(ctx, a.Selector, a.Value, limit(a.Timeout)); err != nil {
		return nil, err
	}
	return &tools.FillResult{SessionID: s.ID, Selector: a.Selector, Ok: true}, nil
}

func (h *handlers) PressKey(ctx context.Context, s *session.Session, a tools.PressKeyArgs) (*tools.PressKeyResult, error) {
	p, err := s.Browser().Page(tabID(a.TabID))
	if err != nil {
		return nil, err
	}
	selector := ""
	if a.Selector != nil {
		selector = *a.Selector
	}
	if err := p.Press(ctx, selector, a.Key, limit(a.Timeout)); err != nil {
		return nil, err
	}
	return &tools.PressKeyResult{SessionID: s.ID, Key: a.Key, Ok: true}, nil
}
