package store

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/record"
	"github.com/browserhive/browserhive/internal/store/listing"
)

// DomainQuery chooses visits, whose domains are listed. Empty lists and nil choose all.
type DomainQuery struct {
	// Mark is where the last domain of the page before stands: its visits and its name. nil for the start.
	Mark       *Mark
	Limit      int
	SessionIDs []string
	Categories []types.PageCategory
	From, To   *time.Time
	// Text is a part of the domain.
	Text string
}

// DomainPage is a page of domains, most visits first.
type DomainPage struct {
	Page[types.DomainVisits]
	// Since is when the oldest visit was that counts: there are more than maxDomainVisits, and those before it do
	// not. nil when all do.
	Since *time.Time
}

// maxDomainVisits is how many visits are looked at for a list of domains, the latest of those in the window: some
// 20 ms. Counts kept beside the visits would cost each visit more than this list is worth.
const maxDomainVisits = 10_000

// ListDomains returns a page of domains. The category is that of the last visit.
func (s *Store) ListDomains(ctx context.Context, q DomainQuery) (page DomainPage, err error) {
	visits := q.visits()
	scans := visits.Plan()
	var oldest *Mark
	for _, scan := range scans {
		cutoff, err := visits.Cutoff(ctx, s.reads, scan, maxDomainVisits/len(scans))
		if err != nil {
			return page, err
		}
		if cutoff != nil && (oldest == nil || cutoff.ID > oldest.ID) {
			oldest = cutoff
		}
	}
	if oldest != nil {
		at := record.TimeOf(oldest.ID)
		page.Since = &at
	}
	statement, args := q.statement(visits, scans, oldest)
	page.Page, err = listing.ReadStatement(ctx, s.reads, domainTable, statement, args, q.Limit)
	return page, err
}

// visits are those whose domains are listed.
func (q DomainQuery) visits() listing.Query {
	return VisitQuery{SessionIDs: q.SessionIDs, Categories: q.Categories, From: q.From, To: q.To}.query().Filtered()
}

var domainTable = listing.Table[types.DomainVisits]{
	Columns: "domain, category, visits, sessions, last",
	Into: func(d *types.DomainVisits) []any {
		return []any{&d.Domain, &d.Category, &d.Visits, &d.Sessions, &d.LastVisitedAt}
	},
}

// statement counts the visits from the oldest on by their domains.
func (q DomainQuery) statement(visits listing.Query, scans []listing.IndexScan, oldest *Mark) (statement string, args []any) {
	var parts []string
	for _, scan := range scans {
		counted := visits.Where(scan)
		counted.And("domain IS NOT NULL")
		if oldest != nil {
			counted.And("id >= ?", oldest.ID)
		}
		if q.Text != "" {
			counted.Add(listing.Contains(q.Text, "domain"))
		}
		where, values := counted.SQL()
		parts = append(parts, "SELECT domain, category, session_id, ts"+visits.From(scan)+where)
		args = append(args, values...)
	}
	var beyond listing.Conditions
	if q.Mark != nil {
		beyond.And("(visits, domain) < (?, ?)", q.Mark.Key, q.Mark.ID)
	}
	where, values := beyond.SQL()
	// The row with the latest time gives the category.
	counted := "SELECT domain, category, count(*) AS visits, count(DISTINCT session_id) AS sessions, max(ts) AS last FROM (" +
		strings.Join(parts, " UNION ALL ") + ") GROUP BY domain"
	return "SELECT domain, visits, " + domainTable.Columns + " FROM (" + counted + ")" + where +
		" ORDER BY visits DESC, domain DESC LIMIT " + strconv.Itoa(q.Limit+1), append(args, values...)
}
