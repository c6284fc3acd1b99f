package store

import (
	"context"

	"github.com/browserhive/browserhive/gen/ent"
	"github.com/browserhive/browserhive/gen/ent/systemevent"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/record"
)

const tableEvents = "system_events"

// Degrade notes that something is wrong with the server. While it lasts, the same code counts up.
func (s *Store) Degrade(failure *contract.Error, severity types.Severity) {
	at := s.opts.Now().UnixMilli()
	s.writer.add(tableEvents, func(ctx context.Context, tx *ent.Tx) error {
		n, err := tx.SystemEvent.Update().
			Where(systemevent.Code(string(failure.Code)), systemevent.Cause(""), systemevent.ResolvedAtIsNil()).
			SetLastSeenAt(at).AddCount(1).SetSeverity(string(severity)).SetMessage(failure.Message).SetDetails(failure.Details).
			Save(ctx)
		if err != nil || n > 0 {
			return err
		}
		return tx.SystemEvent.Create().
			SetID(record.NewID()).SetCode(string(failure.Code)).SetSeverity(string(severity)).SetMessage(failure.Message).
			SetDetails(failure.Details).SetFirstSeenAt(at).SetLastSeenAt(at).
			Exec(ctx)
	})
}

// Recover notes that what Degrade told of is over.
func (s *Store) Recover(code contract.Code) {
	at := s.opts.Now().UnixMilli()
	s.writer.add(tableEvents, func(ctx context.Context, tx *ent.Tx) error {
		return tx.SystemEvent.Update().
			Where(systemevent.Code(string(code)), systemevent.ResolvedAtIsNil()).SetResolvedAt(at).
			Exec(ctx)
	})
}

// Degradations returns what is wrong now, the latest first.
func (s *Store) Degradations(ctx context.Context) ([]types.SystemEvent, error) {
	page, err := s.ListSystemEvents(ctx, SystemEventQuery{Span: Span{Limit: degradations}, Resolved: new(bool)})
	return page.Rows, err
}

// degradations bounds a list of what is wrong: there are some ten codes of degradations.
const degradations = 100
