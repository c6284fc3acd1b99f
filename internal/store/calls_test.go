package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/record"
	"github.com/browserhive/browserhive/internal/store"
)

// population is calls of which the fields vary independently.
func population(t *testing.T, s *store.Store, n int) (all []record.Call) {
	t.Helper()
	start := time.Date(2026, 3, 4, 5, 30, 0, 0, time.UTC)
	code, message, trace, args := "TAB_NOT_FOUND", "There is no Tab t9.", "trace-1", `{"a":1}`
	for i := range n {
		at := start.Add(time.Duration(i) * 7 * time.Minute)
		session := fmt.Sprintf("s-%d", i%3)
		c := record.Call{
			ID: record.IDAt(at), At: at, SessionID: &session, Owner: fmt.Sprintf("agent-%d", i%2), Tool: []string{"click", "navigate", "snapshot", "new_tab"}[i%4], Args: &args,
		}
		if i%5 == 0 {
			c.ErrorCode, c.ErrorMessage = &code, &message
		}
		if i%6 == 0 {
			c.SessionID = nil
		}
		if i%10 == 0 {
			c.TraceID = &trace
		}
		s.AddCall(c)
		all = append(all, c)
	}
	settled(t, s)
	return all
}

// matches is what a query means.
func matches(q store.CallQuery, c record.Call) bool {
	has := func(list []string, value *string) bool {
		return len(list) == 0 || value != nil && slices.Contains(list, *value)
	}
	switch {
	case !has(q.SessionIDs, c.SessionID), !has(q.Owners, &c.Owner), !has(q.Tools, &c.Tool), !has(q.ErrorCodes, c.ErrorCode):
		return false
	case q.OK != nil && *q.OK != (c.ErrorCode == nil), q.TraceID != nil && (c.TraceID == nil || *c.TraceID != *q.TraceID):
		return false
	case q.From != nil && c.At.Before(*q.From), q.To != nil && !c.At.Before(*q.To):
		return false
	}
	text := strings.ToLower(q.Text)
	return strings.Contains(c.Tool, text) || c.ErrorMessage != nil && strings.Contains(strings.ToLower(*c.ErrorMessage), text)
}

func counts(all []record.Call, q store.CallQuery, value func(record.Call) *string) map[string]int64 {
	found := map[string]int64{}
	for _, c := range all {
		if matches(q, c) {
			key := "<null>"
			if v := value(c); v != nil {
				key = *v
			}
			found[key]++
		}
	}
	return found
}

func asMap(list []types.FacetValue) map[string]int64 {
	found := map[string]int64{}
	for _, f := range list {
		key := "<null>"
		if f.Value != nil {
			key = *f.Value
		}
		found[key] = f.Count
	}
	return found
}

// queries are filters in every combination that matters, among them all pairs.
func queries(start time.Time) []store.CallQuery {
	yes, no, trace := true, false, "trace-1"
	from, to, soon := start.Add(3*time.Hour+time.Minute), start.Add(20*time.Hour+5*time.Minute), start.Add(3*time.Hour+40*time.Minute)
	set := []func(*store.CallQuery){
		func(q *store.CallQuery) { q.SessionIDs = []string{"s-1"} },
		func(q *store.CallQuery) { q.SessionIDs = []string{"s-1", "s-2", "gone"} },
		func(q *store.CallQuery) { q.Owners = []string{"agent-1"} },
		func(q *store.CallQuery) { q.Owners = []string{"agent-0", "agent-1"} },
		func(q *store.CallQuery) { q.Tools = []string{"click"} },
		func(q *store.CallQuery) { q.Tools = []string{"click", "new_tab"} },
		func(q *store.CallQuery) { q.ErrorCodes = []string{"TAB_NOT_FOUND", "OTHER"} },
		func(q *store.CallQuery) { q.OK = &yes },
		func(q *store.CallQuery) { q.OK = &no },
		func(q *store.CallQuery) { q.TraceID = &trace },
		func(q *store.CallQuery) { q.From = &from },
		func(q *store.CallQuery) { q.To = &to },
		func(q *store.CallQuery) { q.From, q.To = &from, &soon },
		func(q *store.CallQuery) { q.Text = "TAB" },
		func(q *store.CallQuery) { q.Text = "no tab t9" },
		func(q *store.CallQuery) { q.Text = "100%_" },
		func(q *store.CallQuery) { q.Oldest = true },
	}
	list := []store.CallQuery{{}}
	for i, a := range set {
		var one store.CallQuery
		a(&one)
		list = append(list, one)
		for _, b := range set[i+1:] {
			two := one
			b(&two)
			list = append(list, two)
		}
	}
	return list
}

// Every page of every query is what looking at all calls one by one gives.
func TestListCalls(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	all := population(t, s, 300)
	for _, q := range queries(all[0].At) {
		q.Limit, q.Facets = 17, true
		var want, got []string
		for _, c := range all {
			if matches(q, c) {
				want = append(want, c.ID)
			}
		}
		if !q.Oldest {
			slices.Reverse(want)
		}
		var first store.CallPage
		for n := 0; ; n++ {
			page, err := s.ListCalls(t.Context(), q)
			if err != nil {
				t.Fatalf("%+v: %v", q, err)
			}
			if n == 0 {
				first = page
			}
			for _, c := range page.Calls {
				got = append(got, c.EventID)
			}
			if page.Next == nil || n > len(all) {
				break
			}
			q.After = *page.Next
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v: %d calls, want %d", q, len(got), len(want))
		}
		if first.Total == nil || *first.Total != int64(len(want)) {
			t.Errorf("%+v: total %v, want %d", q, first.Total, len(want))
		}
		tools, codes := q, q
		tools.Tools, codes.ErrorCodes = nil, nil
		if got, want := asMap(first.Tools), counts(all, tools, func(c record.Call) *string { return &c.Tool }); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%+v: tools %v, want %v", q, got, want)
		}
		if got, want := asMap(first.ErrorCodes), counts(all, codes, func(c record.Call) *string { return c.ErrorCode }); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%+v: codes %v, want %v", q, got, want)
		}
	}
}

func TestListCallsInDetail(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	population(t, s, 3)
	for detail, want := range map[bool]bool{false: false, true: true} {
		page, err := s.ListCalls(t.Context(), store.CallQuery{Limit: 10, Detail: detail})
		if err != nil || len(page.Calls) != 3 || (page.Calls[0].ArgsJSON != nil) != want || page.Tools != nil {
			t.Errorf("%+v, %v", page, err)
		}
	}
}

// No query of a page sorts, or reads the table from one end to the other but in the order of its ids.
func TestListsUseTheirIndexes(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	for _, q := range queries(time.Now()) {
		q.Limit, q.After = 50, "x"
		statement, args := q.Statement([]string{"click"})
		rows, err := s.Reads().Query("EXPLAIN QUERY PLAN "+statement, args...)
		if err != nil {
			t.Fatal(err)
		}
		var plan []string
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			plan = append(plan, detail)
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
		// The few ids of a union are put in order; the table never is.
		text := strings.Join(plan, "; ")
		if strings.Contains(text, "SCAN tool_calls") && !strings.Contains(text, "USING INDEX") {
			t.Errorf("%+v: %s", q, text)
		}
		if strings.Contains(text, "TEMP B-TREE") && !strings.Contains(text, "UNION ALL") {
			t.Errorf("%+v: %s", q, text)
		}
	}
}
