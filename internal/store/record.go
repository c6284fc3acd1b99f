package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/browserhive/browserhive/gen/ent"
	"github.com/browserhive/browserhive/gen/ent/row"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/record"
)

// The tables that records go to, as lost rows are counted.
const (
	tableSessions = "sessions"
	tableCalls    = "tool_calls"
	tablePages    = "pages"
	tableBlocked  = "blocked_attempts"
	tableShots    = "screenshots"
)

// insert adds a row.
func insert(ctx context.Context, tx *ent.Tx, r row.Row) error {
	statement, args := r.Insert()
	return execute(ctx, tx, statement, args...)
}

// execute runs a statement that returns no rows.
func execute(ctx context.Context, tx *ent.Tx, statement string, args ...any) error {
	_, err := tx.ExecContext(ctx, statement, args...)
	return err
}

// AddCall implements record.Store.
func (s *Store) AddCall(c record.Call) {
	s.writer.add(tableCalls, func(ctx context.Context, tx *ent.Tx) error {
		err := insert(ctx, tx, row.ToolCall{
			ID: c.ID, Ts: c.At.UnixMilli(), SessionID: c.SessionID, Owner: c.Owner, Tool: c.Tool, TabID: c.TabID, Ok: c.ErrorCode == nil,
			ErrorCode: c.ErrorCode, ErrorMessage: c.ErrorMessage, DurationMs: c.Took.Milliseconds(), ResultSizeBytes: c.ResultSize,
			TraceID: c.TraceID, HasScreenshot: c.HasScreenshot, Client: c.Client, ArgsJSON: c.Args, ResultText: c.Result,
		})
		if err != nil {
			return err
		}
		if err := countCall(ctx, tx, c); err != nil || c.SessionID == nil {
			return err
		}
		return execute(ctx, tx, "UPDATE sessions SET tool_calls = tool_calls + 1, errors = errors + ?, last_activity_at = ? WHERE id = ?",
			c.ErrorCode != nil, c.At.UnixMilli(), *c.SessionID)
	})
}

// allHours is the hour of the counts over all hours, which a list without a window needs at once.
const allHours = -1

