package datadir

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/browserhive/browserhive/gen/errcode"
)

// Uploads holds the files that agents may give to pages.
func (d *Dir) Uploads() string { return filepath.Join(d.Root, "uploads") }

// Save writes a file for a session and returns where it is. A relative path means one in the session's
// directory; an absolute one has to be there or in the uploads directory. Anything else, and the
// browser's own profile, is PATH_NOT_ALLOWED. Symlinks that lead out are refused by the kernel at the
// moment of use, so there is no time between check and use.
func (d *Dir) Save(id, path string, data []byte) (string, error) {
	roots := []string{d.Session(id), d.Uploads()}
	refuse := func(cause error) (string, error) {
		return "", errcode.PathNotAllowed{Path: path, Roots: roots}.Err().Because(cause)
	}
	base, rel := roots[0], path
	if filepath.IsAbs(path) {
		found := false
		for _, r := range roots {
			if in, err := filepath.Rel(r, filepath.Clean(path)); err == nil && filepath.IsLocal(in) {
				base, rel, found = r, in, true
				break
			}
		}
		if !found {
			return refuse(nil)
		}
	}
	rel = filepath.Clean(rel)
	if !filepath.IsLocal(rel) || rel == "." || strings.ContainsRune(rel, 0) || (base == roots[0] && ownedByBrowser(rel)) {
		return refuse(nil)
	}
	if err := private(base); err != nil {
		return refuse(err)
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return refuse(err)
	}
	defer root.Close()
	if dir := filepath.Dir(rel); dir != "." {
		if err := root.MkdirAll(dir, 0o700); err != nil {
			return refuse(err)
		}
	}
	f, err := root.OpenFile(rel, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return refuse(err)
	}
	if _, err := f.Write(data); err != nil {
		_ = f.Close()
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	return filepath.Join(base, rel), nil
}

// ownedByBrowser reports whether a path in a session's directory is not the agent's to write: the profile,
// and the notes beside it, whose names begin with the profile's.
func ownedByBrowser(rel string) bool {
	first, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	return strings.HasPrefix(strings.ToLower(first), profileName)
}
