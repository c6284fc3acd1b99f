// Package write brings emitted files to disk, or says where the disk differs from them.
package write

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
)

// Diff is one path that is not as emitted.
type Diff struct {
	Path string
	Why  string // missing, differs, or left over
}

// Compare returns what differs under root: files that are missing or differ, and files in owned
// directories that nothing emits any more.
func Compare(root string, files map[string][]byte, owned []string, kept map[string]bool) ([]Diff, error) {
	var out []Diff
	for p, want := range files {
		have, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(p)))
		switch {
		case os.IsNotExist(err):
			out = append(out, Diff{p, "missing"})
		case err != nil:
			return nil, err
		case !bytes.Equal(have, want):
			out = append(out, Diff{p, "differs"})
		}
	}
	for _, dir := range owned {
		base := filepath.Join(root, filepath.FromSlash(dir))
		err := filepath.WalkDir(base, func(p string, d fs.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return fs.SkipAll
			}
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(root, p)
			if err != nil {
				return err
			}
			rel = filepath.ToSlash(rel)
			if _, ok := files[rel]; !ok && !kept[rel] {
				out = append(out, Diff{rel, "left over"})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out, nil
}

// Apply makes the disk equal to what was emitted. It touches only what differs, so that build tools
// that look at times do no needless work.
func Apply(root string, files map[string][]byte, diffs []Diff) error {
	for _, d := range diffs {
		p := filepath.Join(root, filepath.FromSlash(d.Path))
		if d.Why == "left over" {
			if err := os.Remove(p); err != nil {
				return err
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(p, files[d.Path], 0o644); err != nil {
			return err
		}
	}
	return nil
}
