package store

import (
	"context"
	"encoding/hex"
	"strings"
	"time"

	"github.com/browserhive/browserhive/gen/types"
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
	// Since is when the oldest visit was that counts: there are more than domainLimit, and those before it do
	// not. nil when all do.
	Since *time.Time
}

// domainLimit is how many visits are looked at for a list of domains, the latest of those in the window: some
// 20 ms. Counts kept beside the visits would cost each visit more than this list is worth.
const domainLimit = 10_000

// ListDomains returns a page of domains. The category is that of the last visit.
func (s *Store) ListDomains(ctx context.Context, q DomainQuery) (page DomainPage, err error) {
	visits := VisitQuery{SessionIDs: q.SessionIDs, Categories: q.Categories, From: q.From, To: q.To}.question().asked()
	branches := visits.branches()
	var oldest *Mark
	for _, b := range branches {
		edge, err := s.edgeOf(ctx, visits, b, stretch{}, domainLimit/len(branches))
		if err != nil {
			return page, err
		}
		if edge != nil && (oldest == nil || edge.ID > oldest.ID) {
			oldest = edge
		}
	}
	if oldest != nil {
		at := timeOf(oldest.ID)
		page.Since = &at
	}
	statement, args := q.statement(visits, branches, oldest)
	rows, err := s.reads.QueryContext(ctx, statement, args...)
	if err != nil {
		return page, err
	}
	p := part[types.DomainVisits]{}
	p.entries, err = scan(rows, domainTable, nil)
	if len(p.entries) > q.Limit {
		p.entries = p.entries[:q.Limit]
		p.end = &p.entries[q.Limit-1].Mark
	}
	page.Page = merge([]part[types.DomainVisits]{p}, Span{Limit: q.Limit})
	return page, err
}

var domainTable = table[types.DomainVisits]{
	tablePages, "domain, category, visits, sessions, last", func(d *types.DomainVisits) []any {
		return []any{&d.Domain, &d.Category, &d.Visits, &d.Sessions, &d.LastVisitedAt}
	},
}

// statement counts the visits from the oldest on by their domains.
func (q DomainQuery) statement(visits question, branches []branch, oldest *Mark) (string, []any) {
	var parts []string
	var args []any
	for _, b := range branches {
		c := b.lead.clone()
		c.add(visits.bounds)
		c.add(b.rest)
		c.and("domain IS NOT NULL")
		if oldest != nil {
			c.and("id >= ?", oldest.ID)
		}
		if q.Text != "" {
			c.add(contains(q.Text, "domain"))
		}
		parts = append(parts, "SELECT domain, category, session_id, ts"+visits.source(b)+c.where())
		args = append(args, c.args...)
	}
	var beyond conditions
	if q.Mark != nil {
		beyond.and("(visits, domain) < (?, ?)", q.Mark.Key, q.Mark.ID)
	}
	// The row with the latest time gives the category.
	counted := "SELECT domain, category, count(*) AS visits, count(DISTINCT session_id) AS sessions, max(ts) AS last FROM (" +
		strings.Join(parts, " UNION ALL ") + ") GROUP BY domain"
	return "SELECT domain, visits, " + domainTable.columns + " FROM (" + counted + ")" + beyond.where() +
		" ORDER BY visits DESC, domain DESC" + limitOf(q.Limit+1), append(args, beyond.args...)
}

// timeOf is the time that an id begins with, the counterpart of firstID; the zero time for an id without.
func timeOf(id string) time.Time {
	digits := strings.ReplaceAll(id, "-", "")
	if len(digits) < 12 {
		return time.Time{}
	}
	raw, err := hex.DecodeString(digits[:12])
	if err != nil {
		return time.Time{}
	}
	var ms int64
	for _, b := range raw {
		ms = ms<<8 | int64(b)
	}
	return time.UnixMilli(ms)
}
