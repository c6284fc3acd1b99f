package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"github.com/browserhive/browserhive/gen/types"
)

// CallQuery chooses tool calls, newest first. Empty lists and nil choose all.
type CallQuery struct {
	SessionIDs, Owners, Tools, ErrorCodes []string
	OK                                    *bool
	TraceID                               *string
	// From and To bound when a call started: at or after, and before.
	From, To *time.Time
	// Text is a part of the tool's name or of the failure.
	Text string
	// Oldest turns the order around.
	Oldest bool
	// After is the id of the last call of the page before, "" for the first page.
	After string
	// Limit is how many calls a page has.
	Limit int
	// Detail fills in arguments and results.
	Detail bool
	// Facets counts the values of tool and error_code as well.
	Facets bool
}

// CallPage is a page of tool calls.
type CallPage struct {
	Calls []types.ToolCall
	// Next is the After of the page behind this one, nil on the last.
	Next *string
	// Total is how many calls match in all; nil when they are too many to count.
	Total *int64
	// Tools and ErrorCodes count the matching calls by value, each without regard to its own filter, the
	// most frequent first; nil when they are too many to count.
	Tools, ErrorCodes []types.FacetValue
}

// ListCalls returns a page of tool calls.
func (s *Store) ListCalls(ctx context.Context, q CallQuery) (CallPage, error) {
	var page CallPage
	statement, args := q.statement(s.toolsLike(ctx, q.Text))
	rows, err := s.reads.QueryContext(ctx, statement, args...)
	if err != nil {
		return page, err
	}
	page.Calls, err = scanCalls(rows, q.Limit)
	if err != nil {
		return page, err
	}
	if len(page.Calls) > q.Limit {
		page.Calls = page.Calls[:q.Limit]
		page.Next = &page.Calls[q.Limit-1].EventID
	}
	err = s.countCalls(ctx, q, &page)
	return page, err
}

// toolsLike are the tools whose names have the text in them, of those that were ever called.
func (s *Store) toolsLike(ctx context.Context, text string) []string {
	if text == "" {
		return nil
	}
	rows, err := s.reads.QueryContext(ctx, "SELECT DISTINCT tool FROM call_counts WHERE hour = ? AND instr(lower(tool), lower(?)) > 0", everHour, text)
	if err != nil {
		return nil
	}
	defer rows.Close()
	var found []string
	for rows.Next() {
		var tool string
		if rows.Scan(&tool) == nil {
			found = append(found, tool)
		}
	}
	return found
}

const callColumns = "id, session_id, tool, tab_id, ok, error_code, error_message, duration_ms, result_size_bytes, ts, trace_id, has_screenshot"

// statement reads one call more than the page has, in the order of an index.
func (q CallQuery) statement(textTools []string) (string, []any) {
	columns := callColumns + ", NULL, NULL"
	if q.Detail {
		columns = callColumns + ", args_json, result_text"
	}
	order, than := " ORDER BY id DESC", "<"
	if q.Oldest {
		order, than = " ORDER BY id", ">"
	}
	c := q.conditions(textTools)
	if q.After != "" {
		c.and("id "+than+" ?", q.After)
	}
	index, column, values := q.driver()
	limit := q.Limit + 1
	if len(values) < 2 {
		if len(values) == 1 {
			c.and(column+" = ?", values[0])
		}
		return "SELECT " + columns + " FROM tool_calls" + index + c.where() + order + limitOf(limit), c.args
	}
	// One index cannot give several values in one order. Each gives a page, and the best of them are the
	// page.
	var parts []string
	var args []any
	for _, v := range values {
		parts = append(parts, "SELECT * FROM (SELECT id FROM tool_calls"+index+c.with(column+" = ?")+order+limitOf(limit)+")")
		args = append(append(args, c.args...), v)
	}
	chosen := "SELECT id FROM (" + strings.Join(parts, " UNION ALL ") + ")" + order + limitOf(limit)
	return "SELECT " + columns + " FROM tool_calls WHERE id IN (" + chosen + ")" + order, args
}

