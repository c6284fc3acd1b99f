package store

import (
	"context"

	"github.com/browserhive/browserhive/gen/ent"
	"github.com/browserhive/browserhive/gen/ent/row"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/record"
)

const tableEvents = "system_events"

// Degrade notes that something is wrong with the server. While it lasts, the same code counts up.
func (s *Store) Degrade(failure *contract.Error, severity types.Severity) {
	at := s.opts.Now().UnixMilli()
	event := row.SystemEvent{
		ID: record.NewID(), Code: string(failure.Code), Severity: string(severity), Message: failure.Message, Details: failure.Details,
		FirstSeenAt: at, LastSeenAt: at, Count: 1,
	}
	s.writer.add(tableEvents, func(ctx context.Context, tx *ent.Tx) error {
		n, err := affected(tx.ExecContext(ctx, "UPDATE system_events SET last_seen_at = ?, count = count + 1, severity = ?, message = ?, details = ? "+
			"WHERE code = ? AND cause = '' AND resolved_at IS NULL",
			at, event.Severity, event.Message, jsonOrNull(event.Details), event.Code))
		if err != nil || n > 0 {
			return err
		}
		return insert(ctx, tx, event)
	})
}

// Recover notes that what Degrade told of is over.
func (s *Store) Recover(code contract.Code) {
	at := s.opts.Now().UnixMilli()
	s.writer.add(tableEvents, func(ctx context.Context, tx *ent.Tx) error {
		return execute(ctx, tx, "UPDATE system_events SET resolved_at = ? WHERE code = ? AND resolved_at IS NULL", at, string(code))
	})
}

// Degradations returns what is wrong now, the latest first.
func (s *Store) Degradations(ctx context.Context) ([]types.SystemEvent, error) {
	page, err := s.ListSystemEvents(ctx, SystemEventQuery{Span: Span{Limit: maxDegradations}, Resolved: new(bool)})
	return page.Rows, err
}

// maxDegradations bounds a list of what is wrong: some ten codes are degradations.
const maxDegradations = 100
