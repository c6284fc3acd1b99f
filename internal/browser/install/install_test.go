package install

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/types"
)

// bundle is the driver's bundle as far as the patch is concerned.
var bundle = bundleOf(playwrightRelease)

func bundleOf(r release) string {
	text := "start\n"
	for _, e := range slices.Concat(libraryEdits, r.edits) {
		text += e.from + "\n"
	}
	return text + "end\n"
}

// tarball packs files as npm does. A name that ends in a slash is a directory, a content that begins
// with "-> " a symbolic link.
func tarball(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zipped)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		content := files[name]
		header := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(content)), Typeflag: tar.TypeReg}
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			header.Typeflag, header.Linkname, header.Size, content = tar.TypeSymlink, target, 0, ""
		}
		if err := archive.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(archive, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func integrity(content []byte) string {
	sum := sha512.Sum512(content)
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

func driverFiles() map[string]string { return filesOf(playwrightRelease) }

func filesOf(r release) map[string]string {
	return map[string]string{
		"package/package.json":      fmt.Sprintf(`{"name": %q, "version": %q}`, r.pin.name, r.pin.version),
		"package/cli.js":            "// cli",
		"package/lib/coreBundle.js": bundleOf(r),
		"package/lib/other.js":      "// other",
	}
}

// registry is a stand-in for the npm registry. fault, when set, answers the next request.
type registry struct {
	*httptest.Server
	mu       sync.Mutex
	packages map[string][]byte
	fault    func(w http.ResponseWriter, r *http.Request, content []byte)
	requests int
}

func newRegistry(t *testing.T) *registry {
	r := &registry{packages: map[string][]byte{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.mu.Lock()
		content, ok := r.packages[q.URL.Path]
		fault := r.fault
		r.fault = nil
		r.requests++
		r.mu.Unlock()
		switch {
		case fault != nil:
			fault(w, q, content)
		case !ok:
			http.NotFound(w, q)
		default:
			_, _ = w.Write(content)
		}
	}))
	t.Cleanup(func() { r.CloseClientConnections(); r.Close() })
	return r
}

// serve adds a package and returns its pin.
func (r *registry) serve(name, version string, content []byte) pin {
	r.packages["/npm/"+name+"/-/"+name+"-"+version+".tgz"] = content
	return pin{name: name, version: version, integrity: integrity(content), size: int64(len(content)) + 100, unpacked: 1 << 20}
}

// fixture is an installer on a host that has nothing but a browser.
func fixture(t *testing.T, env map[string]string) (*installer, *registry) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for Node.js is a shell script")
	}
	reg := newRegistry(t)
	vars := map[string]string{"HOME": t.TempDir(), "PATH": "", "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1", "PLAYWRIGHT_BROWSERS_PATH": fakeBuilds(t, 1248)}
	maps.Copy(vars, env)
	in := newInstaller(t.TempDir(), func(name string) string { return vars[name] }, Options{Registry: reg.URL + "/npm/", Stall: 200 * time.Millisecond})
	for _, r := range []*release{&in.driver, &in.patchright} {
		r.pin = reg.serve(r.pin.name, r.pin.version, tarball(t, filesOf(*r)))
	}
	in.node = reg.serve("node-test", nodeVersion, tarball(t, map[string]string{
		"package/bin/node": "#!/bin/sh\necho v" + nodeVersion, "package/README.md": "not needed",
	}))
	in.hasNode = true
	in.starts = func(context.Context, Installation, types.Engine, func(string) string) error { return nil } // That Node.js runs nothing.
	return in, reg
}