// driver chooses the index that leaves the fewest rows, with the column and the values that it is for.
func (q CallQuery) driver() (index, column string, values []any) {
	switch {
	case len(q.SessionIDs) > 0:
		return " INDEXED BY toolcall_session_id_id", "session_id", anys(q.SessionIDs)
	case q.TraceID != nil:
		return " INDEXED BY toolcall_trace_id_id", "trace_id", []any{*q.TraceID}
	case len(q.ErrorCodes) > 0:
		return " INDEXED BY toolcall_error_code_id", "error_code", anys(q.ErrorCodes)
	case q.OK != nil && !*q.OK:
		return " INDEXED BY toolcall_ok_id", "ok", []any{false}
	case len(q.Tools) > 0:
		return " INDEXED BY toolcall_tool_id", "tool", anys(q.Tools)
	case len(q.Owners) > 0:
		return " INDEXED BY toolcall_owner_id", "owner", anys(q.Owners)
	}
	return "", "", nil
}

// conditions are all filters but the one of the driver.
func (q CallQuery) conditions(textTools []string) *conditions {
	_, driver, _ := q.driver()
	c := &conditions{}
	for _, f := range []struct {
		column string
		values []string
	}{{"session_id", q.SessionIDs}, {"owner", q.Owners}, {"tool", q.Tools}, {"error_code", q.ErrorCodes}} {
		if f.column != driver {
			c.in(f.column, f.values)
		}
	}
	if q.OK != nil && driver != "ok" {
		c.and("ok = ?", *q.OK)
	}
	if q.TraceID != nil && driver != "trace_id" {
		c.and("trace_id = ?", *q.TraceID)
	}
	c.between(q.From, q.To)
	if q.Text != "" {
		text := "instr(lower(error_message), lower(?)) > 0"
		args := []any{q.Text}
		if len(textTools) > 0 {
			text = "(" + text + " OR tool IN (" + marks(len(textTools)) + "))"
			args = append(args, anys(textTools)...)
		} else {
			text = "ok = 0 AND " + text
		}
		c.and(text, args...)
	}
	return c
}

