package datadir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// DatabaseName is the name of the database.
const DatabaseName = "browserhive.db"

// damagedPrefix begins the names of damaged databases and of what belongs to them.
const damagedPrefix = "browserhive.corrupt-"

// databaseLogs are the endings of the files that SQLite keeps beside a database: its log, and the index of that.
var databaseLogs = []string{"-wal", "-shm"}

// DamagedDatabase is a database that was set aside because it is damaged. It lies in the data directory until
// an operator has taken from it what can be saved, and moves it away or removes it.
type DamagedDatabase struct {
	Path string
	// SetAside is when it was found damaged, to the second.
	SetAside time.Time
	// Bytes is how large it is with its log.
	Bytes int64
}

// SetAsideDatabase moves the database to the name of a damaged one, with its log, so that nothing of it is
// lost, and returns the new path. at is when the damage was found.
func (d *Dir) SetAsideDatabase(at time.Time) (path string, err error) {
	database := filepath.Join(d.Root, DatabaseName)
	path = Unused(filepath.Join(d.Root, damagedPrefix+FileTime(at)), ".db")
	if err := os.Rename(database, path); err != nil {
		return "", err
	}
	for _, suffix := range databaseLogs {
		if err := os.Rename(database+suffix, path+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return path, err
		}
	}
	return path, nil
}

// DamagedDatabases lists the databases that were set aside and that nobody has dealt with yet, oldest first. A
// directory that does not exist has none.
func (d *Dir) DamagedDatabases() ([]DamagedDatabase, error) {
	entries, err := os.ReadDir(d.Root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []DamagedDatabase // In the order of the names, which is that of time.
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), damagedPrefix)
		if !ok || filepath.Ext(rest) != ".db" || !e.Type().IsRegular() {
			continue
		}
		found := DamagedDatabase{Path: filepath.Join(d.Root, e.Name())}
		for _, suffix := range append([]string{""}, databaseLogs...) {
			info, err := os.Stat(found.Path + suffix)
			if err != nil {
				continue // It has no log, or was moved away meanwhile.
			}
			found.Bytes += info.Size()
			if suffix == "" {
				found.SetAside = info.ModTime() // When it was last written, if its name says nothing better.
			}
		}
		if at, err := ParseFileTime(rest[:min(len(rest), len(fileTime))]); err == nil {
			found.SetAside = at
		}
		list = append(list, found)
	}
	return list, nil
}
