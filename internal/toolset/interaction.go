package toolset

import (
	"context"
	"time"

	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/session"
)

func (h *handlers) Click(ctx context.Context, s *session.Session, p *browser.Page, a tools.ClickArgs) (*tools.ClickResult, error) {
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

// maxKeyDelay bounds the pause between keystrokes: longer ones would outlast any call.
const maxKeyDelay = time.Minute

func (h *handlers) TypeText(ctx context.Context, s *session.Session, p *browser.Page, a tools.TypeTextArgs) (*tools.TypeTextResult, error) {
	delay := min(time.Duration(min(a.Delay, float64(maxKeyDelay.Milliseconds()))*float64(time.Millisecond)), maxKeyDelay)
	if err := p.Type(ctx, a.Selector, a.Text, delay, limit(a.Timeout)); err != nil {
		return nil, err
	}
	return &tools.TypeTextResult{SessionID: s.ID, Selector: a.Selector, Ok: true}, nil
}

func (h *handlers) Fill(ctx context.Context, s *session.Session, p *browser.Page, a tools.FillArgs) (*tools.FillResult, error) {
	if err := p.Fill(ctx, a.Selector, a.Value, limit(a.Timeout)); err != nil {
		return nil, err
	}
	return &tools.FillResult{SessionID: s.ID, Selector: a.Selector, Ok: true}, nil
}

func (h *handlers) PressKey(ctx context.Context, s *session.Session, p *browser.Page, a tools.PressKeyArgs) (*tools.PressKeyResult, error) {
	selector := ""
	if a.Selector != nil {
		selector = *a.Selector
	}
	if err := p.Press(ctx, selector, a.Key, limit(a.Timeout)); err != nil {
		return nil, err
	}
	return &tools.PressKeyResult{SessionID: s.ID, Key: a.Key, Ok: true}, nil
}

func (h *handlers) Hover(ctx context.Context, s *session.Session, p *browser.Page, a tools.HoverArgs) (*tools.HoverResult, error) {
	if err := p.Hover(ctx, a.Selector, limit(a.Timeout)); err != nil {
		return nil, err
	}
	return &tools.HoverResult{SessionID: s.ID, Selector: a.Selector, Ok: true}, nil
}

func (h *handlers) SelectOption(ctx context.Context, s *session.Session, p *browser.Page, a tools.SelectOptionArgs) (*tools.SelectOptionResult, error) {
	chosen, err := p.SelectOptions(ctx, a.Selector, a.Values, limit(a.Timeout))
	if err != nil {
		return nil, err
	}
	return &tools.SelectOptionResult{SessionID: s.ID, Selector: a.Selector, Selected: chosen}, nil
}

func (h *handlers) Scroll(ctx context.Context, s *session.Session, p *browser.Page, a tools.ScrollArgs) (*tools.ScrollResult, error) {
	o := browser.ScrollOptions{X: a.X, Y: a.Y, Smooth: a.Behavior == tools.ScrollArgsBehaviorSmooth}
	if a.Selector != nil {
		o.Selector = *a.Selector
	}
	switch {
	case a.Mode == tools.ScrollArgsModeSelector && o.Selector == "":
		return nil, invalid("selector", "is needed in mode selector")
	case a.Mode == tools.ScrollArgsModeTo && a.X == nil && a.Y == nil:
		return nil, invalid("y", "mode to needs x, y or both")
	case a.Mode == tools.ScrollArgsModeBy:
		o.By, o.X, o.Y = true, &a.Dx, &a.Dy
	}
	res := &tools.ScrollResult{SessionID: s.ID}
	var err error
	if a.Mode == tools.ScrollArgsModeSelector {
		res.X, res.Y, err = p.ScrollTo(ctx, o.Selector, o.Smooth, limit(a.Timeout))
	} else {
		res.X, res.Y, err = p.Scroll(ctx, o, limit(a.Timeout))
	}
	if err != nil {
		return nil, err
	}
	return res, nil
}

// invalid is INVALID_ARGUMENTS for what the schema of a tool does not express.
func invalid(path, message string) error {
	return invalidArguments(contract.Issue{Path: path, Message: message})
}

func (h *handlers) DragAndDrop(ctx context.Context, s *session.Session, p *browser.Page, a tools.DragAndDropArgs) (*tools.DragAndDropResult, error) {
	if err := p.Drag(ctx, a.SourceSelector, a.TargetSelector, limit(a.Timeout)); err != nil {
		return nil, err
	}
	return &tools.DragAndDropResult{SessionID: s.ID, Ok: true}, nil
}
