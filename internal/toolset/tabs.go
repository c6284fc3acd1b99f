package toolset

import (
	"context"
	"sync"

	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/session"
)

func (h *handlers) NewTab(ctx context.Context, s *session.Session, a tools.NewTabArgs) (*tools.NewTabResult, error) {
	url := ""
	if a.URL != nil {
		url = *a.URL
	}
	p, err := s.Browser().NewTab(ctx, url, string(a.WaitUntil), limit(a.Timeout))
	if err != nil {
		return nil, err
	}
	return &tools.NewTabResult{SessionID: s.ID, TabID: p.ID(), URL: p.URL()}, nil
}

func (h *handlers) CloseTab(ctx context.Context, s *session.Session, p *browser.Page, _ tools.CloseTabArgs) (*tools.CloseTabResult, error) {
	if err := p.Close(ctx); err != nil {
		return nil, err
	}
	return &tools.CloseTabResult{SessionID: s.ID, TabID: p.ID(), Closed: true}, nil
}

func (h *handlers) SwitchTab(ctx context.Context, s *session.Session, p *browser.Page, _ tools.SwitchTabArgs) (*tools.SwitchTabResult, error) {
	if _, err := s.Browser().Switch(ctx, p.ID()); err != nil {
		return nil, err
	}
	return &tools.SwitchTabResult{SessionID: s.ID, TabID: p.ID(), URL: p.URL()}, nil
}

func (h *handlers) ListTabs(ctx context.Context, s *session.Session, _ tools.ListTabsArgs) ([]types.Tab, error) {
	if err := s.Browser().Err(); err != nil {
		return nil, err
	}
	pages, active := s.Browser().Tabs()
	tabs := make([]types.Tab, len(pages))
	var titles sync.WaitGroup
	for i, p := range pages {
		tabs[i] = types.Tab{TabID: p.ID(), URL: p.URL(), Active: p == active}
		titles.Go(func() { // One that is stuck does not hold up the others.
			if t := title(ctx, p); t != nil {
				tabs[i].Title = *t
			}
		})
	}
	titles.Wait()
	return tabs, nil
}
