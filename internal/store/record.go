package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/browserhive/browserhive/gen/ent"
	"github.com/browserhive/browserhive/gen/ent/callcount"
	"github.com/browserhive/browserhive/gen/ent/session"
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

// AddCall implements record.Store.
func (s *Store) AddCall(c record.Call) {
	s.writer.add(tableCalls, func(ctx context.Context, tx *ent.Tx) error {
		err := tx.ToolCall.Create().
			SetID(c.ID).SetTs(c.At.UnixMilli()).SetNillableSessionID(c.SessionID).SetOwner(c.Owner).SetTool(c.Tool).
			SetNillableTabID(c.TabID).SetOk(c.ErrorCode == nil).SetNillableErrorCode(c.ErrorCode).
			SetNillableErrorMessage(c.ErrorMessage).SetDurationMs(c.Took.Milliseconds()).
			SetNillableResultSizeBytes(c.ResultSize).SetNillableTraceID(c.TraceID).SetHasScreenshot(c.HasScreenshot).SetClient(c.Client).
			SetNillableArgsJSON(c.Args).SetNillableResultText(c.Result).
			Exec(ctx)
		if err != nil {
			return err
		}
		if err := countCall(ctx, tx, c); err != nil || c.SessionID == nil {
			return err
		}
		update := tx.Session.Update().Where(session.ID(*c.SessionID)).AddToolCalls(1).SetLastActivityAt(c.At.UnixMilli())
		if c.ErrorCode != nil {
			update.AddErrors(1)
		}
		return update.Exec(ctx)
	})
}

// everHour is the hour of the counts over all hours, which a list without a window needs at once.
const everHour = -1

