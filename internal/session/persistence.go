package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/datadir"
)

// Saved is where logins and profiles are kept.
type Saved interface {
	SaveAuth(owner string, kind types.SavedAuthKind, name string, write func(io.Writer) error) (path string, size int64, err error)
	SavedPath(owner string, kind types.SavedAuthKind, name string) (string, error)
	OpenAuth(owner string, kind types.SavedAuthKind, name string) (*os.File, error)
	KeepProfile(id string, r datadir.ProfileRecord) error
	KeptProfile(id string) (datadir.ProfileRecord, bool)
	CopyProfile(ctx context.Context, from, to string) error
	PackProfile(ctx context.Context, id string, r datadir.ProfileRecord, state json.RawMessage, w io.Writer) error
	UnpackProfile(ctx context.Context, archive *os.File, id string) (state json.RawMessage, err error)
}

// mode is the persistence that a launch asks for, or INVALID_PERSISTENCE_CONFIG when the request
// contradicts itself.
func (r *Registry) mode(q Request) (types.PersistenceMode, error) {
	mode := r.opts.Persistence
	switch {
	case q.Persistence != nil:
		mode = *q.Persistence
	case q.Incognito && mode == types.PersistenceModePersistent:
		mode = types.PersistenceModeMemory // The caller's choice stands above the server's setting.
	}
	state := q.ContextOptions != nil && len(q.ContextOptions.StorageState) > 0
	persistent := mode == types.PersistenceModePersistent
	switch {
	case q.Incognito && persistent:
		return "", contradiction("incognito keeps no profile on disk, and persistence_mode persistent does.")
	case q.RestoreProfile != nil && !persistent:
		return "", contradiction(fmt.Sprintf("restore_profile needs persistence_mode persistent, and the mode is %s.", mode))
	case state && persistent:
		return "", contradiction("context_options.storageState needs persistence_mode memory or storage-state; a persistent session starts from a profile.")
	}
	return mode, nil
}

func contradiction(reason string) error {
	return errcode.InvalidPersistenceConfig{Reason: reason}.Err()
}

// largestState bounds a saved login that is read back: a thousand times what cookies and storage of a site
// commonly take.
const largestState = 64 << 20

// storageState is the login that the request names or holds, or nil. It fails with AUTH_STATE_NOT_FOUND.
func (r *Registry) storageState(owner auth.Principal, q Request) (json.RawMessage, error) {
	if q.ContextOptions == nil || len(q.ContextOptions.StorageState) == 0 {
		return nil, nil
	}
	state := q.ContextOptions.StorageState
	var name string
	if json.Unmarshal(state, &name) != nil {
		return state, browser.CheckStorageState(state)
	}
	f, err := r.saved.OpenAuth(owner.Name, types.SavedAuthKindStorage, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	state, err = io.ReadAll(io.LimitReader(f, largestState+1))
	if err == nil && len(state) > largestState {
		err = fmt.Errorf("the saved login has more than %d MiB", largestState>>20)
	}
	return state, err
}

// sessionID is what an id looks like; nothing else becomes part of a path.
var sessionID = regexp.MustCompile(`^[a-z][a-z0-9-]{1,31}-[0-9a-z]{8}$`)

// restoreProfile fills the profile of the session id with what the request names: a saved profile, or the id
// of an ended persistent session of the same owner, whose profile stays where it is. It returns the state
// that goes over the profile. It fails with AUTH_STATE_NOT_FOUND, and with INVALID_PERSISTENCE_CONFIG while
// the named session still runs.
func (r *Registry) restoreProfile(ctx context.Context, owner auth.Principal, q Request, id string) (json.RawMessage, error) {
	if q.RestoreProfile == nil {
		return nil, nil
	}
	name := *q.RestoreProfile
	f, err := r.saved.OpenAuth(owner.Name, types.SavedAuthKindProfile, name)
	if err == nil {
		defer f.Close()
		return r.saved.UnpackProfile(ctx, f, id)
	}
	if contract.CodeOf(err) != errcode.CodeAuthStateNotFound || !sessionID.MatchString(name) {
		return nil, err
	}
	if kept, ok := r.saved.KeptProfile(name); !ok || !owner.Owns(kept.Owner) {
		return nil, err
	}
	if r.holdsProfile(name) {
		return nil, contradiction(fmt.Sprintf("the session %s still runs; close it before its profile is restored.", name))
	}
	return nil, r.saved.CopyProfile(ctx, name, id)
}

// holdsProfile reports whether a browser may still be writing the profile of the session.
func (r *Registry) holdsProfile(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sessions[id] != nil {
		return true
	}
	for _, s := range r.crashed {
		if s.ID == id {
			select {
			case <-s.done:
			default:
				return true
			}
		}
	}
	return false
}

// record is what is noted beside the session's profile.
func (s *Session) record() datadir.ProfileRecord {
	return datadir.ProfileRecord{Owner: s.Owner, Slug: s.Slug, Mode: s.Persistence, Channel: s.Channel, Identity: s.Identity()}
}

// saveAtClose saves the login of a storage-state session under its slug. A login that cannot be saved does
// not keep the session open.
func (r *Registry) saveAtClose(ctx context.Context, s *Session) {
	if s.Persistence != types.PersistenceModeStorageState {
		return
	}
	state, err := s.browser.StorageState(ctx)
	if err == nil {
		_, _, err = r.saveState(s, s.Slug, state)
	}
	if err != nil {
		r.opts.Log.Warn("the login of the session was not saved", "session_id", s.ID, "name", s.Slug, "err", err)
	}
	saved := err == nil
	s.loginSaved = &saved
}

func (r *Registry) saveState(s *Session, name string, state json.RawMessage) (path string, size int64, err error) {
	return r.saved.SaveAuth(s.Owner, types.SavedAuthKindStorage, name, func(w io.Writer) error {
		_, err := w.Write(state)
		return err
	})
}

// SaveStorage saves the session's login under a name and returns where it is and its size in bytes. Errors:
// PATH_NOT_ALLOWED for a name that is no plain file name, and those of browser.StorageState.
func (r *Registry) SaveStorage(ctx context.Context, s *Session, name string) (path string, size int64, err error) {
	if _, err := r.saved.SavedPath(s.Owner, types.SavedAuthKindStorage, name); err != nil {
		return "", 0, err
	}
	state, err := s.browser.StorageState(ctx)
	if err != nil {
		return "", 0, err
	}
	return r.saveState(s, name, state)
}

// SaveProfile saves the whole profile of a persistent session under a name, as it is at one moment, and
// returns where the archive is and its size in bytes. Errors: INVALID_PERSISTENCE_CONFIG for a session of
// another mode, PATH_NOT_ALLOWED, CALL_TIMEOUT when the browser does not stop writing in time.
func (r *Registry) SaveProfile(ctx context.Context, s *Session, name string) (path string, size int64, err error) {
	if s.Persistence != types.PersistenceModePersistent {
		return "", 0, contradiction(fmt.Sprintf("save_full_profile needs a session in persistence_mode persistent, and this one's is %s.", s.Persistence))
	}
	if _, err := r.saved.SavedPath(s.Owner, types.SavedAuthKindProfile, name); err != nil {
		return "", 0, err
	}
	state, err := s.browser.ProfileState(ctx)
	if err != nil {
		return "", 0, err
	}
	path, size, err = r.saved.SaveAuth(s.Owner, types.SavedAuthKindProfile, name, func(w io.Writer) error {
		return r.saved.PackProfile(ctx, s.ID, s.record(), state, w)
	})
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		if gone := s.browser.Err(); gone != nil {
			return "", 0, gone
		}
	}
	return path, size, err
}
