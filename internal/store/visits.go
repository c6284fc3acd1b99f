package store

import (
	"context"
	"time"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/store/listing"
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

var visitTable = listing.Table[types.PageVisit]{
	Columns: "id, session_id, tab_id, url, title, domain, category, ts",
	Into: func(v *types.PageVisit) []any {
		return []any{&v.EventID, &v.SessionID, &v.TabID, &v.URL, &v.Title, &v.Domain, &v.Category, &v.Ts}
	},
}

var visitPaths = []listing.AccessPath{
	{Index: "page_session_id_id", Columns: []string{"session_id"}},
	{Index: "page_domain_id", Columns: []string{"domain"}},
	{Index: "page_category_id", Columns: []string{"category"}},
	{Index: "sqlite_autoindex_pages_1"},
}

func (q VisitQuery) query() listing.Query {
	list := listing.Query{Span: q.Span, Table: tablePages, Paths: visitPaths, Facets: []listing.Facet{
		listing.NewFacet("category", q.Categories),
	}}
	list.Filter("session_id", listing.Values(q.SessionIDs))
	list.Filter("domain", listing.Values(q.Domains))
	list.Range = idsWithin(q.From, q.To)
	if q.Text != "" {
		list.Residual.Add(listing.Contains(q.Text, "url", "title"))
	}
	return list
}

// ListVisits returns a page of visits, with the facet category.
func (s *Store) ListVisits(ctx context.Context, q VisitQuery) (Page[types.PageVisit], error) {
	return listing.List(ctx, s.reads, visitTable, q.query())
}