// fakeBuilds is a directory of Playwright's builds of the revisions.
func fakeBuilds(t *testing.T, revisions ...int) string {
	t.Helper()
	dir := t.TempDir()
	for _, revision := range revisions {
		build := filepath.Join(dir, fmt.Sprintf("chromium-%d", revision))
		executable := filepath.Join(build, strings.NewReplacer("*", "64").Replace(playwrightExecutables[0]))
		if err := os.MkdirAll(filepath.Dir(executable), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("/bin/ls", executable); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(build, "INSTALLATION_COMPLETE"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// install runs the installer and returns the steps that failed.
func install(t *testing.T, in *installer) (Installation, []Step) {
	t.Helper()
	var failed []Step
	found, err := in.run(t.Context(), func(s Step) {
		if !s.OK {
			failed = append(failed, s)
		}
	})
	if (err != nil) != (len(failed) > 0) {
		t.Fatalf("error %v with %d failed steps", err, len(failed))
	}
	return found, failed
}

func TestInstallOnAnEmptyHost(t *testing.T) {
	t.Parallel()
	in, reg := fixture(t, nil)
	var begun []string
	var done, total int64
	in.opts.Begin = func(step string) { begun = append(begun, step) }
	in.opts.Progress = func(n, of int64) { done, total = n, of }
	found, failed := install(t, in)
	if failed != nil {
		t.Fatalf("failed: %+v", failed)
	}
	if s := strings.Join(begun, ", "); s != "data directory, driver, Node.js, Chromium" || done == 0 || done != total {
		t.Errorf("progress: %s; %d of %d bytes", s, done, total)
	}
	if found.Missing() != nil || !found.Patched || found.NodeVersion != nodeVersion || found.DriverDir != in.paths.driver(in.driver) {
		t.Errorf("found %+v, missing %q", found, found.Missing())
	}
	content, err := os.ReadFile(bundlePath(found.DriverDir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range slices.Concat(libraryEdits, in.driver.edits) {
		if !bytes.Contains(content, []byte(e.to)) {
			t.Errorf("the bundle lacks %q", e.to)
		}
	}
	if info, err := os.Stat(in.paths.Tmp()); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the temporary directory: %v, %v", info, err)
	}
	noLeftovers(t, in)

	// A second run finds everything.
	before := reg.requests
	if _, failed := install(t, in); failed != nil || reg.requests != before {
		t.Errorf("a second run failed with %+v after %d requests", failed, reg.requests-before)
	}
	in.opts.Force = true
	if _, failed := install(t, in); failed != nil || reg.requests == before {
		t.Errorf("a forced run failed with %+v after %d requests", failed, reg.requests-before)
	}
	noLeftovers(t, in)
}

func noLeftovers(t *testing.T, in *installer) {
	t.Helper()
	entries, err := os.ReadDir(in.paths.drivers())
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if strings.Contains(entry.Name(), ".tmp") {
			t.Errorf("%s was left behind", entry.Name())
		}
	}
}

// Each fault spoils one download. Nothing of it is used, and the run after it succeeds.
func TestFaultyDownloads(t *testing.T) {
	t.Parallel()
	faults := map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request, content []byte)
		says   string
	}{
		"truncated": {func(w http.ResponseWriter, _ *http.Request, content []byte) {
			w.Header().Set("Content-Length", fmt.Sprint(len(content)))
			_, _ = w.Write(content[:len(content)/2])
			w.(http.Flusher).Flush() // Before any answer, the client would try again by itself.
			panic(http.ErrAbortHandler)
		}, "EOF"},
		"short": {func(w http.ResponseWriter, _ *http.Request, content []byte) { _, _ = w.Write(content[:len(content)/2]) }, "sha512"},
		"corrupt": {func(w http.ResponseWriter, _ *http.Request, content []byte) {
			spoiled := bytes.Clone(content)
			spoiled[len(spoiled)/2] ^= 1
			_, _ = w.Write(spoiled)
		}, "sha512"},
		"stalled": {func(w http.ResponseWriter, r *http.Request, content []byte) {
			_, _ = w.Write(content[:len(content)/2])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, "sent nothing for"},
		"silent":  {func(_ http.ResponseWriter, r *http.Request, _ []byte) { <-r.Context().Done() }, "sent nothing for"},
		"missing": {func(w http.ResponseWriter, r *http.Request, _ []byte) { http.NotFound(w, r) }, "404"},
		"failing": {func(w http.ResponseWriter, _ *http.Request, _ []byte) { http.Error(w, "no", http.StatusBadGateway) }, "502"},
		"too large": {func(w http.ResponseWriter, _ *http.Request, content []byte) {
			_, _ = w.Write(append(content, make([]byte, 1000)...))
		}, "larger than"},
		"web page": {func(w http.ResponseWriter, _ *http.Request, _ []byte) { fmt.Fprint(w, "<html>Please log in") }, "sha512"},
	}
	for name, fault := range faults {
		for _, victim := range []string{"driver", "Node.js"} {
			t.Run(name+" "+victim, func(t *testing.T) {
				t.Parallel()
				// The last resort for Node.js is not wanted here.
				in, reg := fixture(t, map[string]string{"PLAYWRIGHT_NODEJS_PATH": "/nonexistent"})
				if victim == "Node.js" {
					for _, step := range []func(context.Context) (string, error){in.prepare, in.installDriver} {
						if _, err := step(t.Context()); err != nil {
							t.Fatal(err)
						}
					}
				}
				reg.mu.Lock()
				reg.fault = fault.answer
				reg.mu.Unlock()
				found, failed := install(t, in)
				if len(failed) != 1 || failed[0].Name != victim || !strings.Contains(failed[0].Err.Error(), fault.says) {
					t.Fatalf("failed: %+v, want %s with %q", failed, victim, fault.says)
				}
				if victim == "driver" && found.DriverDir != "" || victim == "Node.js" && found.Node != "" {
					t.Errorf("found %+v after the fault", found)
				}
				noLeftovers(t, in)
				if found, failed := install(t, in); failed != nil || found.Missing() != nil || !found.Patched {
					t.Errorf("the run after it: %+v, failed %+v", found, failed)
				}
			})
		}
	}
}

// What an interruption may leave behind is seen and put right.
func TestInterruptedInstallationIsRepaired(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, dir string) error{
		"no marker": func(_ *testing.T, dir string) error { return os.Remove(filepath.Join(dir, patchMarker)) },
		"broken marker": func(_ *testing.T, dir string) error {
			return os.WriteFile(filepath.Join(dir, patchMarker), []byte("{"), 0o644)
		},
		"unpatched bundle": func(_ *testing.T, dir string) error { return os.WriteFile(bundlePath(dir), []byte(bundle), 0o644) },
		"truncated bundle": func(_ *testing.T, dir string) error { return os.Truncate(bundlePath(dir), 10) },
		"bundle of the same size": func(t *testing.T, dir string) error {
			content, err := os.ReadFile(bundlePath(dir))
			if err != nil {
				t.Fatal(err)
			}
			return os.WriteFile(bundlePath(dir), bytes.ToUpper(content), 0o644)
		},
		"another file missing": func(_ *testing.T, dir string) error {
			return os.Remove(filepath.Join(dir, "package", "lib", "other.js"))
		},
		"another file damaged": func(_ *testing.T, dir string) error {
			return os.Truncate(filepath.Join(dir, "package", "lib", "other.js"), 3)
		},
		"no cli":     func(_ *testing.T, dir string) error { return os.Remove(filepath.Join(dir, "package", "cli.js")) },
		"no package": func(_ *testing.T, dir string) error { return os.RemoveAll(filepath.Join(dir, "package")) },
		"no driver":  func(_ *testing.T, dir string) error { return os.RemoveAll(dir) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, _ := fixture(t, nil)
			install(t, in)
			if err := spoil(t, in.paths.driver(in.driver)); err != nil {
				t.Fatal(err)
			}
			found, failed := install(t, in)
			if failed != nil || !found.Patched || !in.driver.intact(found.DriverDir) {
				t.Errorf("found %+v, failed %+v", found, failed)
			}
			noLeftovers(t, in)
		})
	}
}

func TestLeftoversOfAnInterruptedDownloadGo(t *testing.T) {
	t.Parallel()
	in, _ := fixture(t, nil)
	old, fresh := filepath.Join(in.paths.drivers(), "1.0.tmp-old"), filepath.Join(in.paths.drivers(), "1.0.tmp-fresh")
	for _, dir := range []string{old, fresh} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-2 * maxLeftoverAge)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	if _, err := in.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("the old one stayed")
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Error("another run's download was removed")
	}
}

