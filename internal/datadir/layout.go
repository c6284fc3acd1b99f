package datadir

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Kind says what an entry of the data directory is to its owner.
type Kind int

// The kinds of entries.
const (
	// Record is what happened on the server. Without it history is lost, and nothing else.
	Record Kind = iota
	// Irreplaceable is what cannot be made again: logins, files of the operator, copies of the records.
	Irreplaceable
	// Installed is what the program brings, or the operator's configuration.
	Installed
)

// layout names everything that lies directly in a data directory, as patterns of path.Match.
var layout = []struct {
	pattern string
	kind    Kind
	what    string
}{
	// The log is removed first: without its database it would be taken for the log of the next one.
	{DatabaseName + "-wal", Record, "database"},
	{DatabaseName + "-shm", Record, "database"},
	{DatabaseName, Record, "database"},
	{".restore-*.tmp", Record, "database"},
	{"sessions", Record, "sessions"},
	{"auth-states", Irreplaceable, "saved logins"},
	{"uploads", Irreplaceable, "uploads"},
	{"backups", Irreplaceable, "backups"},
	{damagedPrefix + "*", Irreplaceable, "damaged database"},
	{"admin", Irreplaceable, "operator's password"},
	{"driver", Installed, "driver"},
	{"tmp", Installed, "temporary files"},
	{lockName, Installed, "lock"},
	{socketName, Installed, "socket"},
	{socketPathName, Installed, "socket"},
	{".write-*", Installed, "temporary files"},
	{"browserhive.config.json", Installed, "configuration"},
	{"browserhive.schema.json", Installed, "schema of the configuration"},
}

// Part is an entry of the data directory.
type Part struct {
	// Name is the entry's, What says in words what it is.
	Name, What string
	Kind       Kind
	// Files is how many files are in it, Bytes how long they are together.
	Files int
	Bytes int64
}

// Ours reports whether the directory has been a data directory: one where a server, or a command that
// locks, has been.
func (d *Dir) Ours() bool {
	for _, name := range []string{lockName, DatabaseName} {
		if info, err := os.Lstat(filepath.Join(d.Root, name)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// Parts lists what there is of the kinds, in the order of the layout. Links are not followed, below the
// directory itself.
func (d *Dir) Parts(kinds ...Kind) ([]Part, error) {
	root, err := os.OpenRoot(d.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var parts []Part
	for _, known := range layout {
		if !slices.Contains(kinds, known.kind) {
			continue
		}
		for _, e := range entries {
			if ok, _ := path.Match(known.pattern, e.Name()); !ok { // The patterns are well-formed: a test has them all.
				continue
			}
			part := Part{Name: e.Name(), What: known.what, Kind: known.kind}
			if err := part.measure(root.FS(), e); err != nil {
				return nil, err
			}
			parts = append(parts, part)
		}
	}
	return parts, nil
}

// measure counts the files of the entry. A link counts as the link it is.
func (p *Part) measure(in fs.FS, entry fs.DirEntry) error {
	if !entry.IsDir() {
		return p.add(entry)
	}
	return fs.WalkDir(in, p.Name, func(_ string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // Gone since it was listed: a server may be running.
		case err != nil:
			return err
		case e.IsDir():
			return nil
		}
		return p.add(e)
	})
}

func (p *Part) add(file fs.DirEntry) error {
	info, err := file.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	p.Files++
	p.Bytes += info.Size()
	return nil
}

// Remove deletes a part, and calls removed after each entry of it. A link goes as a link: what it leads to
// stays.
func (d *Dir) Remove(part Part, removed func()) error {
	root, err := os.OpenRoot(d.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	info, err := root.Lstat(part.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.IsDir() {
		entries, err := fs.ReadDir(root.FS(), part.Name)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := root.RemoveAll(path.Join(part.Name, e.Name())); err != nil {
				return err
			}
			removed()
		}
	}
	if err := root.RemoveAll(part.Name); err != nil {
		return err
	}
	removed()
	return nil
}

// Strangers lists the files in the data directory that are nobody's: neither of the layout, nor among the
// paths that the configuration names. Hidden files, which desktops leave behind, are not listed.
func (d *Dir) Strangers(named ...string) ([]string, error) {
	entries, err := os.ReadDir(d.Root)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, e := range entries {
		known := strings.HasPrefix(e.Name(), ".") || slices.Contains(named, filepath.Join(d.Root, e.Name()))
		for _, l := range layout {
			ok, _ := path.Match(l.pattern, e.Name())
			known = known || ok
		}
		if !known {
			list = append(list, e.Name())
		}
	}
	return list, nil
}
