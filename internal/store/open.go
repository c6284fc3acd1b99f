package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
)

// applicationID marks a database as ours in its header: "BHIV".
const applicationID = 0x42484956

// header is what the first bytes of a database file say.
type header struct {
	sqlite      bool  // Whether they are those of SQLite at all.
	application int64 // The application_id.
	size        int64 // How long the file has to be, in bytes; 0 when not known.
}

// headerLength is the length of the header of an SQLite file.
const headerLength = 100

func readHeader(path string) (h header, length int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return h, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return h, 0, err
	}
	if !info.Mode().IsRegular() {
		return h, 0, errors.New("not a regular file")
	}
	raw := make([]byte, headerLength)
	if _, err := io.ReadFull(f, raw); err != nil {
		return h, info.Size(), nil // What is shorter is no database, and the caller sees its length.
	}
	h.sqlite = string(raw[:16]) == "SQLite format 3\x00"
	h.application = int64(binary.BigEndian.Uint32(raw[68:]))
	page := int64(binary.BigEndian.Uint16(raw[16:]))
	if page == 1 {
		page = 65536
	}
	// The count of pages holds only when the two counters of changes agree.
	if string(raw[24:28]) == string(raw[92:96]) {
		h.size = page * int64(binary.BigEndian.Uint32(raw[28:]))
	}
	return h, info.Size(), nil
}

// prepare opens the writer's connection to a database that is intact and of this program's schema.
func prepare(ctx context.Context, o Options) (*sql.DB, error) {
	path := o.path()
	fresh, err := create(path)
	if err != nil {
		return nil, openFailed(path, err)
	}
	h, length, err := readHeader(path)
	if err != nil {
		return nil, openFailed(path, err)
	}
	unclean := exists(path + "-wal")
	switch {
	case length == 0:
		fresh = true // A start that ended early left it empty.
	case h.sqlite && h.application != applicationID && h.application != 0:
		return nil, openFailed(path, fmt.Errorf("another program's database (application_id %#x)", h.application))
	// With a log beside it the file may well be short: where a full disk stopped a checkpoint, what is missing
	// is still in the log, and SQLite reports what is damaged.
	case !h.sqlite, length < h.size && !unclean:
		return nil, quarantine(o, errors.New("the file is cut off or overwritten"))
	}
	db, err := connect(path, 1)
	if err != nil {
		return nil, openFailed(path, err)
	}
	if err := initialize(ctx, db, o, fresh, unclean); err != nil {
		closed := db.Close()
		if damaged(err) {
			return nil, quarantine(o, err)
		}
		return nil, errors.Join(err, closed)
	}
	return db, nil
}

// create makes an empty file for the owner alone, whatever the umask, unless there is one.
func create(path string) (fresh bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		// What older modes left open is closed; SQLite gives its other files the mode of this one.
		if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
			return false, os.Chmod(path, 0o600)
		}
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, f.Close()
}

// initialize checks an open database and migrates it.
func initialize(ctx context.Context, db *sql.DB, o Options, fresh, unclean bool) error {
	if !fresh {
		h, err := identify(ctx, db)
		if err != nil {
			return classify(o.path(), err)
		}
		fresh = h == 0
	}
	if fresh {
		// Before the first table and before the write-ahead log, so that both stand in the file itself.
		for _, pragma := range []string{"auto_vacuum = incremental", fmt.Sprintf("application_id = %d", applicationID)} {
			if _, err := db.ExecContext(ctx, "PRAGMA "+pragma); err != nil {
				return classify(o.path(), err)
			}
		}
	}
	if _, err := db.ExecContext(ctx, "PRAGMA journal_mode = wal"); err != nil {
		return classify(o.path(), err)
	}
	version, err := schemaVersion(ctx, db)
	if err != nil {
		return classify(o.path(), err)
	}
	// A look at every page takes seconds where there are a million rows, so it is for a database that was
	// not closed, and for one that is about to change.
	if !fresh && (unclean || version < latest(o)) {
		if err := check(ctx, db); err != nil {
			return classify(o.path(), err)
		}
	}
	return migrate(ctx, db, o, version)
}

// identify returns the application_id, or 0 for a database without any table, which a start that ended
// early left.
func identify(ctx context.Context, db *sql.DB) (id int64, err error) {
	var tables int
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return 0, err
	}
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return 0, err
	}
	switch {
	case tables == 0:
		return 0, nil
	case id != applicationID:
		return 0, fmt.Errorf("another program's database (application_id %#x)", id)
	}
	return id, nil
}

// errDamaged is what check finds.
var errDamaged = errors.New("the database is damaged")

// check looks at every page of the database.
func check(ctx context.Context, db *sql.DB) error {
	var result string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&result); err != nil {
		return err
	}
	if result != "ok" {
		return fmt.Errorf("%w: %s", errDamaged, result)
	}
	return nil
}

// damaged reports whether an error says that the file is no intact database.
func damaged(err error) bool {
	var failure *sqlite.Error
	if errors.As(err, &failure) {
		code := failure.Code() & 0xff // Without its extension.
		return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
	}
	return errors.Is(err, errDamaged)
}

// classify turns an error that SQLite reports while it opens a file into one of the contract. Damage stays as it
// is, for prepare.
func classify(path string, err error) error {
	if err == nil || damaged(err) {
		return err
	}
	return openFailed(path, err)
}

func openFailed(path string, err error) error {
	if contract.CodeOf(err) != "" {
		return err
	}
	reason := err.Error()
	var failure *os.PathError
	if errors.As(err, &failure) {
		reason = failure.Err.Error() // The path stands beside it.
	}
	if noRoom(err) {
		reason += "; the disk may be full"
	}
	return errcode.DBOpenFailed{Path: path, Reason: reason}.Err().Because(err)
}

// noRoom reports whether SQLite failed as it does on a full disk: where it cannot write, nor make the file that
// the write-ahead log needs beside it.
func noRoom(err error) bool {
	var failure *sqlite.Error
	if !errors.As(err, &failure) {
		return false
	}
	switch failure.Code() {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMOPEN,
		sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_TRUNCATE:
		return true
	}
	return false
}

// quarantine sets a damaged database aside.
func quarantine(o Options, cause error) error {
	aside, err := o.dir().SetAsideDatabase(o.Now())
	if err != nil {
		return openFailed(o.path(), errors.Join(err, cause))
	}
	return errcode.DBCorrupt{Path: o.path(), QuarantinePath: aside}.Err().Because(cause)
}

// warnOfDamaged names the databases that were set aside earlier, at each start until somebody has dealt with
// them: the start at which it happened may have been weeks ago.
func warnOfDamaged(o Options) {
	list, err := o.dir().DamagedDatabases()
	if err != nil {
		o.Log.Warn("the data directory was not searched for damaged databases", "error", err)
	}
	for _, damaged := range list {
		attrs := []any{"path", damaged.Path, "set_aside", damaged.SetAside.UTC().Format(time.RFC3339), "bytes", damaged.Bytes}
		if backup := newestBackup(o.Dir, latest(o)); backup != "" {
			attrs = append(attrs, "backup", backup, "fix",
				"stop the server and put the backup in place with 'browserhive db restore', or keep the present database; then move the damaged file out of the data directory or remove it")
		} else {
			attrs = append(attrs, "fix", "there is no backup; move the damaged file out of the data directory or remove it")
		}
		o.Log.Warn("a damaged database was set aside; what it holds is not in the present one", attrs...)
	}
}
