package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"modernc.org/sqlite"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/datadir"
)

// CopyTo writes a consistent copy of the database to a file that must not exist, also while a server uses
// the database. path is "" for a name of its own among the backups, where it stays until somebody removes
// it. It returns the path. Errors: DB_NOT_FOUND, DB_OPEN_FAILED, DB_BACKUP_EXISTS, DATA_DIR_UNWRITABLE.
func CopyTo(ctx context.Context, dir, path string) (written string, err error) {
	o := Options{Dir: dir}.withDefaults()
	if !exists(o.path()) {
		return "", errcode.DBNotFound{Path: o.path()}.Err()
	}
	db, err := attach(ctx, o.path())
	if err != nil {
		return "", openFailed(o.path(), err)
	}
	defer db.Close()
	if path == "" {
		version, err := schemaVersion(ctx, db)
		if err != nil {
			return "", openFailed(o.path(), err)
		}
		path = datadir.Unused(filepath.Join(Backups(dir), fmt.Sprintf("browserhive-manual-v%d-%s", version, datadir.FileTime(o.Now()))), ".db")
	}
	if err := copyTo(ctx, db, path); err != nil {
		return "", copyFailed(o, path, err)
	}
	return path, nil
}

// copyFailed is the error of a copy of the database to a file: DB_BACKUP_EXISTS when there is one,
// DATA_DIR_UNWRITABLE when it cannot be written, else DB_OPEN_FAILED, as the database cannot be read.
func copyFailed(o Options, file string, err error) error {
	var reading *sqlite.Error
	switch {
	case errors.Is(err, os.ErrExist):
		return errcode.DBBackupExists{Path: file}.Err().Because(err)
	case errors.As(err, &reading) && !noRoom(err) && !contract.DiskFault(err):
		return openFailed(o.path(), err)
	}
	return errcode.DataDirUnwritable{Path: filepath.Dir(file), Reason: contract.Reason(err)}.Err().Because(err)
}

// Restore puts a backup in the place of the database, which it copies aside first. The caller holds the
// lock of the data directory. It returns where the old database is now, "" when there was none. Errors:
// DB_BACKUP_UNUSABLE when the file is no undamaged database of ours, DB_NEWER_THAN_BINARY when this program
// cannot read it, DATA_DIR_UNWRITABLE when there is no room for the copies, and then nothing has changed.
func Restore(ctx context.Context, dir, file string) (aside string, err error) {
	o := Options{Dir: dir}.withDefaults()
	if err := checkRestorable(ctx, o, file); err != nil {
		return "", unusable(file, err)
	}
	tmp, err := copyBeside(o, file)
	if err != nil {
		return "", copyFailed(o, o.path(), err)
	}
	defer os.Remove(tmp) // Fails, as it should, once the rename is done.
	if aside, err = setAside(ctx, o); err != nil {
		return "", err
	}
	// A log of the old database must never meet the new one. Should this end in between, the old one is
	// among the backups, complete.
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(o.path() + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return aside, copyFailed(o, o.path(), err)
		}
	}
	if err := errors.Join(os.Rename(tmp, o.path()), syncDir(dir)); err != nil {
		return aside, copyFailed(o, o.path(), err)
	}
	return aside, nil
}

// unusable is the error of a file that cannot be restored.
func unusable(file string, err error) error {
	if contract.CodeOf(err) != "" {
		return err
	}
	return errcode.DBBackupUnusable{Path: file, Reason: contract.Reason(err)}.Err().Because(err)
}

// checkRestorable makes sure that a file is an undamaged database that this program can open. It is looked at as a
// copy that nobody writes to, so that nothing appears beside it.
func checkRestorable(ctx context.Context, o Options, file string) error {
	if exists(file + "-wal") {
		return errors.New("a program has it open, or left a log beside it; copy it with 'browserhive db backup'")
	}
	if same(file, o.path()) {
		return errors.New("it is the database itself")
	}
	db, err := attach(ctx, file)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := check(ctx, db); err != nil {
		return err
	}
	version, err := schemaVersion(ctx, db)
	if err != nil {
		return err
	}
	if version == 0 {
		return errors.New("it is empty")
	}
	return checkReadable(ctx, db, o, version)
}

func same(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// copyBeside copies the file next to the database, where a rename can put it in place.
func copyBeside(o Options, file string) (tmp string, err error) {
	from, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer from.Close()
	to, err := os.CreateTemp(o.Dir, ".restore-*.tmp")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(to, from)
	if err = errors.Join(err, to.Sync(), to.Close()); err != nil {
		return "", errors.Join(err, os.Remove(to.Name()))
	}
	return to.Name(), nil
}

// setAside copies the present database to the backups; a damaged one is moved there as it is. Errors:
// DB_OPEN_FAILED, DATA_DIR_UNWRITABLE.
func setAside(ctx context.Context, o Options) (string, error) {
	if !exists(o.path()) {
		return "", nil
	}
	aside, err := CopyTo(ctx, o.Dir, "")
	if err == nil || !damaged(err) {
		return aside, err
	}
	if err := os.MkdirAll(Backups(o.Dir), 0o700); err != nil {
		return "", copyFailed(o, Backups(o.Dir), err)
	}
	aside = datadir.Unused(filepath.Join(Backups(o.Dir), "browserhive-damaged-"+datadir.FileTime(o.Now())), ".db")
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := place(o.path()+suffix, aside+suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", copyFailed(o, aside, err)
		}
	}
	return aside, nil
}

// Migrate opens the database of a data directory, which migrates it, and closes it. The caller holds the
// lock. Errors: those of Open.
func Migrate(ctx context.Context, o Options) error {
	s, err := Open(ctx, o)
	if err != nil {
		return err
	}
	return s.Close(ctx)
}
