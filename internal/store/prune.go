package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/browserhive/browserhive/gen/ent"
	"github.com/browserhive/browserhive/internal/record"
)

// prunable are the tables whose rows are removed with age. Their ids sort by time.
var prunable = []struct {
	name    string
	session bool // Whether a row may belong to a session, which keeps it once it is archived.
	// condition is what else a row has to meet, with AND before it.
	condition string
}{
	{"tool_calls", true, ""}, {"pages", true, ""}, {"blocked_attempts", true, ""}, {"screenshots", true, ""},
	{"vault_accesses", true, ""}, {"requests", true, " AND status <> 'pending'"}, {"auth_audit", false, ""},
	{"notifications", false, ""}, {"system_events", false, " AND resolved_at IS NOT NULL"},
}

// Prune removes at most limit rows that are older than before, and returns how many it removed, and the files
// that belonged to them, by paths below the data directory. Rows of archived sessions stay.
func (s *Store) Prune(ctx context.Context, before time.Time, limit int) (rows int, files []string, err error) {
	type pruned struct {
		rows  int
		files []string
	}
	p, err := result(ctx, s.writer, tableMaintenance, func(ctx context.Context, tx *ent.Tx) (p pruned, err error) {
		for _, t := range prunable {
			if p.rows >= limit {
				break
			}
			where := "id < ?" + t.condition
			if t.session {
				where += " AND (session_id IS NULL OR session_id NOT IN (SELECT id FROM sessions WHERE archived_at IS NOT NULL))"
			}
			chosen := fmt.Sprintf("(SELECT id FROM %s WHERE %s ORDER BY id LIMIT %d)", t.name, where, limit-p.rows)
			if t.name == tableCalls {
				if err := uncount(ctx, tx, chosen, record.FirstID(before)); err != nil {
					return p, err
				}
			}
			if t.name == tableShots {
				if p.files, err = column(tx.QueryContext(ctx, "SELECT path FROM screenshots WHERE id IN "+chosen, record.FirstID(before))); err != nil {
					return p, fmt.Errorf("%s: %w", t.name, err)
				}
			}
			n, err := affected(tx.ExecContext(ctx, "DELETE FROM "+t.name+" WHERE id IN "+chosen, record.FirstID(before)))
			if err != nil {
				return p, fmt.Errorf("%s: %w", t.name, err)
			}
			p.rows += n
		}
		return p, nil
	})
	return p.rows, p.files, err
}

// column reads a query of one column.
func column(rows *sql.Rows, err error) (list []string, _ error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, rows.Err()
}

// uncount takes calls that are about to be removed out of the counts of their hours. chosen selects them.
func uncount(ctx context.Context, tx *ent.Tx, chosen string, args ...any) error {
	groups, err := tx.QueryContext(ctx, "SELECT ts / 3600000 * 3600000, owner, tool, coalesce(error_code, ''), count(*) FROM tool_calls WHERE id IN "+chosen+" GROUP BY 1, 2, 3, 4", args...)
	if err != nil {
		return err
	}
	type group struct {
		hour, calls       int64
		owner, tool, code string
	}
	var gone []group
	for groups.Next() {
		var g group
		if err := groups.Scan(&g.hour, &g.owner, &g.tool, &g.code, &g.calls); err != nil {
			return errors.Join(err, groups.Close())
		}
		gone = append(gone, g)
	}
	if err := errors.Join(groups.Err(), groups.Close()); err != nil {
		return err
	}
	for _, g := range gone {
		if _, err := tx.ExecContext(ctx, "UPDATE call_counts SET calls = calls - ? WHERE hour IN (?, ?) AND owner = ? AND tool = ? AND error_code = ?", g.calls, g.hour, allHours, g.owner, g.tool, g.code); err != nil {
			return err
		}
	}
	if len(gone) == 0 {
		return nil
	}
	_, err = tx.ExecContext(ctx, "DELETE FROM call_counts WHERE calls <= 0")
	return err
}