func TestDriverThatTheEnvironmentNames(t *testing.T) {
	t.Parallel()
	place := func(t *testing.T, files map[string]string) string {
		dir := t.TempDir()
		for name, content := range files {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	t.Run("is patched where it lies", func(t *testing.T) {
		t.Parallel()
		dir := place(t, driverFiles())
		in, reg := fixture(t, map[string]string{"PLAYWRIGHT_DRIVER_PATH": dir})
		found, failed := install(t, in)
		if failed != nil || found.DriverDir != dir || !found.Patched || reg.requests != 1 { // Only Node.js.
			t.Errorf("found %+v, failed %+v, %d requests", found, failed, reg.requests)
		}
	})
	t.Run("is not patched when it has changed", func(t *testing.T) {
		t.Parallel()
		files := driverFiles()
		files["package/lib/coreBundle.js"] = bundle + bundle
		dir := place(t, files)
		in, _ := fixture(t, map[string]string{"PLAYWRIGHT_DRIVER_PATH": dir})
		found, failed := install(t, in)
		if len(failed) != 1 || found.Patched {
			t.Errorf("found %+v, failed %+v", found, failed)
		}
		if content, err := os.ReadFile(bundlePath(dir)); err != nil || string(content) != bundle+bundle {
			t.Errorf("the bundle was changed: %v", err)
		}
	})
	t.Run("is passed over in another version", func(t *testing.T) {
		t.Parallel()
		files := driverFiles()
		files["package/package.json"] = `{"name": "playwright-core", "version": "1.0.0"}`
		in, _ := fixture(t, map[string]string{"PLAYWRIGHT_DRIVER_PATH": place(t, files)})
		if found, failed := install(t, in); failed != nil || found.DriverDir != in.paths.driver(in.driver) {
			t.Errorf("found %+v, failed %+v", found, failed)
		}
	})
}

func TestUnpackTakesOnlyFilesOfThePackage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	err := unpack(bytes.NewReader(tarball(t, map[string]string{
		"package/a": "a", "package/b/c": "c", "package/link": "-> /etc/passwd", "other/d": "d", "e": "e",
	})), dir, 100, nil)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	_ = filepath.WalkDir(dir, func(path string, entry os.DirEntry, _ error) error {
		if !entry.IsDir() {
			files = append(files, filepath.Base(path))
		}
		return nil
	})
	if !slices.Equal(files, []string{"a", "c"}) {
		t.Errorf("unpacked %q", files)
	}
	for name, files := range map[string]map[string]string{
		"climbs out": {"package/../../evil": "x"},
		"too large":  {"package/a": strings.Repeat("x", 60), "package/b": strings.Repeat("x", 60)},
		"twice":      {"package/a": "x", "package/./a": "y"},
	} {
		if err := unpack(bytes.NewReader(tarball(t, files)), t.TempDir(), 100, nil); err == nil {
			t.Errorf("%s: unpacked", name)
		}
	}
	if err := unpack(strings.NewReader("no tarball"), t.TempDir(), 100, nil); err == nil {
		t.Error("unpacked what is no tarball")
	}
}
