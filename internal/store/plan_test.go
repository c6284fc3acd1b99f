package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/store"
)

// planned are queries that know the statements they send.
type planned interface{ Statements() []store.Statement }

// plans are the statements of every combination of filters of a list.
func plans[Q planned, R any](c trial[Q, R]) map[string][]store.Statement {
	all := map[string][]store.Statement{}
	for _, chosen := range combinations(c.choices) {
		for _, ascending := range []bool{false, true} {
			q := c.query(chosen)
			*c.span(&q) = store.Span{Limit: 50, Ascending: ascending}
			all[fmt.Sprintf("%+v", q)] = q.Statements()
		}
	}
	return all
}

// Every statement of every list with every filter and sort goes through an index. A page is read in the order
// of its index, from its cursor on and up to the edge where looking ends. Three things are put in order: sessions
// that run or wait, since they are as many as browsers; the groups of a count, since what is counted is bounded
// like what is looked at (TestSearchIsBounded); and the domains of maxDomainVisits visits.
func TestListsUseTheirIndexes(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	lists := map[string]map[string][]store.Statement{
		"calls": plans(callTrial()), "visits": plans(visitTrial()), "blocked": plans(blockedTrial()), "screenshots": plans(screenshotTrial()),
		"attention": plans(requestTrial("attention")), "confirmations": plans(requestTrial("vault_confirm")), "requests of a timeline": plans(requestTrial("")),
		"vault": plans(vaultTrial()), "system events": plans(systemEventTrial()), "notifications": plans(notificationTrial()),
	}
	for _, sort := range store.SessionSorts {
		lists["sessions by "+string(sort)] = plans(sessionTrial(sort))
	}
	lists["domains"] = map[string][]store.Statement{}
	for _, q := range []store.DomainQuery{{}, {SessionIDs: []string{"s-1", "s-2"}}, {Categories: []types.PageCategory{"ip"}, Text: "a"}, {From: &from, To: &to}} {
		lists["domains"][fmt.Sprintf("%+v", q)] = q.Statements()
	}
	seen := map[string]bool{}
	for list, queries := range lists {
		for query, statements := range queries {
			for _, one := range statements {
				if seen[one.SQL] {
					continue
				}
				seen[one.SQL] = true
				if fault := faultOf(one, plan(t, s, one)); fault != "" {
					t.Errorf("%s: %s\nof %s\n%s", list, fault, query, one.SQL)
				}
			}
		}
	}
	if len(seen) < 1000 {
		t.Errorf("only %d statements", len(seen))
	}
}

// So does the list of tokens, which the generated client asks for.
func TestTheListOfTokensUsesItsIndex(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	seen := 0
	for _, mark := range []*auth.Mark{nil, {At: time.UnixMilli(5), ID: "m"}} {
		for i := range 8 {
			q := auth.CredentialQuery{Revoked: i&1 > 0, Span: auth.Span{Mark: mark, Before: i&2 > 0, Ascending: i&4 > 0, Limit: 50}}
			for _, text := range []string{"", "ci"} {
				for _, kinds := range [][]types.PrincipalKind{nil, {types.PrincipalKindAgent, types.PrincipalKindOperator}} {
					q.Text, q.Kinds = text, kinds
					spied := s.Spy(func(statement string, args []any) {
						seen++
						one := store.Statement{SQL: statement, Args: args, Page: true, Bounded: mark != nil}
						if fault := faultOf(one, plan(t, s, one)); fault != "" {
							t.Errorf("%s\n%s", fault, statement)
						}
					})
					if _, _, err := spied.Credentials(t.Context(), q); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	if seen < 64 {
		t.Errorf("only %d statements", seen)
	}
}

func plan(t *testing.T, s *store.Store, one store.Statement) []string {
	t.Helper()
	rows, err := s.Reads().Query("EXPLAIN QUERY PLAN "+one.SQL, one.Args...)
	if err != nil {
		t.Fatalf("%s: %v", one.SQL, err)
	}
	defer rows.Close()
	var plan []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		plan = append(plan, detail)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return plan
}

// faultOf is what is wrong with a plan, "" for nothing.
func faultOf(one store.Statement, plan []string) string {
	text := strings.Join(plan, "; ")
	switch {
	case strings.Contains(text, "ORDER BY") && !one.Few:
		return "puts rows in order: " + text
	case one.Page && strings.Contains(text, "GROUP BY"):
		return "groups a page: " + text
	case one.Bounded && !one.Few && !(strings.HasPrefix(plan[0], "SEARCH ") && strings.ContainsAny(plan[0], "<>")):
		return "does not go on from the cursor: " + text
	}
	for _, step := range plan {
		// What stands in parentheses is the outcome of a step before.
		if strings.HasPrefix(step, "SCAN ") && !strings.HasPrefix(step, "SCAN (") && !strings.Contains(step, " INDEX ") {
			return "reads a table: " + text
		}
	}
	return ""
}

// The test above sees what it is there for.
func TestPlansAreJudged(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	for sql, one := range map[string]store.Statement{
		"SELECT id FROM pages ORDER BY ts LIMIT 5":                                                         {Page: true},
		"SELECT id FROM pages WHERE url = 'x'":                                                             {Page: true},
		"SELECT id FROM pages INDEXED BY page_domain_id WHERE domain = 'a' ORDER BY ts":                    {Page: true},
		"SELECT id FROM sessions INDEXED BY session_errors_id WHERE errors + 0 < 5 ORDER BY errors":        {Page: true, Bounded: true},
		"SELECT id FROM pages INDEXED BY page_domain_id WHERE domain = 'a' AND id || '' < 'm' ORDER BY id": {Page: true, Bounded: true},
	} {
		one.SQL = sql
		if faultOf(one, plan(t, s, one)) == "" {
			t.Errorf("no fault in %s", sql)
		}
	}
}
