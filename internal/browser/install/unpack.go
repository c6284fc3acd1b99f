package install

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// tarballEntries bounds the files of a package; Node.js's has 2,700.
const tarballEntries = 20_000

// unpack extracts the regular files below package/ of an npm tarball into dir, keeping that prefix,
// and passes over everything else. keep chooses by the name inside the tarball; nil takes all. limit
// bounds the bytes that come out.
func unpack(tarball io.Reader, dir string, limit int64, keep func(name string) bool) error {
	unzipped, err := gzip.NewReader(tarball)
	if err != nil {
		return err
	}
	defer unzipped.Close()
	root, err := os.OpenRoot(dir) // Even a path that slips through the check below stays inside.
	if err != nil {
		return err
	}
	defer root.Close()
	files := tar.NewReader(unzipped)
	for count := 0; ; count++ {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if count == tarballEntries {
			return fmt.Errorf("more than %d files", tarballEntries)
		}
		if header.Typeflag != tar.TypeReg || !strings.HasPrefix(header.Name, "package/") {
			continue
		}
		name := filepath.FromSlash(header.Name)
		if !filepath.IsLocal(name) {
			return fmt.Errorf("the path %q leads out of the package", header.Name)
		}
		if keep != nil && !keep(header.Name) {
			continue
		}
		if limit -= header.Size; limit < 0 {
			return errors.New("larger than it may be")
		}
		if err := writeEntry(root, name, header.FileInfo().Mode(), files); err != nil {
			return err
		}
	}
}

func writeEntry(root *os.Root, name string, mode fs.FileMode, content io.Reader) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	perm := fs.FileMode(0o644)
	if mode&0o100 != 0 {
		perm = 0o755
	}
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}
