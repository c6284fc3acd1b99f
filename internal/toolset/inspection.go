package toolset

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/session"
)

func (h *handlers) Screenshot(ctx context.Context, s *session.Session, p *browser.Page, a tools.ScreenshotArgs) (*tools.ScreenshotResult, *contract.Image, error) {
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
	return res, imageOf(picture, string(a.Format)), nil
}

// imageOf is a picture of a format as part of an answer.
func imageOf(p browser.Picture, format string) *contract.Image {
	return &contract.Image{MIMEType: "image/" + format, Data: p.Data, Width: p.Width, Height: p.Height}
}

func (h *handlers) Snapshot(ctx context.Context, s *session.Session, p *browser.Page, a tools.SnapshotArgs) (*tools.SnapshotResult, error) {
	res := &tools.SnapshotResult{SessionID: s.ID}
	read, err := h.texts.read(s, outlineText, a.Cursor, a.MaxChars, func() (tree, url string, err error) {
		o := browser.SnapshotOptions{Interactive: a.InteractiveOnly, Changes: a.ChangesOnly}
		if a.Selector != nil {
			o.Selector = *a.Selector
		}
		if a.Depth != nil {
			o.Depth = int(*a.Depth)
		}
		snapshot, err := p.Snapshot(ctx, o)
		if snapshot.Changes {
			res.Changes = contract.To(true)
		}
		return snapshot.Tree, p.URL(), err
	})
	if err != nil {
		return nil, err
	}
	res.URL, res.Tree, res.Truncated, res.Cursor = read.url, read.text, read.truncated, read.cursor
	return res, nil
}

func (h *handlers) GetContent(ctx context.Context, s *session.Session, p *browser.Page, a tools.GetContentArgs) (*tools.GetContentResult, error) {
	read, err := h.texts.read(s, htmlText, a.Cursor, a.MaxChars, func() (html, url string, err error) {
		html, err = p.Content(ctx)
		return html, p.URL(), err
	})
	if err != nil {
		return nil, err
	}
	return &tools.GetContentResult{SessionID: s.ID, URL: read.url, HTML: read.text, Truncated: read.truncated, Cursor: read.cursor}, nil
}

func (h *handlers) Evaluate(ctx context.Context, s *session.Session, p *browser.Page, a tools.EvaluateArgs) (*tools.EvaluateResult, error) {
	switch {
	case !h.AllowEvaluate:
		return nil, errcode.EvaluateDisabled{SessionID: s.ID, Scope: errcode.EvaluateDisabledScopeServer}.Err()
	case s.DisableEvaluate:
		return nil, errcode.EvaluateDisabled{SessionID: s.ID, Scope: errcode.EvaluateDisabledScopeSession}.Err()
	}
	read, err := h.texts.read(s, jsonText, a.Cursor, a.MaxChars, func() (value, url string, err error) {
		raw, err := p.Evaluate(ctx, a.Expression)
		if strings.Contains(strings.ToLower(a.Expression), "cookie") {
			learnCookies(ctx, s)
		}
		return string(raw), "", err
	})
	if err != nil {
		return nil, err
	}
	res := &tools.EvaluateResult{SessionID: s.ID, Result: json.RawMessage(read.text), Truncated: read.truncated, Cursor: read.cursor}
	if read.truncated != nil || a.Cursor != nil { // A piece of JSON is none.
		res.Result, err = contract.Encode(read.text)
	}
	return res, err
}
