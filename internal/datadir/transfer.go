package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/browserhive/browserhive/gen/errcode"
)

// OpenUpload opens a file that an agent wants to give to a page. A relative path means one in the uploads
// directory, and an absolute one has to be there. Symlinks are followed as long as they stay inside. What
// is checked is what was opened, so nothing can change in between. Errors: PATH_NOT_ALLOWED for a path that
// leads out, UPLOAD_FAILED for one that leads to no readable file.
func (d *Dir) OpenUpload(path string) (*os.File, error) {
	base := d.Uploads()
	refuse := func(cause error) (*os.File, error) {
		return nil, errcode.PathNotAllowed{Path: path, Roots: []string{base}}.Err().Because(cause)
	}
	fail := func(cause error) (*os.File, error) {
		return nil, errcode.UploadFailed{Reason: fmt.Sprintf("%q %s", path, uploadFault(cause))}.Err().Because(cause)
	}
	rel := filepath.Clean(path)
	if filepath.IsAbs(rel) {
		var err error
		if rel, err = filepath.Rel(base, rel); err != nil {
			return refuse(err)
		}
	}
	if !filepath.IsLocal(rel) || strings.ContainsRune(rel, 0) {
		return refuse(nil)
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return fail(err)
	}
	defer root.Close()
	f, err := openRegular(root, rel)
	if err == nil {
		return f, nil
	}
	// A root takes no absolute symlink, wherever it leads: resolve the links, and open what they lead to
	// through the root again.
	resolved, linkErr := resolveIn(base, rel)
	switch {
	case linkErr != nil:
		return fail(linkErr) // It leads nowhere.
	case !filepath.IsLocal(resolved):
		return refuse(err)
	}
	if f, err = openRegular(root, resolved); err != nil {
		return fail(err)
	}
	return f, nil
}

// resolveIn follows the symlinks of base/rel and returns where they lead, seen from base.
func resolveIn(base, rel string) (string, error) {
	target, err := filepath.EvalSymlinks(filepath.Join(base, rel))
	if err != nil {
		return "", err
	}
	if base, err = filepath.EvalSymlinks(base); err != nil {
		return "", err
	}
	return filepath.Rel(base, target)
}

var errNotRegular = errors.New("not a regular file")

// openRegular opens a file below the root. It looks before, because opening a pipe waits for a writer.
func openRegular(root *os.Root, rel string) (*os.File, error) {
	if info, err := root.Stat(rel); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	f, err := root.Open(rel)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(errNotRegular, err, f.Close())
	}
	return f, nil
}

// uploadFault says in a few words what is wrong with a file.
func uploadFault(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "is not in the uploads directory"
	case errors.Is(err, errNotRegular):
		return "is not a file"
	}
	return "cannot be read"
}

// CheckDownloadName fails with PATH_NOT_ALLOWED unless the name that an agent wants a download to have is
// the bare name of a file.
func (d *Dir) CheckDownloadName(id, name string) error {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\\x00") {
		return errcode.PathNotAllowed{Path: name, Roots: []string{d.Downloads(id)}}.Err()
	}
	return nil
}

// maxSameName bounds how many downloads of a session may have one name: numbering looks at each, and a
// page that is clicked more often than this is a loop.
const maxSameName = 10_000

// KeepDownload moves a finished download into the session's downloads and returns where it is and its size
// in bytes. The name is made safe, and numbered where another download has it: nothing is replaced.
// source has to be on the same volume, as everything in the data directory is.
func (d *Dir) KeepDownload(id, source, name string) (path string, size int64, err error) {
	dir := d.Downloads(id)
	if err := private(dir); err != nil {
		return "", 0, err
	}
	name = SafeName(name)
	ext := filepath.Ext(name)
	for n := range maxSameName {
		numbered := name
		if n > 0 {
			numbered = fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(name, ext), n, ext)
		}
		path = filepath.Join(dir, numbered)
		// Creating the file takes the name; the download then takes its place.
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", 0, err
		}
		if err := errors.Join(f.Close(), os.Rename(source, path)); err != nil {
			return "", 0, errors.Join(err, os.Remove(path))
		}
		info, err := os.Stat(path)
		if err != nil {
			return "", 0, err
		}
		return path, info.Size(), nil
	}
	return "", 0, fmt.Errorf("%d downloads have the name %q", maxSameName, name)
}

// maxName is how many bytes a file name may have: file systems take 255, and numbering needs some.
const maxName = 240

// reserved are the names that Windows takes for devices, whatever their extension.
var reserved = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)`)

// SafeName turns the name that a site suggests into one that is a plain, visible file on every system: no
// separators, no control or direction characters, no device, not too long. What names nothing becomes
// "download".
func SafeName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		case strings.ContainsRune(`<>:"/\|?*`, r):
			return '_'
		}
		return r
	}, name)
	name = strings.TrimLeft(name, ". ")
	name = strings.TrimRight(name, ". ")
	if len(name) > maxName {
		ext := filepath.Ext(name)
		if len(ext) > maxName/4 {
			ext = "" // Not an extension, but a text with a dot in it.
		}
		name = strings.TrimRight(strings.ToValidUTF8(name[:maxName-len(ext)], ""), ". ") + ext
	}
	if reserved.MatchString(name) {
		name = "_" + name
	}
	if name == "" {
		return "download"
	}
	return name
}
