package store

import (
	"context"
	"time"

	"github.com/browserhive/browserhive/gen/types"
)

// VisitQuery chooses visits of pages by the time of the visit. Empty lists and nil choose all.
type VisitQuery struct {
	Span
	SessionIDs, Domains []string
	Categories          []types.PageCategory
	From, To            *time.Time
	// Text is a part of the address or the title.
	Text string
}

var visitTable = table[types.PageVisit]{
	tablePages, "id, session_id, tab_id, url, title, domain, category, ts",
	func(v *types.PageVisit) []any {
		return []any{&v.EventID, &v.SessionID, &v.TabID, &v.URL, &v.Title, &v.Domain, &v.Category, &v.Ts}
	},
}

var visitWays = []way{
	{index: "page_session_id_id", columns: []string{"session_id"}},
	{index: "page_domain_id", columns: []string{"domain"}},
	{index: "page_category_id", columns: []string{"category"}},
	{index: "sqlite_autoindex_pages_1"},
}

func (q VisitQuery) question() question {
	a := question{Span: q.Span, table: tablePages, ways: visitWays, facets: []facet{
		{name: "category", column: "category", chosen: texts(q.Categories)},
	}}
	a.filter("session_id", values(q.SessionIDs))
	a.filter("domain", values(q.Domains))
	a.bounds.between(q.From, q.To)
	if q.Text != "" {
		a.rest.add(contains(q.Text, "url", "title"))
	}
	return a
}

// ListVisits returns a page of visits, with the facet category.
func (s *Store) ListVisits(ctx context.Context, q VisitQuery) (Page[types.PageVisit], error) {
	return counted(ctx, s, visitTable, q.question())
}
