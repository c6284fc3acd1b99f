package store

import (
	"context"
	"errors"
	"strings"
)

// Table is a table of the database and how much is in it.
type Table struct {
	Name string
	Rows int64
}

// openSessions counts the sessions that nothing has ended.
const openSessions = "SELECT count(*) FROM sessions WHERE closed_at IS NULL"

// Census is what is in a database.
type Census struct {
	// Tables are those that have rows, by name.
	Tables []Table
	// OpenSessions is how many sessions it shows as running: those of a server that runs, or of one that
	// died.
	OpenSessions int
}

// Count counts the rows of every table, also while a server uses the database. It reads all of it. Without a
// database there is nothing in it. Errors: DB_OPEN_FAILED.
func Count(ctx context.Context, dir string) (c Census, err error) {
	o := Options{Dir: dir}.withDefaults()
	if !exists(o.path()) {
		return c, nil
	}
	db, err := attach(ctx, o.path())
	if err != nil {
		return c, openFailed(o.path(), err)
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`)
	if err != nil {
		return c, openFailed(o.path(), err)
	}
	var tables []Table
	for rows.Next() {
		var t Table
		if err := rows.Scan(&t.Name); err != nil {
			return c, openFailed(o.path(), errors.Join(err, rows.Close()))
		}
		tables = append(tables, t)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return c, openFailed(o.path(), err)
	}
	for _, t := range tables {
		query := `SELECT count(*) FROM "` + strings.ReplaceAll(t.Name, `"`, `""`) + `"`
		if err := db.QueryRowContext(ctx, query).Scan(&t.Rows); err != nil {
			return c, openFailed(o.path(), err)
		}
		if t.Rows > 0 {
			c.Tables = append(c.Tables, t)
		}
		if t.Name != tableSessions {
			continue
		}
		if err := db.QueryRowContext(ctx, openSessions).Scan(&c.OpenSessions); err != nil {
			return c, openFailed(o.path(), err)
		}
	}
	return c, nil
}