// countCall counts a call into its hour and into all.
func countCall(ctx context.Context, tx *ent.Tx, c record.Call) error {
	for _, hour := range []int64{c.At.Truncate(time.Hour).UnixMilli(), allHours} {
		statement, args := row.CallCount{Hour: hour, Owner: c.Owner, Tool: c.Tool, ErrorCode: text(c.ErrorCode), Calls: 1}.Insert()
		err := execute(ctx, tx, statement+" ON CONFLICT (hour, owner, tool, error_code) DO UPDATE SET calls = calls + 1", args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// AddVisit implements record.Store.
func (s *Store) AddVisit(v record.Visit) {
	s.writer.add(tablePages, func(ctx context.Context, tx *ent.Tx) error {
		err := insert(ctx, tx, row.Page{
			ID: v.ID, Ts: v.At.UnixMilli(), SessionID: v.SessionID, TabID: v.TabID, URL: v.URL, Title: v.Title, Domain: v.Domain,
			Category: string(v.Category),
		})
		if err != nil {
			return err
		}
		return execute(ctx, tx, "UPDATE sessions SET pages = pages + 1, current_url = ? WHERE id = ?", v.URL, v.SessionID)
	})
}

// AddBlocked implements record.Store.
func (s *Store) AddBlocked(b record.Blocked) {
	s.writer.add(tableBlocked, func(ctx context.Context, tx *ent.Tx) error {
		err := insert(ctx, tx, row.BlockedAttempt{
			ID: b.ID, Ts: b.At.UnixMilli(), SessionID: b.SessionID, SessionSlug: b.SessionSlug, ToolEventID: b.CallID, URL: b.URL,
			Domain: b.Domain, Pattern: b.Pattern, Source: string(b.Source), Tool: b.Tool,
		})
		if err != nil {
			return err
		}
		return execute(ctx, tx, "UPDATE sessions SET blocked = blocked + 1 WHERE id = ?", b.SessionID)
	})
}

// AddScreenshot implements record.Store.
func (s *Store) AddScreenshot(r record.Screenshot) {
	s.writer.add(tableShots, func(ctx context.Context, tx *ent.Tx) error {
		err := insert(ctx, tx, row.Screenshot{
			ID: r.ID, Ts: r.At.UnixMilli(), SessionID: r.SessionID, Tool: r.Tool, Kind: string(r.Kind), ContentType: r.ContentType,
			Width: &r.Width, Height: &r.Height, SizeBytes: r.Size, Path: r.Path,
		})
		if err != nil {
			return err
		}
		return execute(ctx, tx, "UPDATE sessions SET screenshots = screenshots + 1 WHERE id = ?", r.SessionID)
	})
}

// AddSession implements record.Store.
func (s *Store) AddSession(r record.Session) {
	s.writer.add(tableSessions, func(ctx context.Context, tx *ent.Tx) error {
		identity, err := optionalJSON(r.Identity)
		if err != nil {
			return err
		}
		client, err := optionalJSON(r.Client)
		if err != nil {
			return err
		}
		trace, err := optionalJSON(r.Trace)
		if err != nil {
			return err
		}
		no := false
		return insert(ctx, tx, row.Session{
			ID: r.ID, Slug: r.Slug, Owner: r.Owner, Channel: string(r.Channel), Engine: optional(string(r.Engine)), Headless: r.Headless,
			Incognito: r.Incognito, PersistenceMode: string(r.Persistence), State: string(types.SessionStateLive),
			CreatedAt: r.CreatedAt.UnixMilli(), LastActivityAt: r.CreatedAt.UnixMilli(), DisableEvaluate: r.DisableEvaluate,
			VaultEnabled: r.VaultEnabled, Stealth: &r.Stealth, Fingerprint: &no, Humanize: &no, ProxyLabel: r.ProxyLabel,
			Identity: identity, Client: client, Warnings: r.Warnings, Trace: trace,
		})
	})
}

// optionalJSON encodes a value; nil stays nil.
func optionalJSON[T any](v *T) (json.RawMessage, error) {
	if v == nil {
		return nil, nil
	}
	return json.Marshal(v)
}

// jsonOrNull is JSON as a column has it; nothing is NULL.
func jsonOrNull(raw json.RawMessage) any {
	if len(raw) == 0 {
		return nil
	}
	return []byte(raw)
}

// warned is the column of warnings with one more. A session without warnings has none, or null.
const warned = "json_insert(iif(json_type(warnings) = 'array', warnings, '[]'), '$[#]', ?)"

// SetTrace implements record.Store.
func (s *Store) SetTrace(sessionID string, t record.Trace, warning *string) {
	s.writer.add(tableSessions, func(ctx context.Context, tx *ent.Tx) error {
		trace, err := json.Marshal(t)
		if err != nil {
			return err
		}
		if warning == nil {
			return execute(ctx, tx, "UPDATE sessions SET trace = ? WHERE id = ?", trace, sessionID)
		}
		return execute(ctx, tx, "UPDATE sessions SET trace = ?, warnings = "+warned+" WHERE id = ?", trace, *warning, sessionID)
	})
}

// EndSession implements record.Store.
func (s *Store) EndSession(e record.End) {
	s.writer.add(tableSessions, func(ctx context.Context, tx *ent.Tx) error {
		state := types.SessionStateClosed
		if e.Reason == types.ClosedReasonCrash {
			state = types.SessionStateCrashed
		}
		return execute(ctx, tx, "UPDATE sessions SET state = ?, closed_at = ?, closed_reason = ?, current_url = coalesce(?, current_url) WHERE id = ?",
			string(state), e.At.UnixMilli(), string(e.Reason), e.LastURL, e.SessionID)
	})
}

// Interrupt marks the sessions that a server which died left open, and returns how many there were. It is
// on the disk when it returns.
func (s *Store) Interrupt(ctx context.Context, at time.Time) (n int, err error) {
	return result(ctx, s.writer, tableSessions, func(ctx context.Context, tx *ent.Tx) (int, error) {
		if err := failOpenTraces(ctx, tx); err != nil {
			return 0, err
		}
		return affected(tx.ExecContext(ctx, "UPDATE sessions SET state = ?, closed_at = ?, closed_reason = ? WHERE closed_at IS NULL",
			string(types.SessionStateClosed), at.UnixMilli(), string(types.ClosedReasonInterrupted)))
	})
}

// hasTrace chooses sessions with a trace: earlier versions kept null for none.
const hasTrace = "json_type(trace) = 'object'"

// failOpenTraces marks the traces of open sessions as failed: what their server had not written yet still held
// secrets that nobody knows any more, and is gone with it.
func failOpenTraces(ctx context.Context, tx *ent.Tx) error {
	trace, err := json.Marshal(record.Trace{State: types.TraceStateFailed})
	if err != nil {
		return err
	}
	return execute(ctx, tx, "UPDATE sessions SET trace = ?, warnings = "+warned+" WHERE closed_at IS NULL AND "+hasTrace,
		trace, string(errcode.CodeTraceFinalizeFailed)+": the server ended before the session did")
}
