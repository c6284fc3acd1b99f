package toolset

import (
	"context"
	"encoding/json"
	"time"

	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/session"
)

func (h *handlers) Navigate(ctx context.Context, s *session.Session, p *browser.Page, a tools.NavigateArgs) (*tools.NavigateResult, error) {
	status, err := p.Goto(ctx, a.URL, string(a.WaitUntil), limit(a.Timeout))
	if err != nil {
		return nil, err
	}
	res := &tools.NavigateResult{SessionID: s.ID, URL: p.URL(), Title: title(ctx, p)}
	if status != nil {
		n := int64(*status)
		res.Status = &n
	}
	return res, nil
}

func (h *handlers) GoBack(ctx context.Context, s *session.Session, p *browser.Page, a tools.GoBackArgs) (*tools.GoBackResult, error) {
	if err := p.Back(ctx, string(a.WaitUntil), limit(a.Timeout)); err != nil {
		return nil, err
	}
	return &tools.GoBackResult{SessionID: s.ID, URL: p.URL(), Title: title(ctx, p)}, nil
}

func (h *handlers) GoForward(ctx context.Context, s *session.Session, p *browser.Page, a tools.GoForwardArgs) (*tools.GoForwardResult, error) {
	if err := p.Forward(ctx, string(a.WaitUntil), limit(a.Timeout)); err != nil {
		return nil, err
	}
	return &tools.GoForwardResult{SessionID: s.ID, URL: p.URL(), Title: title(ctx, p)}, nil
}

func (h *handlers) Reload(ctx context.Context, s *session.Session, p *browser.Page, a tools.ReloadArgs) (*tools.ReloadResult, error) {
	if err := p.Reload(ctx, string(a.WaitUntil), limit(a.Timeout)); err != nil {
		return nil, err
	}
	return &tools.ReloadResult{SessionID: s.ID, URL: p.URL(), Title: title(ctx, p)}, nil
}

func (h *handlers) WaitForURL(ctx context.Context, s *session.Session, p *browser.Page, a tools.WaitForURLArgs) (*tools.WaitForURLResult, error) {
	pattern, err := urlPattern(a.URL)
	if err != nil {
		return nil, err
	}
	address, err := p.WaitForURL(ctx, pattern, limit(a.Timeout))
	if err != nil {
		return nil, err
	}
	return &tools.WaitForURLResult{SessionID: s.ID, URL: address}, nil
}

// urlPattern reads the argument that is a string or a regular expression; the schema allows nothing else.
func urlPattern(raw json.RawMessage) (browser.URLPattern, error) {
	var glob string
	if json.Unmarshal(raw, &glob) == nil {
		return browser.ParseURLGlob(glob)
	}
	var expression struct{ Pattern, Flags string }
	if err := json.Unmarshal(raw, &expression); err != nil {
		return browser.URLPattern{}, err
	}
	return browser.ParseURLRegexp(expression.Pattern, expression.Flags)
}

// titleTimeout is how long an answer waits for the title of its page, which is a courtesy.
const titleTimeout = time.Second

// title is the page's title for the answer; a page that is already moving on has none.
func title(ctx context.Context, p *browser.Page) *string {
	ctx, cancel := context.WithTimeout(ctx, titleTimeout)
	defer cancel()
	t, err := p.Title(ctx)
	if err != nil {
		return nil
	}
	return &t
}
