package store

import (
	"context"
	"time"

	"github.com/browserhive/browserhive/gen/types"
)

// ScreenshotQuery chooses screenshots of a session by their time. Empty lists and nil choose all.
type ScreenshotQuery struct {
	Span
	SessionID string
	Kinds     []types.ScreenshotKind
	From, To  *time.Time
}

var screenshotTable = table[types.Screenshot]{
	tableShots, "id, session_id, tool, kind, content_type, width, height, size_bytes, ts",
	func(r *types.Screenshot) []any {
		return []any{&r.EventID, &r.SessionID, &r.Tool, &r.Kind, &r.ContentType, &r.Width, &r.Height, &r.SizeBytes, &r.Ts}
	},
}

var screenshotWays = []way{{index: "screenshot_session_id_id", columns: []string{"session_id"}}}

func (q ScreenshotQuery) question() question {
	a := question{Span: q.Span, table: tableShots, ways: screenshotWays, facets: []facet{
		{name: "kind", column: "kind", chosen: texts(q.Kinds)},
	}}
	a.filter("session_id", []any{q.SessionID})
	a.bounds.between(q.From, q.To)
	return a
}

// ListScreenshots returns a page of screenshots, with the facet kind. Their URL is empty: the door that
// serves them knows it.
func (s *Store) ListScreenshots(ctx context.Context, q ScreenshotQuery) (Page[types.Screenshot], error) {
	return counted(ctx, s, screenshotTable, q.question())
}
