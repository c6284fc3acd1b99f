package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/browserhive/browserhive/ent/migrations"
)

// Status describes a database, which is not changed for it.
type Status struct {
	Path string
	// Exists is whether there is one; without it nothing below is set but Newest and Pending.
	Exists bool
	// Version is that of its schema, Reader the oldest that can still read it, Newest what this program
	// knows.
	Version, Reader, Newest int
	// Pending are the migrations that the next start applies.
	Pending []migrations.Migration
	// History are those that were applied, oldest first.
	History []Applied
	// Size in bytes, with the write-ahead log.
	Size int64
	// Backups, newest first.
	Backups []Backup
	// Damage is what the integrity check found, "" when all is well.
	Damage string
	// OpenSessions is how many sessions it shows as running: those of a server that runs, or of one that
	// died.
	OpenSessions int
}

// Applied is a migration that was applied.
type Applied struct {
	Version int
	Name    string
	At      time.Time
	// By is the version of BrowserHive that applied it.
	By string
}

// Inspect looks at the database of a data directory, also while a server uses it. Errors: DB_OPEN_FAILED.
func Inspect(ctx context.Context, dir string) (Status, error) {
	o := Options{Dir: dir}.withDefaults()
	st := Status{Path: o.path(), Newest: latest(o)}
	var err error
	if st.Backups, err = ListBackups(dir); err != nil {
		return st, openFailed(st.Path, err)
	}
	for _, suffix := range []string{"", "-wal"} {
		info, err := os.Stat(st.Path + suffix)
		switch {
		case err == nil:
			st.Size += info.Size()
		case !errors.Is(err, os.ErrNotExist):
			return st, openFailed(st.Path, err)
		case suffix == "":
			st.Pending = o.Migrations
			return st, nil
		}
	}
	st.Exists = true
	db, err := attach(ctx, st.Path)
	if damaged(err) {
		st.Damage = err.Error()
		return st, nil
	}
	if err != nil {
		return st, openFailed(st.Path, err)
	}
	defer db.Close()
	if err := st.read(ctx, db, o); damaged(err) {
		st.Damage = err.Error()
	} else if err != nil {
		return st, openFailed(st.Path, err)
	}
	return st, nil
}

func (st *Status) read(ctx context.Context, db *sql.DB, o Options) (err error) {
	if st.Version, err = schemaVersion(ctx, db); err != nil {
		return err
	}
	if st.Version < st.Newest {
		st.Pending = o.Migrations[st.Version:]
	}
	if st.Version > 0 {
		if err := st.readHistory(ctx, db); err != nil {
			return err
		}
		if err := db.QueryRowContext(ctx, openSessions).Scan(&st.OpenSessions); err != nil {
			return err
		}
	}
	var result string
	if err := db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&result); err != nil {
		return err
	}
	if result != "ok" {
		st.Damage = result
	}
	return nil
}

func (st *Status) readHistory(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, "SELECT id, name, reader, app_version, applied_at FROM schema_history ORDER BY id")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var a Applied
		var at int64
		if err := rows.Scan(&a.Version, &a.Name, &st.Reader, &a.By, &at); err != nil {
			return err
		}
		a.At = time.UnixMilli(at).UTC()
		st.History = append(st.History, a)
	}
	return rows.Err()
}

// attach opens a database to read from it, and makes sure that it is ours.
func attach(ctx context.Context, path string) (*sql.DB, error) {
	h, length, err := readHeader(path)
	switch {
	case err != nil:
		return nil, err
	case length > 0 && !h.sqlite, length < h.size:
		return nil, fmt.Errorf("%w: the file is cut off or overwritten", errDamaged)
	}
	db, err := connect(path, 1) // Not query_only, under which SQLite copies nothing.
	if err != nil {
		return nil, err
	}
	if _, err := identify(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}