func scanCalls(rows *sql.Rows, limit int) ([]types.ToolCall, error) {
	defer rows.Close()
	list := make([]types.ToolCall, 0, limit)
	for rows.Next() {
		var c types.ToolCall
		if err := rows.Scan(&c.EventID, &c.SessionID, &c.Tool, &c.TabID, &c.Ok, &c.ErrorCode, &c.ErrorMessage, &c.DurationMs,
			&c.ResultSizeBytes, &c.Ts, &c.TraceID, &c.HasScreenshot, &c.ArgsJSON, &c.ResultText); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, rows.Err()
}

// countLimit bounds how many rows are counted one by one: some milliseconds. What is more has no total.
const countLimit = 10_000

// countCalls fills in totals and facets. Where only what the counts of hours know is asked for, they come
// from there; else rows are counted, up to countLimit.
func (s *Store) countCalls(ctx context.Context, q CallQuery, page *CallPage) error {
	total, err := s.groups(ctx, q, "")
	if err != nil {
		return err
	}
	if total != nil {
		var n int64
		for _, g := range total {
			n += g.Count
		}
		page.Total = &n
	}
	if !q.Facets {
		return nil
	}
	tools, codes := q, q
	tools.Tools, codes.ErrorCodes = nil, nil
	if page.Tools, err = s.groups(ctx, tools, "tool"); err != nil {
		return err
	}
	page.ErrorCodes, err = s.groups(ctx, codes, "error_code")
	return err
}

// groups counts the calls that a query chooses, by the values of a column, or all together for "". It is
// nil when they are too many.
func (s *Store) groups(ctx context.Context, q CallQuery, column string) ([]types.FacetValue, error) {
	value := "''"
	if column != "" {
		value = column
	}
	if len(q.SessionIDs) > 0 || q.TraceID != nil || q.Text != "" {
		return s.countRows(ctx, q, value, countLimit)
	}
	// Hours that the window has whole come from their counts; the ends of it are counted row by row.
	from, to := time.UnixMilli(0), time.UnixMilli(1<<47)
	var ends []CallQuery
	if q.From != nil {
		if from = q.From.Truncate(time.Hour); from.Before(*q.From) {
			from = from.Add(time.Hour)
			end := q
			end.To = &from
			ends = append(ends, end)
		}
	}
	if q.To != nil {
		if to = q.To.Truncate(time.Hour); to.Before(*q.To) {
			end := q
			end.From = &to
			ends = append(ends, end)
		}
	}
	if q.From != nil && q.To != nil && !from.Before(to) {
		return s.countRows(ctx, q, value, countLimit) // Within two hours.
	}
	c := &conditions{}
	c.in("owner", q.Owners)
	c.in("tool", q.Tools)
	c.in("error_code", q.ErrorCodes)
	if q.OK != nil {
		c.and("(error_code = '') = ?", *q.OK)
	}
	if q.From == nil && q.To == nil {
		c.and("hour = ?", everHour)
	} else {
		c.and("hour >= ? AND hour < ?", from.UnixMilli(), to.UnixMilli())
	}
	if value == "error_code" {
		value = "nullif(error_code, '')"
	}
	found, err := s.facet(ctx, "SELECT "+value+", sum(calls) FROM call_counts"+c.where()+" GROUP BY 1", c.args)
	if err != nil {
		return nil, err
	}
	if column != "" {
		value = column
	}
	for _, end := range ends {
		more, err := s.countRows(ctx, end, value, countLimit)
		if err != nil || more == nil {
			return nil, err
		}
		found = addFacets(found, more)
	}
	sortFacets(found)
	return found, nil
}

// countRows counts rows by a value, nil when there are more than limit.
func (s *Store) countRows(ctx context.Context, q CallQuery, value string, limit int) ([]types.FacetValue, error) {
	c := q.conditions(s.toolsLike(ctx, q.Text))
	index, column, values := q.driver()
	if len(values) > 0 {
		c.and(column+" IN ("+marks(len(values))+")", values...)
	}
	found, err := s.facet(ctx, "SELECT value, count(*) FROM (SELECT "+value+" AS value FROM tool_calls"+index+c.where()+limitOf(limit+1)+") GROUP BY 1", c.args)
	if err != nil {
		return nil, err
	}
	var n int64
	for _, f := range found {
		n += f.Count
	}
	if n > int64(limit) {
		return nil, nil
	}
	sortFacets(found)
	return found, nil
}

func (s *Store) facet(ctx context.Context, statement string, args []any) ([]types.FacetValue, error) {
	rows, err := s.reads.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := []types.FacetValue{}
	for rows.Next() {
		var f types.FacetValue
		if err := rows.Scan(&f.Value, &f.Count); err != nil {
			return nil, err
		}
		found = append(found, f)
	}
	return found, rows.Err()
}

func addFacets(a, b []types.FacetValue) []types.FacetValue {
	for _, f := range b {
		i := slices.IndexFunc(a, func(g types.FacetValue) bool {
			return (f.Value == nil) == (g.Value == nil) && (f.Value == nil || *f.Value == *g.Value)
		})
		if i < 0 {
			a = append(a, f)
		} else {
			a[i].Count += f.Count
		}
	}
	return a
}

func sortFacets(list []types.FacetValue) {
	slices.SortStableFunc(list, func(a, b types.FacetValue) int {
		switch {
		case a.Count != b.Count:
			return int(b.Count - a.Count)
		case a.Value == nil || b.Value == nil:
			return 0
		}
		return strings.Compare(*a.Value, *b.Value)
	})
}