// PruneLogs removes at most limit kept log records that are older than before.
func (s *Store) PruneLogs(ctx context.Context, before time.Time, limit int) (rows int, err error) {
	return result(ctx, s.writer, tableMaintenance, func(ctx context.Context, tx *ent.Tx) (int, error) {
		return affected(tx.ExecContext(ctx, fmt.Sprintf(
			"DELETE FROM log_records WHERE id IN (SELECT id FROM log_records WHERE id < ? ORDER BY id LIMIT %d)", limit), record.FirstID(before)))
	})
}

func affected(result sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}

// tableMaintenance is what steps of maintenance are counted under. They run in the writer, behind what
// waits.
const tableMaintenance = "maintenance"

// Ended returns sessions that ended before a time and of which no rows are left, at most limit, the oldest
// first. Archived ones are not among them.
func (s *Store) Ended(ctx context.Context, before time.Time, limit int) ([]string, error) {
	query := "SELECT s.id FROM sessions s WHERE s.closed_at < ? AND s.archived_at IS NULL"
	for _, t := range prunable {
		if t.session {
			query += fmt.Sprintf(" AND NOT EXISTS (SELECT 1 FROM %s r WHERE r.session_id = s.id)", t.name)
		}
	}
	return column(s.reads.QueryContext(ctx, query+fmt.Sprintf(" ORDER BY s.closed_at LIMIT %d", limit), before.UnixMilli()))
}

// ForgetSession removes the row of a session.
func (s *Store) ForgetSession(ctx context.Context, id string) error {
	return s.writer.commit(ctx, tableMaintenance, func(ctx context.Context, tx *ent.Tx) error {
		return execute(ctx, tx, "DELETE FROM sessions WHERE id = ?", id)
	})
}

// Oldest is the time of the row that stands n rows after the oldest that can go, in the table where that is
// longest ago; ok is false without rows.
func (s *Store) Oldest(ctx context.Context, n int) (at time.Time, ok bool, err error) {
	for _, t := range prunable {
		column := "ts"
		switch t.name {
		case "requests", "notifications":
			column = "created_at"
		case "system_events":
			column = "first_seen_at"
		}
		where := "1" + t.condition
		if t.session {
			where += " AND (session_id IS NULL OR session_id NOT IN (SELECT id FROM sessions WHERE archived_at IS NOT NULL))"
		}
		var ms int64
		// The row itself or, in a short table, the last.
		err := s.reads.QueryRowContext(ctx, fmt.Sprintf(
			"SELECT %s FROM (SELECT id, %s FROM %s WHERE %s ORDER BY id LIMIT %d) ORDER BY id DESC LIMIT 1", column, column, t.name, where, n)).Scan(&ms)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return at, false, err
		}
		if found := time.UnixMilli(ms); !ok || found.Before(at) {
			at, ok = found, true
		}
	}
	return at, ok, nil
}

// Bytes is what the live pages of the database take.
func (s *Store) Bytes(ctx context.Context) (int64, error) {
	var pages, free, size int64
	err := s.reads.QueryRowContext(ctx, "SELECT page_count, freelist_count, page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size").
		Scan(&pages, &free, &size)
	return (pages - free) * size, err
}

// Compact gives free pages back to the file system, at most pages of them, and reports whether more are
// free.
func (s *Store) Compact(ctx context.Context, pages int) (more bool, err error) {
	return result(ctx, s.writer, tableMaintenance, func(ctx context.Context, tx *ent.Tx) (more bool, err error) {
		rows, err := tx.QueryContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", pages))
		if err != nil {
			return false, err
		}
		for rows.Next() { // A page a row.
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return false, err
		}
		count, err := tx.QueryContext(ctx, "PRAGMA freelist_count")
		if err != nil {
			return false, err
		}
		var free int
		if count.Next() {
			err = count.Scan(&free)
		}
		return free > 0, errors.Join(err, count.Err(), count.Close())
	})
}
