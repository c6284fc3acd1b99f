package datadir

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
)

// Uploads holds the files that agents may give to pages.
func (d *Dir) Uploads() string { return filepath.Join(d.Root, "uploads") }

// Save writes a file for a session and returns where it is. A relative path means one in the session's
// directory; an absolute one has to be there or in the uploads directory. Anything else, and the
// browser's own profile, is PATH_NOT_ALLOWED. A disk that takes nothing is DATA_DIR_UNWRITABLE, and a file of
// that name is then as it was. Symlinks that lead out are refused by the kernel at the
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
		return "", d.unwritable(err)
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return "", d.unwritable(err)
	}
	defer root.Close()
	if dir := filepath.Dir(rel); dir != "." {
		err = root.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = replaceable(root, rel)
	}
	if err == nil {
		_, err = writeAtomic(root, rel, durable, content(data))
	}
	switch {
	case err == nil:
		return filepath.Join(base, rel), nil
	case contract.DiskFault(err):
		return "", d.unwritable(err)
	}
	return refuse(err)
}

// ownedByBrowser reports whether a path in a session's directory is not the agent's to write: the profile,
// and the notes beside it, whose names begin with the profile's.
func ownedByBrowser(rel string) bool {
	first, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	return strings.HasPrefix(strings.ToLower(first), profileName)
}
