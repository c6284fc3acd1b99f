package datadir

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Artifacts of a session are the files in its directory that are not the browser's: downloads, screenshots
// and the trace.

// screenshots is the directory of the images of a session.
const screenshots = "screenshots"

// KeepImage writes an image of a session under a name of its own and returns its path below the data
// directory, with slashes.
func (d *Dir) KeepImage(session, name string, image []byte) (string, error) {
	dir := filepath.Join(d.Session(session), screenshots)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	if _, err := writeAtomicIn(dir, name, volatile, content(image)); err != nil {
		return "", err
	}
	below, err := filepath.Rel(d.Root, filepath.Join(dir, name))
	return filepath.ToSlash(below), err
}

// traceName is the file with the trace of a session.
const traceName = "trace.zip"

// KeepTrace writes the trace of a session and returns its size.
func (d *Dir) KeepTrace(session string, write func(io.Writer) error) (int64, error) {
	if err := private(d.Session(session)); err != nil {
		return 0, err
	}
	return writeAtomicIn(d.Session(session), traceName, volatile, write)
}

// ArtifactBytes is what the artifacts of all sessions take.
func (d *Dir) ArtifactBytes() (int64, error) {
	entries, err := os.ReadDir(d.Sessions())
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		n, err := d.sessionArtifacts(e.Name(), func(string) error { return nil })
		if err != nil {
			return sum, err
		}
		sum += n
	}
	return sum, nil
}

// RemoveArtifact removes a file by its path below the data directory, with slashes, and returns how many bytes
// it took. One that is not there took none.
func (d *Dir) RemoveArtifact(path string) (int64, error) {
	root, err := os.OpenRoot(d.Sessions())
	if err != nil {
		return 0, err
	}
	defer root.Close()
	below, err := filepath.Rel(filepath.Base(d.Sessions()), filepath.FromSlash(path))
	if err != nil {
		return 0, err
	}
	info, err := root.Lstat(below)
	if err == nil {
		err = root.Remove(below)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// RemoveArtifacts removes the artifacts of a session and returns how many bytes they took. A kept profile
// stays. A session without a directory has none.
func (d *Dir) RemoveArtifacts(session string) (int64, error) {
	if session == "" || session != filepath.Base(session) || session == "." || session == ".." {
		return 0, fs.ErrInvalid
	}
	freed, err := d.sessionArtifacts(session, os.RemoveAll)
	_ = os.Remove(d.Session(session)) // fails, as it should, when something of the browser's is left
	return freed, err
}

// sessionArtifacts adds up the artifacts of one session and hands each to do.
func (d *Dir) sessionArtifacts(session string, do func(path string) error) (int64, error) {
	entries, err := os.ReadDir(d.Session(session))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, e := range entries {
		if ownedByBrowser(e.Name()) {
			continue
		}
		path := filepath.Join(d.Session(session), e.Name())
		n, err := treeBytes(path)
		if err == nil {
			err = do(path)
		}
		if err != nil {
			return sum, err
		}
		sum += n
	}
	return sum, nil
}

// treeBytes is the size of a file or of everything in a directory. What goes meanwhile does not count, and
// links are not followed.
func treeBytes(root string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(root, func(_ string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	return sum, err
}
