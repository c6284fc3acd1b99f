package store

import (
	"context"
	"encoding/json"
	"errors"
	"maps"

	"github.com/browserhive/browserhive/gen/ent"
	"github.com/browserhive/browserhive/gen/ent/row"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/record"
)

const tableLogs = "log_records"

// errBusy is why a log record is not kept while the disk is behind.
var errBusy = errors.New("the queue is half full, and the rest of it is for what happened")

// AddLog keeps a record of the server log. A flood of them never takes the place of other rows: above half
// of the queue they are dropped and counted.
func (s *Store) AddLog(r types.LogRecord) {
	if len(s.writer.queue) > maxQueue/2 {
		s.writer.drop(tableLogs, errBusy)
		return
	}
	id := record.NewID()
	s.writer.add(tableLogs, func(ctx context.Context, tx *ent.Tx) error {
		attrs, err := logAttrs(r)
		if err != nil {
			return err
		}
		return insert(ctx, tx, row.LogRecord{
			ID: id, Ts: r.Ts, Seq: r.Seq, Level: string(r.Level), Msg: r.Msg, Module: r.Module, SessionID: r.SessionID,
			Principal: r.Principal, TraceID: r.TraceID, RequestID: r.RequestID, Attrs: attrs,
		})
	})
}

// logAttrs are the parts of a record that have no column.
func logAttrs(r types.LogRecord) (json.RawMessage, error) {
	rest := maps.Clone(r.Extra)
	if rest == nil {
		rest = map[string]json.RawMessage{}
	}
	for key, v := range map[string]any{"span_id": r.SpanID, "transport": r.Transport, "err": r.Err} {
		raw, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		if string(raw) != "null" {
			rest[key] = raw
		}
	}
	if len(rest) == 0 {
		return nil, nil
	}
	return json.Marshal(rest)
}
