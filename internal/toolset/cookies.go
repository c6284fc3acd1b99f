package toolset

import (
	"context"

	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/session"
)

func (h *handlers) GetCookies(ctx context.Context, s *session.Session, a tools.GetCookiesArgs) (*tools.GetCookiesResult, error) {
	cookies, err := s.Browser().Cookies(ctx, a.URLs)
	if err != nil {
		return nil, err
	}
	res := &tools.GetCookiesResult{Cookies: []types.Cookie{}}
	size := 0
	for _, c := range cookies {
		// The names and what JSON adds to them have some 200 bytes.
		if size += len(c.Name) + len(c.Value) + len(c.Domain) + len(c.Path) + 200; size > tools.TextLimit {
			res.Truncated = contract.To(true)
			break
		}
		cookie := types.Cookie{
			Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path, Expires: c.Expires,
			HTTPOnly: c.HttpOnly, Secure: c.Secure, PartitionKey: c.PartitionKey,
		}
		if c.SameSite != nil {
			cookie.SameSite = contract.To(types.SameSite(*c.SameSite))
		}
		res.Cookies = append(res.Cookies, cookie)
	}
	return res, nil
}

func (h *handlers) SetCookies(ctx context.Context, s *session.Session, a tools.SetCookiesArgs) (*tools.SetCookiesResult, error) {
	var cookies []browser.CookieInput
	for _, c := range a.Cookies {
		cookie := browser.CookieInput{
			Name: c.Name, Value: c.Value, URL: c.URL, Domain: c.Domain, Path: c.Path, Expires: c.Expires,
			HttpOnly: c.HTTPOnly, Secure: c.Secure,
		}
		if c.SameSite != nil {
			cookie.SameSite = contract.To(browser.SameSite(*c.SameSite))
		}
		cookies = append(cookies, cookie)
	}
	if err := s.Browser().SetCookies(ctx, cookies); err != nil {
		return nil, err
	}
	return &tools.SetCookiesResult{Added: int64(len(cookies))}, nil
}

func (h *handlers) SetViewport(ctx context.Context, s *session.Session, p *browser.Page, a tools.SetViewportArgs) (*tools.SetViewportResult, error) {
	size, err := p.SetViewport(ctx, a.Width, a.Height)
	if err != nil {
		return nil, err
	}
	res := &tools.SetViewportResult{SessionID: s.ID, Width: int64(size.Width), Height: int64(size.Height)}
	if res.Width != a.Width || res.Height != a.Height {
		res.Clamped = contract.To(true)
	}
	return res, nil
}

func (h *handlers) SetExtraHTTPHeaders(ctx context.Context, s *session.Session, a tools.SetExtraHTTPHeadersArgs) (*tools.SetExtraHTTPHeadersResult, error) {
	applied, rejected, err := s.Browser().SetHeaders(ctx, a.Headers)
	if err != nil {
		return nil, err
	}
	if rejected == nil {
		rejected = []string{}
	}
	return &tools.SetExtraHTTPHeadersResult{SessionID: s.ID, Applied: int64(applied), Rejected: rejected}, nil
}
