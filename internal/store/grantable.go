package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
)

// Grantable fails with SESSION_NOT_FOUND, TRACE_UNAVAILABLE or SCREENSHOT_UNAVAILABLE when there is nothing
// that a grant of the route could open.
func (s *Store) Grantable(ctx context.Context, route types.GrantRoute, id string) error {
	if route == types.GrantRouteScreenshot {
		var exists bool
		err := s.reads.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM screenshots WHERE id = ?)", id).Scan(&exists)
		if err == nil && !exists {
			err = errcode.ScreenshotUnavailable{EventID: id}.Err()
		}
		return err
	}
	var traced bool
	err := s.reads.QueryRowContext(ctx, "SELECT coalesce("+hasTrace+", false) FROM sessions WHERE id = ?", id).Scan(&traced)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return errcode.SessionNotFound{SessionID: id}.Err()
	case err == nil && !traced:
		return errcode.TraceUnavailable{Enabled: false}.Err()
	}
	return err
}
