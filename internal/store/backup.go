package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/browserhive/browserhive/internal/datadir"
)

// backupName is the name of a backup that was made before a migration, or, manual, on somebody's order.
var backupName = regexp.MustCompile(`^browserhive-(manual-)?v(\d+)-(\d{8}T\d{6}Z)(?:-\d+)?\.db$`)

// Backups is where backups lie in a data directory.
func Backups(dir string) string { return filepath.Join(dir, "backups") }

// Backup is a copy of the database among the backups.
type Backup struct {
	Path string
	// Manual ones were made on somebody's order, and are never removed; others before a migration.
	Manual bool
	// Version is the version of its schema.
	Version int
	// At is when it was made.
	At time.Time
}

// ListBackups returns the backups, newest first.
func ListBackups(dir string) ([]Backup, error) {
	entries, err := os.ReadDir(Backups(dir))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var found []Backup
	for _, e := range entries {
		if m := backupName.FindStringSubmatch(e.Name()); m != nil {
			version, _ := strconv.Atoi(m[2]) // Digits alone.
			at, err := datadir.ParseFileTime(m[3])
			if err == nil {
				found = append(found, Backup{filepath.Join(Backups(dir), e.Name()), m[1] != "", version, at})
			}
		}
	}
	slices.SortFunc(found, func(a, b Backup) int {
		if c := b.At.Compare(a.At); c != 0 {
			return c
		}
		return b.Version - a.Version
	})
	return found, nil
}

// NewestBackup returns the newest backup that this program can read, "" when there is none.
func NewestBackup(dir string) string { return newestBackup(dir, latest(Options{}.withDefaults())) }

// newestBackup is the newest backup that a program of the version can read, or "".
func newestBackup(dir string, version int) string {
	list, err := ListBackups(dir)
	if err != nil {
		return ""
	}
	for _, b := range list {
		if b.Version <= version {
			return b.Path
		}
	}
	return ""
}

// backUp copies the database before a migration and removes the oldest backups.
func backUp(ctx context.Context, db *sql.DB, o Options, version int) (path string, err error) {
	dir := Backups(o.Dir)
	name := fmt.Sprintf("browserhive-v%d-%s", version, datadir.FileTime(o.Now()))
	path = datadir.Unused(filepath.Join(dir, name), ".db")
	if err := copyTo(ctx, db, path); err != nil {
		return "", err
	}
	list, err := ListBackups(o.Dir)
	if err != nil {
		return "", err
	}
	list = slices.DeleteFunc(list, func(b Backup) bool { return b.Manual })
	for i, b := range list {
		if i >= max(o.BackupsKeep, 1) && b.Path != path {
			if err := os.Remove(b.Path); err != nil {
				o.Log.Warn("an old backup was not removed", "path", b.Path, "error", err)
			}
		}
	}
	return path, nil
}

// copyTo writes a consistent copy of the database to a file that does not exist yet. The copy appears
// under its name only once it is complete and on the disk.
func copyTo(ctx context.Context, db *sql.DB, path string) (err error) {
	dir := filepath.Dir(path)
	if exists(path) {
		return fmt.Errorf("%s: %w", path, os.ErrExist) // Rather than after minutes of copying.
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".backup-*.tmp") // Mode 0600, which SQLite keeps when it fills an empty file.
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name())
		}
	}()
	defer tmp.Close()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", tmp.Name()); err != nil {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := place(tmp.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}

// place renames a file to a name that must be free.
func place(from, to string) error {
	if exists(to) {
		return fmt.Errorf("%s: %w", to, os.ErrExist)
	}
	return os.Rename(from, to)
}
