package store

import (
	"context"
	"time"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/store/listing"
)

// ScreenshotQuery chooses screenshots of a session by their time. Empty lists and nil choose all.
type ScreenshotQuery struct {
	Span
	SessionID string
	Kinds     []types.ScreenshotKind
	From, To  *time.Time
}

var screenshotTable = listing.Table[types.Screenshot]{
	Columns: "id, session_id, tool, kind, content_type, width, height, size_bytes, ts",
	Into: func(r *types.Screenshot) []any {
		return []any{&r.EventID, &r.SessionID, &r.Tool, &r.Kind, &r.ContentType, &r.Width, &r.Height, &r.SizeBytes, &r.Ts}
	},
}

var screenshotPaths = []listing.AccessPath{{Index: "screenshot_session_id_id", Columns: []string{"session_id"}}}

func (q ScreenshotQuery) query() listing.Query {
	list := listing.Query{Span: q.Span, Table: tableShots, Paths: screenshotPaths, Facets: []listing.Facet{
		listing.NewFacet("kind", q.Kinds),
	}}
	list.Filter("session_id", []any{q.SessionID})
	list.Range = idsWithin(q.From, q.To)
	return list
}

// ListScreenshots returns a page of screenshots, with the facet kind. Their URL is empty: the door that
// serves them knows it.
func (s *Store) ListScreenshots(ctx context.Context, q ScreenshotQuery) (Page[types.Screenshot], error) {
	return listing.List(ctx, s.reads, screenshotTable, q.query())
}
