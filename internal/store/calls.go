package store

import (
	"context"
	"time"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/store/listing"
)

// CallQuery chooses tool calls by the time at which they started. Empty lists and nil choose all.
type CallQuery struct {
	Span
	SessionIDs, Owners, Tools, ErrorCodes []string
	OK                                    *bool
	TraceID                               *string
	// From and To bound when a call started: at or after, and before.
	From, To *time.Time
	// Text is a part of the tool's name, or of the code or the message of the failure.
	Text string
	// Detail fills in arguments and results.
	Detail bool
}

func callTable(detail bool) listing.Table[types.ToolCall] {
	long := ", NULL, NULL"
	if detail {
		long = ", args_json, result_text"
	}
	const columns = "id, session_id, tool, tab_id, ok, error_code, error_message, duration_ms, result_size_bytes, ts, trace_id, has_screenshot"
	return listing.Table[types.ToolCall]{Columns: columns + long, Into: func(c *types.ToolCall) []any {
		return []any{
			&c.EventID, &c.SessionID, &c.Tool, &c.TabID, &c.Ok, &c.ErrorCode, &c.ErrorMessage, &c.DurationMs,
			&c.ResultSizeBytes, &c.Ts, &c.TraceID, &c.HasScreenshot, &c.ArgsJSON, &c.ResultText,
		}
	}}
}

// ListCalls returns a page of tool calls, with the facets tool and error_code.
func (s *Store) ListCalls(ctx context.Context, q CallQuery) (Page[types.ToolCall], error) {
	matches, err := s.matchText(ctx, q.Text)
	if err != nil {
		return Page[types.ToolCall]{}, err
	}
	query := q.query(matches)
	page, err := listing.Read(ctx, s.reads, callTable(q.Detail), query)
	if err != nil {
		return page, err
	}
	return page, listing.Count(ctx, &page, query, func(ctx context.Context, query listing.Query, columns []string) ([]listing.Group, bool, error) {
		return s.callGroups(ctx, q, query, columns)
	})
}

const (
	failed    = "ok = 0"
	succeeded = "ok = 1"
)

// callPaths are in the order of how few rows they usually leave.
var callPaths = []listing.AccessPath{
	{Index: "toolcall_session_id_id", Columns: []string{"session_id"}, Covering: true},
	{Index: "toolcall_trace_id_id", Columns: []string{"trace_id"}},
	{Index: "toolcall_error_code_id", Columns: []string{"error_code"}},
	{Index: "toolcall_failure", Predicates: []string{failed}, Covering: true},
	{Union: true},
	{Index: "toolcall_tool_id", Columns: []string{"tool"}},
	{Index: "toolcall_owner_id", Columns: []string{"owner"}},
	{Index: "toolcall_id", Covering: true},
}

func (q CallQuery) query(matches textMatches) listing.Query {
	list := listing.Query{Span: q.Span, Table: tableCalls, Paths: callPaths, Facets: []listing.Facet{
		listing.NewFacet("tool", q.Tools), listing.NewFacet("error_code", q.ErrorCodes),
	}}
	list.Filter("session_id", listing.Values(q.SessionIDs))
	list.Filter("owner", listing.Values(q.Owners))
	if q.TraceID != nil {
		list.Filter("trace_id", []any{*q.TraceID})
	}
	if q.OK != nil {
		list.Predicates = []string{failed}
		if *q.OK {
			list.Predicates = []string{succeeded}
		}
	}
	list.Range = idsWithin(q.From, q.To)
	if q.Text != "" {
		matches.restrict(&list, q.Text, q.OK != nil && *q.OK)
	}
	return list
}

// textMatches are the tools and the error codes that have a text in their names.
type textMatches struct{ tools, codes []string }

// matchText finds them among those that were ever called and answered, which are few.
func (s *Store) matchText(ctx context.Context, text string) (found textMatches, err error) {
	if text == "" {
		return found, nil
	}
	for name, list := range map[string]*[]string{"tool": &found.tools, "error_code": &found.codes} {
		matching := listing.Contains(text, name)
		matching.And("hour = ?", allHours)
		where, args := matching.SQL()
		if *list, err = column(s.reads.QueryContext(ctx, "SELECT DISTINCT "+name+" FROM call_counts"+where, args...)); err != nil {
			return found, err
		}
	}
	return found, nil
}

// restrict adds the text to a query. A call that matches is in one of three places: among those of a matching
// tool, else those of a matching code, else the other failures, whose messages stand in an index of their own.
func (m textMatches) restrict(q *listing.Query, text string, succeeded bool) {
	inTools, inCodes := listing.In("tool", listing.Values(m.tools)), listing.In("error_code", listing.Values(m.codes))
	inMessage := listing.Contains(text, "error_message")
	if succeeded { // There is no failure to search.
		q.Residual.Add(inTools)
	} else {
		q.Residual.Or(inTools, inCodes, inMessage)
	}
	var union []listing.IndexScan
	for _, tool := range m.tools {
		union = append(union, listing.IndexScan{Index: "toolcall_tool_id", Prefix: listing.Where("tool = ?", tool)})
	}
	if !succeeded {
		for _, code := range m.codes {
			scan := listing.IndexScan{Index: "toolcall_error_code_id", Prefix: listing.Where("error_code = ?", code)}
			scan.Residual.Not(inTools)
			union = append(union, scan)
		}
		failures := listing.IndexScan{Index: "toolcall_failure", Prefix: listing.Where(failed), Residual: inMessage, Covering: true}
		failures.Residual.Not(inTools)
		failures.Residual.Not(inCodes)
		union = append(union, failures)
	}
	if len(union) <= listing.MaxScans {
		q.Union = union
	}
}
