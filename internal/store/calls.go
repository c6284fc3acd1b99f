package store

import (
	"context"
	"slices"
	"time"

	"github.com/browserhive/browserhive/gen/types"
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

func callTable(detail bool) table[types.ToolCall] {
	long := ", NULL, NULL"
	if detail {
		long = ", args_json, result_text"
	}
	const columns = "id, session_id, tool, tab_id, ok, error_code, error_message, duration_ms, result_size_bytes, ts, trace_id, has_screenshot"
	return table[types.ToolCall]{tableCalls, columns + long, func(c *types.ToolCall) []any {
		return []any{
			&c.EventID, &c.SessionID, &c.Tool, &c.TabID, &c.Ok, &c.ErrorCode, &c.ErrorMessage, &c.DurationMs,
			&c.ResultSizeBytes, &c.Ts, &c.TraceID, &c.HasScreenshot, &c.ArgsJSON, &c.ResultText,
		}
	}}
}

// ListCalls returns a page of tool calls, with the facets tool and error_code.
func (s *Store) ListCalls(ctx context.Context, q CallQuery) (Page[types.ToolCall], error) {
	said, err := s.said(ctx, q.Text)
	if err != nil {
		return Page[types.ToolCall]{}, err
	}
	asks := q.question(said)
	page, err := list(ctx, s, callTable(q.Detail), asks.asked())
	if err != nil {
		return page, err
	}
	return page, countOf(ctx, &page, asks, func(ctx context.Context, asks question, columns []string) ([]group, bool, error) {
		return s.callGroups(ctx, q, asks, columns)
	})
}

const (
	failed    = "ok = 0"
	succeeded = "ok = 1"
)

// callWays are in the order of how few rows they usually leave.
var callWays = []way{
	{index: "toolcall_session_id_id", columns: []string{"session_id"}, covers: true},
	{index: "toolcall_trace_id_id", columns: []string{"trace_id"}},
	{index: "toolcall_error_code_id", columns: []string{"error_code"}},
	{index: "toolcall_failure", facts: []string{failed}, covers: true},
	{either: true},
	{index: "toolcall_tool_id", columns: []string{"tool"}},
	{index: "toolcall_owner_id", columns: []string{"owner"}},
	{index: "toolcall_id", covers: true},
}

func (q CallQuery) question(said said) question {
	a := question{Span: q.Span, table: tableCalls, ways: callWays, facets: []facet{
		{name: "tool", column: "tool", chosen: q.Tools}, {name: "error_code", column: "error_code", chosen: q.ErrorCodes},
	}}
	a.filter("session_id", values(q.SessionIDs))
	a.filter("owner", values(q.Owners))
	if q.TraceID != nil {
		a.filter("trace_id", []any{*q.TraceID})
	}
	if q.OK != nil {
		a.facts = []string{failed}
		if *q.OK {
			a.facts = []string{succeeded}
		}
	}
	a.bounds.between(q.From, q.To)
	if q.Text != "" {
		said.ask(&a, q.Text, q.OK != nil && *q.OK)
	}
	return a
}

// said are the tools and the codes that have a text in their names.
type said struct{ tools, codes []string }

// said finds them among those that were ever called and answered, which are few.
func (s *Store) said(ctx context.Context, text string) (found said, err error) {
	if text == "" {
		return found, nil
	}
	for name, list := range map[string]*[]string{"tool": &found.tools, "error_code": &found.codes} {
		c := contains(text, name)
		c.and("hour = ?", everHour)
		if *list, err = column(s.reads.QueryContext(ctx, "SELECT DISTINCT "+name+" FROM call_counts"+c.where(), c.args...)); err != nil {
			return found, err
		}
	}
	return found, nil
}

// ask adds the text to a question. Each call is in one of three places: among those of a tool, else those of
// a code, else the other failures, whose messages stand in an index of their own.
func (f said) ask(q *question, text string, ok bool) {
	var inTools, inCodes, message conditions
	inTools.and("tool IN ("+marks(len(f.tools))+")", values(f.tools)...)
	if ok { // A call that succeeded has no failure to find.
		q.rest.add(inTools)
	} else {
		inCodes.and("error_code IN ("+marks(len(f.codes))+")", values(f.codes)...)
		message = contains(text, "error_message")
		q.rest.and("("+inTools.list[0]+" OR "+inCodes.list[0]+" OR "+message.list[0]+")", slices.Concat(inTools.args, inCodes.args, message.args)...)
	}
	var either []branch
	for _, tool := range f.tools {
		b := branch{index: "toolcall_tool_id"}
		b.lead.and("tool = ?", tool)
		either = append(either, b)
	}
	if !ok {
		for _, code := range f.codes {
			b := branch{index: "toolcall_error_code_id"}
			b.lead.and("error_code = ?", code)
			b.rest.and("NOT "+inTools.list[0], inTools.args...)
			either = append(either, b)
		}
		b := branch{index: "toolcall_failure", covers: true}
		b.lead.and(failed)
		b.rest.add(message)
		b.rest.and("NOT "+inTools.list[0], inTools.args...)
		b.rest.and("NOT "+inCodes.list[0], inCodes.args...)
		either = append(either, b)
	}
	if len(either) <= branchLimit {
		q.either = either
	}
}
