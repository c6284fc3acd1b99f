// Package store keeps what must last in one SQLite file: what happened, who may call, and what operators
// set. It opens the file, brings it to the schema of this program, and has one writer, so that calls never
// wait for the disk.
package store

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	_ "modernc.org/sqlite" // The driver "sqlite".

	"github.com/browserhive/browserhive/ent/migrations"
	"github.com/browserhive/browserhive/gen/ent"
	"github.com/browserhive/browserhive/internal/datadir"
)

// FileName is the name of the database in the data directory.
const FileName = datadir.DatabaseName

// Options say which database to open, and how.
type Options struct {
	// Dir is the data directory. The caller holds its lock.
	Dir string
	// BackupsKeep is how many backups made before migrations stay.
	BackupsKeep int
	// AppVersion is recorded with each migration.
	AppVersion string
	// Log gets migrations, backups and writes that fail; nil discards.
	Log *slog.Logger
	// Now is the clock; nil is the system's.
	Now func() time.Time
	// Migrations take the place of those of this program, for tests.
	Migrations []migrations.Migration
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Migrations == nil {
		o.Migrations = migrations.All()
	}
	return o
}

func (o Options) path() string { return filepath.Join(o.Dir, FileName) }

func (o Options) dir() *datadir.Dir { return &datadir.Dir{Root: o.Dir} }

// Store is an open database. Its methods may be called from several goroutines.
type Store struct {
	opts Options
	// reads serves queries, writes is the connection of the writer alone.
	reads, writes *sql.DB
	client        *ent.Client
	writer        *writer
}

// maxReaders is how many queries run at once: as many as a dashboard page asks for together. Each holds a
// page cache of its own, of 2 MB at most.
const maxReaders = 4

// Open opens the database, creates it when there is none, and applies pending migrations, after a backup.
// Errors: DB_OPEN_FAILED, DB_CORRUPT when it is damaged, which moves it aside, DB_NEWER_THAN_BINARY,
// MIGRATION_FAILED, which leaves it as it was.
func Open(ctx context.Context, o Options) (*Store, error) {
	o = o.withDefaults()
	writes, err := prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	reads, err := connect(o.path(), maxReaders, "query_only(1)")
	if err != nil {
		return nil, errors.Join(openFailed(o.path(), err), writes.Close())
	}
	s := &Store{opts: o, reads: reads, writes: writes}
	s.client = ent.NewClient(ent.Driver(entsql.OpenDB(dialect.SQLite, reads)))
	s.writer = newWriter(o.Dir, writes, o.Log)
	warnOfDamaged(o)
	return s, nil
}

// Close writes what waits, at most until ctx ends, and closes the database.
func (s *Store) Close(ctx context.Context) error {
	return errors.Join(s.writer.stop(ctx), s.reads.Close(), s.writes.Close())
}

// busyTimeout is how long a connection waits for a lock at most: only a backup by another process ever holds one.
const busyTimeout = 5 * time.Second

// connect opens connections to the file, which must exist. It does not touch the file yet.
func connect(path string, connections int, pragmas ...string) (*sql.DB, error) {
	query := url.Values{"mode": {"rw"}, "_txlock": {"immediate"}}
	for _, p := range append([]string{
		"busy_timeout(" + strconv.FormatInt(busyTimeout.Milliseconds(), 10) + ")", "foreign_keys(1)", "synchronous(normal)",
	}, pragmas...) {
		query.Add("_pragma", p)
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()+"?"+query.Encode())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

// exists reports whether there is a database, or something else, at the path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
