package datadir

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/browserhive/browserhive/gen/types"
)

// ProfileRecord says whose a kept profile is and what pages saw of its browser. It lies beside the profile
// and inside every archive of it.
type ProfileRecord struct {
	Owner    string                `json:"owner"`
	Slug     string                `json:"slug"`
	Mode     types.PersistenceMode `json:"mode"`
	Channel  types.Channel         `json:"channel"`
	Identity *types.Identity       `json:"identity"`
}

// recordPath is where a profile's record lies. A profile without one is removed with its session.
func (d *Dir) recordPath(id string) string { return d.Profile(id) + ".json" }

// KeepProfile makes the profile of a session outlive it. It fails with DATA_DIR_UNWRITABLE.
func (d *Dir) KeepProfile(id string, r ProfileRecord) error {
	record, err := json.Marshal(r)
	if err != nil {
		return err
	}
	path := d.recordPath(id)
	if _, err := writeAtomicIn(filepath.Dir(path), filepath.Base(path), durable, content(record)); err != nil {
		return d.unwritable(err)
	}
	return nil
}

// KeptProfile returns the record of a session's profile, and false when the session keeps none.
func (d *Dir) KeptProfile(id string) (ProfileRecord, bool) {
	var r ProfileRecord
	record, err := os.ReadFile(d.recordPath(id))
	if err != nil || json.Unmarshal(record, &r) != nil {
		return ProfileRecord{}, false
	}
	return r, r.Mode == types.PersistenceModePersistent
}

// holdsLock reports whether a file is one by which Chromium or LevelDB holds a profile, or which a browser
// makes anew.
func holdsLock(name string) bool {
	return strings.HasPrefix(name, "Singleton") || name == "lockfile" || name == "LOCK" || name == "DevToolsActivePort" ||
		strings.HasSuffix(name, "-shm") || strings.HasSuffix(name, ".pma")
}

// caches are directories that Chromium fills again by itself.
var caches = map[string]bool{
	"Cache": true, "Code Cache": true, "GPUCache": true, "GrShaderCache": true, "ShaderCache": true, "DawnCache": true,
	"DawnGraphiteCache": true, "DawnWebGPUCache": true, "GraphiteDawnCache": true, "GPUPersistentCache": true,
	"Crashpad": true, "Crash Reports": true, "BrowserMetrics": true, "component_crx_cache": true, "extensions_crx_cache": true,
}

// How many files and bytes a profile may have that is copied, packed or unpacked. A profile that a session has used for days holds
// some thousand files and some hundred MiB without its caches.
const (
	maxProfileFiles = 100_000
	maxProfileBytes = 4 << 30
)

var errTooLarge = fmt.Errorf("the profile has more than %d files or %d GiB", maxProfileFiles, maxProfileBytes>>30)

// version tells one state of a file from another.
type version struct {
	size     int64
	modified time.Time
}

// list returns the files of a profile that are worth keeping, by path inside it.
func list(ctx context.Context, profile string) (map[string]version, error) {
	files := map[string]version{}
	var total int64
	err := filepath.WalkDir(profile, func(path string, e fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist) && path != profile:
			return nil // It was removed meanwhile.
		case err != nil:
			return err
		case e.IsDir() && caches[e.Name()]:
			return fs.SkipDir
		case !e.Type().IsRegular() || holdsLock(e.Name()):
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return nil //nolint:nilerr // It was removed meanwhile.
		}
		rel, err := filepath.Rel(profile, path)
		if err != nil {
			return err
		}
		files[rel] = version{info.Size(), info.ModTime()}
		if total += info.Size(); total > maxProfileBytes || len(files) > maxProfileFiles {
			return errTooLarge
		}
		return nil
	})
	return files, err
}

// settleInterval is how long a copy waits before it checks whether the browser has written meanwhile: longer than one
// transaction of SQLite takes.
const settleInterval = 50 * time.Millisecond

// snapshot copies a profile that a browser may be using into dst. Files that change meanwhile are copied
// again until none has changed, so the copy is the state of one moment: databases are complete, with the journal
// that belongs to them. It ends with ctx when the browser never rests.
func snapshot(ctx context.Context, src, dst string) error {
	copied := map[string]version{}
	pause := time.NewTicker(settleInterval)
	defer pause.Stop()
	for {
		now, err := list(ctx, src)
		if err != nil {
			return err
		}
		if maps.Equal(now, copied) && len(now) > 0 {
			return nil
		}
		for path := range copied {
			if _, still := now[path]; !still {
				_ = os.Remove(filepath.Join(dst, path))
				delete(copied, path)
			}
		}
		for path, v := range now {
			if copied[path] == v {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			began := time.Now()
			if err := copyFile(filepath.Join(src, path), filepath.Join(dst, path)); err != nil {
				if errors.Is(err, fs.ErrNotExist) {
					continue // It was removed meanwhile; the next look sees that.
				}
				return err
			}
			if began.Sub(v.modified) < maxTimestampStep {
				v.size = -1 // The next write may bear the same time, so this one is looked at again.
			}
			copied[path] = v
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-pause.C:
		}
	}
}

// maxTimestampStep is more than the step in which file systems count the time of a change, which is a tick of the
// kernel.
const maxTimestampStep = 20 * time.Millisecond

func copyFile(src, dst string) error {
	in, err := os.Open(src)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(dst), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(dst, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// CopyProfile gives a session a copy of the profile that an ended one kept, without caches and locks. It fails
// with DATA_DIR_UNWRITABLE when the disk has no room for it.
func (d *Dir) CopyProfile(ctx context.Context, from, to string) error {
	return d.written(snapshot(ctx, d.Profile(from), d.Profile(to)))
}
