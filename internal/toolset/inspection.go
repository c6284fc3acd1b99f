package toolset

import (
	"context"
	"encoding/json"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/session"
)

func (h *handlers) Screenshot(ctx context.Context, s *session.Session, a tools.ScreenshotArgs) (*tools.ScreenshotResult, *contract.Image, error) {
	p, err := s.Browser().Page(tabID(a.TabID))
	if err != nil {
		return nil, nil, err
	}
	o := browser.ScreenshotOptions{FullPage: a.FullPage, OmitBackground: a.OmitBackground, Format: string(a.Format)}
	if c := a.Clip; c != nil {
		o.Clip = &browser.Rect{X: c.X, Y: c.Y, Width: c.Width, Height: c.Height}
	}
	if a.Selector != nil {
		o.Selector = *a.Selector
	}
	if a.Quality != nil {
		o.Quality = int(*a.Quality)
	}
	picture, err := p.Screenshot(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	res := &tools.ScreenshotResult{Width: int64(picture.Width), Height: int64(picture.Height), Bytes: int64(len(picture.Data))}
	if picture.Cut {
		res.Truncated = contract.To(true)
	}
	if a.SavePath != nil {
		saved, err := h.Dir.Save(s.ID, *a.SavePath, picture.Data)
		if err != nil {
			return nil, nil, err
		}
		res.SavedTo = &saved
	}
	return res, &contract.Image{MIMEType: "image/" + string(a.Format), Data: picture.Data}, nil
}

func (h *handlers) Snapshot(ctx context.Context, s *session.Session, a tools.SnapshotArgs) (*tools.SnapshotResult, error) {
	p, err := s.Browser().Page(tabID(a.TabID))
	if err != nil {
		return nil, err
	}
	tree, err := p.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	res := &tools.SnapshotResult{SessionID: s.ID, URL: p.URL()}
	res.Tree, res.Truncated = cut(tree)
	return res, nil
}

func (h *handlers) GetContent(ctx context.Context, s *session.Session, a tools.GetContentArgs) (*tools.GetContentResult, error) {
	p, err := s.Browser().Page(tabID(a.TabID))
	if err != nil {
		return nil, err
	}
	html, err := p.Content(ctx)
	if err != nil {
		return nil, err
	}
	res := &tools.GetContentResult{SessionID: s.ID, URL: p.URL()}
	res.HTML, res.Truncated = cut(html)
	return res, nil
}

func (h *handlers) Evaluate(ctx context.Context, s *session.Session, a tools.EvaluateArgs) (*tools.EvaluateResult, error) {
	switch {
	case !h.AllowEvaluate:
		return nil, errcode.EvaluateDisabled{SessionID: s.ID, Scope: errcode.EvaluateDisabledScopeServer}.Err()
	case s.DisableEvaluate:
		return nil, errcode.EvaluateDisabled{SessionID: s.ID, Scope: errcode.EvaluateDisabledScopeSession}.Err()
	}
	p, err := s.Browser().Page(tabID(a.TabID))
	if err != nil {
		return nil, err
	}
	v, err := p.Evaluate(ctx, a.Expression)
	if err != nil {
		return nil, err
	}
	res := &tools.EvaluateResult{SessionID: s.ID, Result: v}
	if len(v) > tools.TextLimit {
		text, cutMark := cut(string(v))
		quoted, err := json.Marshal(text)
		if err != nil {
			return nil, err
		}
		res.Result, res.Truncated = quoted, cutMark
	}
	return res, nil
}
