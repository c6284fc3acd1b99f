package datadir

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Names inside the archive of a profile.
const (
	archivedRecord  = profileName + ".json"
	archivedState   = "state.json"
	archivedProfile = profileName + "/"
)

// PackProfile writes the profile of a session, which a browser may be using, as a zip: the record, the state
// that the browser had not written yet, and the profile without caches and locks. It fails with
// DATA_DIR_UNWRITABLE when the disk has no room for it.
func (d *Dir) PackProfile(ctx context.Context, id string, r ProfileRecord, state json.RawMessage, w io.Writer) (err error) {
	defer func() { err = d.written(err) }()
	still, err := os.MkdirTemp(d.Temp(), "profile")
	if err != nil {
		return err
	}
	defer os.RemoveAll(still)
	if err := snapshot(ctx, d.Profile(id), still); err != nil {
		return err
	}
	record, err := json.Marshal(r)
	if err != nil {
		return err
	}
	z := zip.NewWriter(w)
	for name, content := range map[string][]byte{archivedRecord: record, archivedState: state} {
		part, err := z.CreateHeader(header(name))
		if err != nil {
			return err
		}
		if _, err := part.Write(content); err != nil {
			return err
		}
	}
	err = filepath.WalkDir(still, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		rel, err := filepath.Rel(still, path)
		if err != nil {
			return err
		}
		return addFile(z, path, archivedProfile+filepath.ToSlash(rel))
	})
	return errors.Join(err, z.Close())
}

func header(name string) *zip.FileHeader {
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Now()}
	h.SetMode(0o600)
	return h
}

func addFile(z *zip.Writer, path, name string) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	part, err := z.CreateHeader(header(name))
	if err != nil {
		return err
	}
	_, err = io.Copy(part, in)
	return err
}

// UnpackProfile fills the profile of a new session from an archive that PackProfile wrote, and returns the
// state that goes over it. Nothing is written outside of the profile, nor beyond the bounds of a profile,
// whatever the archive says of itself. It fails with DATA_DIR_UNWRITABLE when the disk has no room for it.
func (d *Dir) UnpackProfile(ctx context.Context, archive *os.File, id string) (state json.RawMessage, err error) {
	defer func() { err = d.written(err) }()
	info, err := archive.Stat()
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(archive, info.Size())
	if err != nil {
		return nil, err
	}
	if len(z.File) > maxProfileFiles {
		return nil, errTooLarge
	}
	root, err := os.OpenRoot(d.Profile(id))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	left := int64(maxProfileBytes)
	for _, f := range z.File {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		name, inProfile := strings.CutPrefix(f.Name, archivedProfile)
		switch {
		case f.Name == archivedState:
			if state, err = readPart(f, &left); err != nil {
				return nil, err
			}
		case !inProfile: // The record is for people, and for the list of what was saved.
		case !f.Mode().IsRegular() || !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, "\\\x00"):
			return nil, fmt.Errorf("the archive holds %q, which is no file of a profile", f.Name)
		default:
			if err := extract(root, f, filepath.FromSlash(name), &left); err != nil {
				return nil, err
			}
		}
	}
	return state, nil
}

func readPart(f *zip.File, left *int64) ([]byte, error) {
	in, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	b := &bounded{in, left}
	return io.ReadAll(b)
}

func extract(root *os.Root, f *zip.File, name string, left *int64) error {
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	if dir := filepath.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	out, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, &bounded{in, left})
	return errors.Join(err, out.Close())
}

// bounded reads until the bytes that an archive may unpack to are used up.
type bounded struct {
	in   io.Reader
	left *int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.in.Read(p)
	if *b.left -= int64(n); *b.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}
