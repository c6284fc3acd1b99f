package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/browserhive/browserhive/ent/migrations"
	"github.com/browserhive/browserhive/gen/errcode"
)

// latest is the version of the schema that this program knows.
func latest(o Options) int { return len(o.Migrations) }

// schemaVersion reads the version of the database; 0 is one without tables.
func schemaVersion(ctx context.Context, db *sql.DB) (version int, err error) {
	err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	return version, err
}

// migrate applies what is missing, all or nothing, after a backup.
func migrate(ctx context.Context, db *sql.DB, o Options, version int) error {
	newest := latest(o)
	if version >= newest {
		return classify(o.path(), checkReadable(ctx, db, o, version))
	}
	var backup string
	if version > 0 {
		var err error
		if backup, err = backUp(ctx, db, o, version); err != nil {
			return copyFailed(o, Backups(o.Dir), fmt.Errorf("the backup before the migration: %w", err))
		}
	}
	at := o.Migrations[version]
	if err := apply(ctx, db, o, version, &at); err != nil {
		return errcode.MigrationFailed{
			From: int64(at.Version - 1), To: int64(at.Version), Name: at.Name, BackupPath: backup,
		}.Err().Because(err)
	}
	if version > 0 {
		o.Log.Info("database migrated", "from", version, "to", newest, "backup", backup)
	}
	return nil
}

// checkReadable refuses a database that a later version has changed in a way that this one cannot read.
func checkReadable(ctx context.Context, db *sql.DB, o Options, version int) error {
	newest := latest(o)
	if version == newest {
		return nil
	}
	var reader int
	if err := db.QueryRowContext(ctx, "SELECT reader FROM schema_history ORDER BY id DESC LIMIT 1").Scan(&reader); err != nil {
		return err
	}
	if reader <= newest {
		o.Log.Warn("the database was written by a later version, which this one can read", "db_version", version, "binary_version", newest)
		return nil
	}
	refusal := errcode.DBNewerThanBinary{DBVersion: int64(version), MinReaderVersion: int64(reader), BinaryVersion: int64(newest)}
	if path := newestBackup(o.Dir, newest); path != "" {
		refusal.BackupPath = &path
	}
	return refusal.Err()
}

// apply runs the migrations after version in one transaction. at tells which one it was at.
func apply(ctx context.Context, db *sql.DB, o Options, version int, at *migrations.Migration) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	// A table that is made anew would take the rows with it that refer to it. SQLite does not change this
	// inside of a transaction.
	if _, err := conn.ExecContext(ctx, "PRAGMA foreign_keys = off"); err != nil {
		return err
	}
	defer func() {
		_, on := conn.ExecContext(context.WithoutCancel(ctx), "PRAGMA foreign_keys = on")
		err = errors.Join(err, on)
	}()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // Does nothing once it is committed.
	for _, m := range o.Migrations[version:] {
		*at = m
		for _, statement := range m.Statements {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("%w in %.100s", err, statement)
			}
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO schema_history (id, name, reader, app_version, applied_at) VALUES (?, ?, ?, ?, ?)",
			m.Version, m.Name, m.Reader, o.AppVersion, o.Now().UnixMilli()); err != nil {
			return err
		}
	}
	if err := checkReferences(ctx, tx); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", at.Version)); err != nil {
		return err
	}
	return tx.Commit()
}

// checkReferences finds rows that refer to none.
func checkReferences(ctx context.Context, tx *sql.Tx) error {
	rows, err := tx.QueryContext(ctx, "PRAGMA foreign_key_check")
	if err != nil {
		return err
	}
	defer rows.Close()
	if rows.Next() {
		var table, parent string
		var row, key sql.NullInt64
		if err := rows.Scan(&table, &row, &parent, &key); err != nil {
			return err
		}
		return fmt.Errorf("row %d of %s refers to no row of %s", row.Int64, table, parent)
	}
	return rows.Err()
}
