package store_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/browserhive/browserhive/ent/migrations"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/store"
)

// A database of any earlier version comes to the newest with every row, and a backup of what it was.
func TestMigratesFromEveryVersion(t *testing.T) {
	t.Parallel()
	all := later(2)
	for version := 1; version < len(all); version++ {
		dir := t.TempDir()
		filled(t, dir, all[:version], 3)
		s := open(t, store.Options{Dir: dir, Migrations: all, BackupsKeep: 5})
		if v, n := number(t, s.WriterConn(), "PRAGMA user_version"), count(t, s); v != int64(len(all)) || n != 3 {
			t.Errorf("from %d: version %d, %d rows", version, v, n)
		}
		// A token goes with its principal, and so it would be gone if the reference had been followed.
		if n := number(t, s.WriterConn(), "SELECT count(*) FROM credentials"); n != 1 {
			t.Errorf("from %d: %d tokens", version, n)
		}
		if on := number(t, s.WriterConn(), "PRAGMA foreign_keys"); on != 1 {
			t.Error("foreign keys stay off")
		}
		closed(t, s)
		list, err := store.ListBackups(dir)
		if err != nil || len(list) != 1 || list[0].Version != version {
			t.Fatalf("from %d: backups %v, %v", version, list, err)
		}
		if n := number(t, raw(t, list[0].Path), "SELECT count(*) FROM auth_audit"); n != 3 {
			t.Errorf("%d rows in the backup", n)
		}
	}
}

func TestMigrationThatFails(t *testing.T) {
	t.Parallel()
	for name, statements := range map[string][]string{
		"a statement": {"CREATE TABLE more (id)", "CREATE TABLE sessions (id)"},
		"a reference": {"DELETE FROM principals"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			all := migrations.All()
			filled(t, dir, all, 3)
			v := len(all)
			broken := append(later(1), migrations.Migration{Version: v + 2, Name: "broken", Reader: 1, Statements: statements})
			_, err := store.Open(t.Context(), store.Options{Dir: dir, Migrations: broken})
			wantCode(t, err, errcode.CodeMigrationFailed)
			details := detailsOf[errcode.MigrationFailed](t, err)
			if details.Name != "broken" || details.From != int64(v+1) || details.To != int64(v+2) {
				t.Errorf("details %+v", details)
			}
			if _, err := os.Stat(details.BackupPath); err != nil {
				t.Error(err)
			}
			s := open(t, store.Options{Dir: dir})
			if n, more := count(t, s), number(t, s.WriterConn(), "SELECT count(*) FROM sqlite_schema WHERE name = 'more'"); n != 3 || more != 0 {
				t.Errorf("%d rows, %d new tables", n, more)
			}
			if n := number(t, s.WriterConn(), "SELECT count(*) FROM principals"); n != 1 {
				t.Errorf("%d principals", n)
			}
		})
	}
}

// A program opens what a later one wrote, as long as that one says that it can.
func TestDatabaseFromTheFuture(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filled(t, dir, later(2), 3)
	s := open(t, store.Options{Dir: dir})
	if n := count(t, s); n != 3 {
		t.Errorf("%d rows", n)
	}
	closed(t, s)
	closed(t, open(t, store.Options{Dir: dir, Migrations: later(3)}))
	_, err := store.Open(t.Context(), store.Options{Dir: dir, Migrations: later(1)})
	wantCode(t, err, errcode.CodeDBNewerThanBinary)
	details := detailsOf[errcode.DBNewerThanBinary](t, err)
	v := int64(len(migrations.All()))
	if details.DBVersion != v+3 || details.MinReaderVersion != v+3 || details.BinaryVersion != v+1 {
		t.Errorf("%+v", details)
	}
	// The backup is of the version before, which this program could not read either.
	if details.BackupPath != nil {
		t.Errorf("names %s", *details.BackupPath)
	}
	_, err = store.Open(t.Context(), store.Options{Dir: dir, Migrations: later(2)})
	details = detailsOf[errcode.DBNewerThanBinary](t, err)
	if details.BackupPath == nil || filepath.Dir(*details.BackupPath) != store.Backups(dir) {
		t.Errorf("%+v", details)
	}
}

func TestOldBackupsGo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	all := later(2)
	filled(t, dir, all[:1], 1)
	if err := os.MkdirAll(store.Backups(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(store.Backups(dir), "browserhive-before-change.db")
	manual := filepath.Join(store.Backups(dir), "browserhive-manual-v1-20190101T000000Z.db")
	for _, p := range []string{own, manual, filepath.Join(store.Backups(dir), "browserhive-v1-20200101T000000Z.db"), filepath.Join(store.Backups(dir), "browserhive-v1-20210101T000000Z.db")} {
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	closed(t, open(t, store.Options{Dir: dir, Migrations: all, BackupsKeep: 2, Now: func() time.Time { return now }}))
	list, err := store.ListBackups(dir)
	if err != nil || len(list) != 3 || !list[0].At.Equal(now) || filepath.Base(list[0].Path) != "browserhive-v1-20260102T030405Z.db" || list[1].At.Year() != 2021 || !list[2].Manual {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := os.Stat(own); err != nil {
		t.Error("a backup that somebody made by hand is gone")
	}
}
