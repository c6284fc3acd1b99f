package datadir

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
)

// savedName is what a saved login may be called: a plain file name on every system, which cannot lead
// anywhere or hide.
var savedName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@+ -]{0,99}$`)

// suffixes by kind of saved login.
var suffixes = map[types.SavedAuthKind]string{types.SavedAuthKindStorage: ".json", types.SavedAuthKindProfile: ".zip"}

// AuthStates holds the saved logins of every principal.
func (d *Dir) AuthStates() string { return filepath.Join(d.Root, "auth-states") }

// savedDir is where one principal's logins lie. A principal's name may hold anything, so its hash stands
// for it.
func (d *Dir) savedDir(owner string) string {
	h := sha256.Sum256([]byte(owner))
	return filepath.Join(d.AuthStates(), hex.EncodeToString(h[:8]))
}

// SavedPath is the file of a saved login, whether it exists or not. It fails with PATH_NOT_ALLOWED for a
// name that is no plain file name.
func (d *Dir) SavedPath(owner string, kind types.SavedAuthKind, name string) (string, error) {
	if !savedName.MatchString(name) || strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") {
		return "", errcode.PathNotAllowed{Path: name, Roots: []string{d.AuthStates()}}.Err()
	}
	return filepath.Join(d.savedDir(owner), name+suffixes[kind]), nil
}

// SaveAuth writes a login under a name, and replaces one of the same owner, kind and name: a reader sees the old
// file or the new one, never a part of it. It returns where it is and its size in bytes. It fails with
// DATA_DIR_UNWRITABLE when the disk does not take it, and the old file stays.
func (d *Dir) SaveAuth(owner string, kind types.SavedAuthKind, name string, write func(io.Writer) error) (path string, size int64, err error) {
	path, err = d.SavedPath(owner, kind, name)
	if err != nil {
		return "", 0, err
	}
	for _, p := range []string{d.AuthStates(), d.savedDir(owner)} {
		if err := private(p); err != nil {
			return "", 0, d.unwritable(err)
		}
	}
	size, err = writeAtomicIn(d.savedDir(owner), filepath.Base(path), durable, write)
	return path, size, d.written(err)
}

// OpenAuth opens a saved login, and fails with AUTH_STATE_NOT_FOUND when the owner has none of that kind
// and name.
func (d *Dir) OpenAuth(owner string, kind types.SavedAuthKind, name string) (*os.File, error) {
	missing := errcode.AuthStateNotFound{Name: name, Kind: errcode.AuthStateNotFoundKind(kind)}
	path, err := d.SavedPath(owner, kind, name)
	if err != nil {
		return nil, missing.Err().Because(err)
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing.Err()
	}
	return f, err
}

// SavedAuths lists the logins of an owner, newest first.
func (d *Dir) SavedAuths(owner string) ([]types.SavedAuth, error) {
	entries, err := os.ReadDir(d.savedDir(owner))
	if errors.Is(err, fs.ErrNotExist) {
		return []types.SavedAuth{}, nil
	}
	if err != nil {
		return nil, err
	}
	out := []types.SavedAuth{}
	for _, e := range entries {
		for kind, suffix := range suffixes {
			name, ok := strings.CutSuffix(e.Name(), suffix)
			if !ok || !savedName.MatchString(name) {
				continue
			}
			info, err := e.Info()
			if err != nil {
				continue // it was removed meanwhile
			}
			out = append(out, types.SavedAuth{Name: name, Kind: kind, SavedAt: info.ModTime().UnixMilli(), Size: info.Size()})
		}
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].SavedAt != out[j].SavedAt {
			return out[i].SavedAt > out[j].SavedAt
		}
		return out[i].Name+string(out[i].Kind) < out[j].Name+string(out[j].Kind)
	})
	return out, nil
}
