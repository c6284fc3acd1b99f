package install

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// replacement puts a text into a driver's bundle in the place of another. Both are recognised, so applying it
// again changes nothing.
type replacement struct{ from, to string }

// done reports whether the replacement was made. What it leaves may hold what it replaces, and may stand
// elsewhere, too.
func (r replacement) done(bundle []byte) bool {
	rest := bytes.ReplaceAll(bundle, []byte(r.to), nil)
	return len(rest) < len(bundle) && !bytes.Contains(rest, []byte(r.from))
}

// edit is one change of ours, for both drivers.
type edit struct {
	from, to string // "" where Patchright alone needs the change.
	// patchright stands in for from and to where Patchright writes the code in another way; nil where it has
	// the same.
	patchright *replacement
}

// patchMarker is the file, beside the driver's package, that is written last. It holds the hash of the
// patched bundle, so a driver whose patch was interrupted, or changed by others, is not taken as done.
const patchMarker = "browserhive-patch.json"

type marker struct {
	Edits  string `json:"edits"`  // Hash of the edits that were made.
	Bundle string `json:"bundle"` // Hash of the bundle after them.
	Size   int64  `json:"size"`   // Of the bundle, in bytes.
	// Tree is the hash of the whole package; "" where an earlier version of ours has patched.
	Tree string `json:"tree,omitempty"`
}

func bundlePath(dir string) string { return filepath.Join(dir, "package", "lib", "coreBundle.js") }

// patched reports whether the driver in dir carries the patch. It compares sizes, which is cheap;
// intact compares the bytes.
func (r release) patched(dir string) bool {
	m, ok := r.readMarker(dir)
	if !ok {
		return false
	}
	info, err := os.Stat(bundlePath(dir))
	return err == nil && info.Size() == m.Size
}

// intact reports whether the driver is byte for byte what patch left.
func (r release) intact(dir string) bool {
	m, ok := r.readMarker(dir)
	if !ok {
		return false
	}
	content, err := os.ReadFile(bundlePath(dir))
	if err != nil || hash(content) != m.Bundle {
		return false
	}
	tree, err := treeHash(dir)
	return err == nil && (m.Tree == "" || m.Tree == tree)
}

// treeHash is a hash of the names and the contents of all files of the package in dir, some 10 MB.
func treeHash(dir string) (string, error) {
	root, err := os.OpenRoot(filepath.Join(dir, "package"))
	if err != nil {
		return "", err
	}
	defer root.Close()
	sum, files := sha256.New(), root.FS()
	err = fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		fmt.Fprintf(sum, "%q %d\n", name, len(content))
		sum.Write(content)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

func (r release) readMarker(dir string) (m marker, ok bool) {
	content, err := os.ReadFile(filepath.Join(dir, patchMarker))
	ok = err == nil && json.Unmarshal(content, &m) == nil && m.Edits == r.hash
	return m, ok
}

// patch edits the driver's bundle and writes the marker. Each file is replaced as a whole, so an
// interruption leaves the old or the new one; running it again completes it.
func (r release) patch(dir string) error {
	content, err := os.ReadFile(bundlePath(dir))
	if err != nil {
		return err
	}
	edited := content
	for _, e := range libraryEdits {
		if !bytes.Contains(edited, []byte(e.from)) && !bytes.Contains(edited, []byte(e.to)) {
			return fmt.Errorf("the driver's bundle lacks %q, which playwright-go needs changed", e.from)
		}
		edited = bytes.ReplaceAll(edited, []byte(e.from), []byte(e.to))
	}
	for _, e := range r.edits {
		if e.done(edited) {
			continue
		}
		if n := bytes.Count(edited, []byte(e.from)); n != 1 {
			return fmt.Errorf("%q is in the driver's bundle %d times, not once", e.from, n)
		}
		edited = bytes.Replace(edited, []byte(e.from), []byte(e.to), 1)
	}
	if !bytes.Equal(edited, content) {
		if err := replaceFile(bundlePath(dir), edited, 0o644); err != nil {
			return err
		}
	}
	tree, err := treeHash(dir)
	if err != nil {
		return err
	}
	m, err := json.Marshal(marker{Edits: r.hash, Bundle: hash(edited), Size: int64(len(edited)), Tree: tree})
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(dir, patchMarker), m, 0o644)
}

func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// replaceFile writes the content beside path and renames it into place.
func replaceFile(path string, content []byte, mode os.FileMode) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // Fails, as it should, once the rename is done.
	_, err = file.Write(content)
	if err == nil {
		err = file.Chmod(mode)
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