// countCall counts a call into its hour and into all.
func countCall(ctx context.Context, tx *ent.Tx, c record.Call) error {
	code := ""
	if c.ErrorCode != nil {
		code = *c.ErrorCode
	}
	for _, hour := range []int64{c.At.Truncate(time.Hour).UnixMilli(), everHour} {
		err := tx.CallCount.Create().
			SetHour(hour).SetOwner(c.Owner).SetTool(c.Tool).SetErrorCode(code).SetCalls(1).
			OnConflictColumns(callcount.FieldHour, callcount.FieldOwner, callcount.FieldTool, callcount.FieldErrorCode).
			Update(func(u *ent.CallCountUpsert) { u.AddCalls(1) }).
			Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// AddVisit implements record.Store.
func (s *Store) AddVisit(v record.Visit) {
	s.writer.add(tablePages, func(ctx context.Context, tx *ent.Tx) error {
		err := tx.Page.Create().
			SetID(v.ID).SetTs(v.At.UnixMilli()).SetSessionID(v.SessionID).SetNillableTabID(v.TabID).SetURL(v.URL).
			SetNillableTitle(v.Title).SetNillableDomain(v.Domain).SetCategory(string(v.Category)).
			Exec(ctx)
		if err != nil {
			return err
		}
		return tx.Session.Update().Where(session.ID(v.SessionID)).AddPages(1).SetCurrentURL(v.URL).Exec(ctx)
	})
}

// AddBlocked implements record.Store.
func (s *Store) AddBlocked(b record.Blocked) {
	s.writer.add(tableBlocked, func(ctx context.Context, tx *ent.Tx) error {
		err := tx.BlockedAttempt.Create().
			SetID(b.ID).SetTs(b.At.UnixMilli()).SetSessionID(b.SessionID).SetSessionSlug(b.SessionSlug).
			SetNillableToolEventID(b.CallID).SetURL(b.URL).SetNillableDomain(b.Domain).SetPattern(b.Pattern).
			SetSource(string(b.Source)).SetNillableTool(b.Tool).
			Exec(ctx)
		if err != nil {
			return err
		}
		return tx.Session.Update().Where(session.ID(b.SessionID)).AddBlocked(1).Exec(ctx)
	})
}

// AddScreenshot implements record.Store.
func (s *Store) AddScreenshot(r record.Screenshot) {
	s.writer.add(tableShots, func(ctx context.Context, tx *ent.Tx) error {
		err := tx.Screenshot.Create().
			SetID(r.ID).SetTs(r.At.UnixMilli()).SetSessionID(r.SessionID).SetTool(r.Tool).SetKind(string(r.Kind)).
			SetContentType(r.ContentType).SetWidth(r.Width).SetHeight(r.Height).SetSizeBytes(r.Size).
			SetPath(r.Path).
			Exec(ctx)
		if err != nil {
			return err
		}
		return tx.Session.Update().Where(session.ID(r.SessionID)).AddScreenshots(1).Exec(ctx)
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
		return tx.Session.Create().
			SetID(r.ID).SetSlug(r.Slug).SetOwner(r.Owner).SetChannel(string(r.Channel)).SetEngine(string(r.Engine)).
			SetHeadless(r.Headless).SetIncognito(r.Incognito).SetPersistenceMode(string(r.Persistence)).
			SetState(string(types.SessionStateLive)).SetCreatedAt(r.CreatedAt.UnixMilli()).
			SetLastActivityAt(r.CreatedAt.UnixMilli()).SetDisableEvaluate(r.DisableEvaluate).
			SetVaultEnabled(r.VaultEnabled).SetStealth(r.Stealth).SetFingerprint(false).SetHumanize(false).
			SetNillableProxyLabel(r.ProxyLabel).SetIdentity(identity).SetClient(client).SetWarnings(r.Warnings).SetTrace(trace).
			Exec(ctx)
	})
}

// optionalJSON encodes a value; nil stays nil.
func optionalJSON[T any](v *T) (json.RawMessage, error) {
	if v == nil {
		return nil, nil
	}
	return json.Marshal(v)
}

// SetTrace implements record.Store.
func (s *Store) SetTrace(sessionID string, t record.Trace, warning *string) {
	s.writer.add(tableSessions, func(ctx context.Context, tx *ent.Tx) error {
		trace, err := json.Marshal(t)
		if err != nil {
			return err
		}
		update := tx.Session.Update().Where(session.ID(sessionID)).SetTrace(trace)
		if warning != nil {
			update.AppendWarnings([]string{*warning})
		}
		return update.Exec(ctx)
	})
}

// EndSession implements record.Store.
func (s *Store) EndSession(e record.End) {
	s.writer.add(tableSessions, func(ctx context.Context, tx *ent.Tx) error {
		state := types.SessionStateClosed
		if e.Reason == types.ClosedReasonCrash {
			state = types.SessionStateCrashed
		}
		update := tx.Session.Update().Where(session.ID(e.SessionID)).
			SetState(string(state)).SetClosedAt(e.At.UnixMilli()).SetClosedReason(string(e.Reason))
		if e.LastURL != nil {
			update.SetCurrentURL(*e.LastURL)
		}
		return update.Exec(ctx)
	})
}

// Interrupt marks the sessions that a server which died left open, and returns how many there were. It is
// on the disk when it returns.
func (s *Store) Interrupt(ctx context.Context, at time.Time) (n int, err error) {
	return result(ctx, s.writer, tableSessions, func(ctx context.Context, tx *ent.Tx) (int, error) {
		if err := breakOffTraces(ctx, tx); err != nil {
			return 0, err
		}
		return tx.Session.Update().Where(session.ClosedAtIsNil()).
			SetState(string(types.SessionStateClosed)).SetClosedAt(at.UnixMilli()).
			SetClosedReason(string(types.ClosedReasonInterrupted)).
			Save(ctx)
	})
}

// breakOffTraces marks the traces of open sessions as failed: what their server had not written yet still held
// secrets that nobody knows any more, and is gone with it.
func breakOffTraces(ctx context.Context, tx *ent.Tx) error {
	failed, err := json.Marshal(record.Trace{State: types.TraceStateFailed})
	if err != nil {
		return err
	}
	return tx.Session.Update().Where(session.ClosedAtIsNil(), session.TraceNotNil()).SetTrace(failed).
		AppendWarnings([]string{string(errcode.CodeTraceFinalizeFailed) + ": the server ended before the session did"}).
		Exec(ctx)
}
