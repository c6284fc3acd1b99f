package store

import (
	"context"

	"github.com/browserhive/browserhive/gen/ent"
	"github.com/browserhive/browserhive/gen/ent/screenshot"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
)

// Grantable fails with SESSION_NOT_FOUND, TRACE_UNAVAILABLE or SCREENSHOT_UNAVAILABLE when there is nothing
// that a grant of the route could open.
func (s *Store) Grantable(ctx context.Context, route types.GrantRoute, id string) error {
	if route == types.GrantRouteScreenshot {
		there, err := s.client.Screenshot.Query().Where(screenshot.ID(id)).Exist(ctx)
		if err == nil && !there {
			err = errcode.ScreenshotUnavailable{EventID: id}.Err()
		}
		return err
	}
	row, err := s.client.Session.Get(ctx, id)
	switch {
	case ent.IsNotFound(err):
		return errcode.SessionNotFound{SessionID: id}.Err()
	case err != nil:
		return err
	case len(row.Trace) == 0:
		return errcode.TraceUnavailable{Enabled: false}.Err()
	}
	return nil
}
