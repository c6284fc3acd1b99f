package datadir_test

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/datadir"
)

func TestOpenUpload(t *testing.T) {
	t.Parallel()
	real := t.TempDir()
	base := filepath.Join(t.TempDir(), "link") // The data directory may itself be reached through a link.
	if err := os.Symlink(real, base); err != nil {
		t.Skip("no symlinks here:", err)
	}
	d, err := datadir.Open(base)
	if err != nil {
		t.Fatal(err)
	}
	outside := t.TempDir()
	put := func(path string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("content"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(d.Uploads(), "a.txt"))
	put(filepath.Join(d.Uploads(), "sub", "b.txt"))
	put(filepath.Join(d.Root, "secret"))
	put(filepath.Join(outside, "secret"))
	for name, target := range map[string]string{
		"relative": "sub/b.txt", "absolute": filepath.Join(d.Uploads(), "a.txt"), "dir": "sub", "gone": "nowhere",
		"out": filepath.Join(outside, "secret"), "up": "../secret", "away": outside, "loop": "loop",
	} {
		if err := os.Symlink(target, filepath.Join(d.Uploads(), name)); err != nil {
			t.Fatal(err)
		}
	}
	const allowed contract.Code = ""
	for path, want := range map[string]contract.Code{
		"a.txt":                              allowed,
		"./sub/../sub/b.txt":                 allowed,
		filepath.Join(d.Uploads(), "a.txt"):  allowed,
		"relative":                           allowed,
		"absolute":                           allowed,
		"dir/b.txt":                          allowed,
		"missing.txt":                        errcode.CodeUploadFailed,
		"gone":                               errcode.CodeUploadFailed,
		"loop":                               errcode.CodeUploadFailed,
		"sub":                                errcode.CodeUploadFailed,
		".":                                  errcode.CodeUploadFailed,
		"out":                                errcode.CodePathNotAllowed,
		"up":                                 errcode.CodePathNotAllowed,
		"away/secret":                        errcode.CodePathNotAllowed,
		"../secret":                          errcode.CodePathNotAllowed,
		"sub/../../secret":                   errcode.CodePathNotAllowed,
		"/etc/passwd":                        errcode.CodePathNotAllowed,
		filepath.Join(d.Root, "secret"):      errcode.CodePathNotAllowed,
		d.Uploads() + "-more/x":              errcode.CodePathNotAllowed,
		"a.txt\x00.png":                      errcode.CodePathNotAllowed,
		filepath.Join(d.Uploads(), "../x"):   errcode.CodePathNotAllowed,
		filepath.Join(d.Uploads(), "absent"): errcode.CodeUploadFailed,
	} {
		f, err := d.OpenUpload(path)
		if contract.CodeOf(err) != want || (err == nil) != (want == allowed) {
			t.Errorf("%q: %v, want %q", path, err, want)
		}
		if err != nil {
			continue
		}
		if content, err := io.ReadAll(f); err != nil || string(content) != "content" {
			t.Errorf("%q holds %q: %v", path, content, err)
		}
		_ = f.Close()
	}
}

func TestKeepDownload(t *testing.T) {
	t.Parallel()
	d, err := datadir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const id = "test-00000001"
	for i, want := range []string{"report.pdf", "report (1).pdf", "report (2).pdf"} {
		source := filepath.Join(d.Temp(), "guid")
		if err := os.WriteFile(source, []byte(strings.Repeat("x", i+1)), 0o600); err != nil {
			t.Fatal(err)
		}
		path, size, err := d.KeepDownload(id, source, "report.pdf")
		if err != nil || size != int64(i+1) || path != filepath.Join(d.Downloads(id), want) {
			t.Errorf("%s %d %v, want %s", path, size, err, want)
		}
		if info, err := os.Stat(path); err != nil || (runtime.GOOS != "windows" && info.Mode().Perm() != 0o600) {
			t.Errorf("%v %v", info.Mode(), err)
		}
		if _, err := os.Stat(source); err == nil {
			t.Error("the download is there twice")
		}
	}
	if _, _, err := d.KeepDownload(id, filepath.Join(d.Temp(), "missing"), "other.pdf"); err == nil {
		t.Error("a download that is not there was kept")
	}
	if entries, err := os.ReadDir(d.Downloads(id)); err != nil || len(entries) != 3 {
		t.Errorf("%v %v", entries, err)
	}
}

func TestSafeName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"report.pdf":                         "report.pdf",
		"Bericht für März.pdf":               "Bericht für März.pdf",
		"../../etc/passwd":                   "_.._etc_passwd",
		`..\..\x.exe`:                        "_.._x.exe",
		"/abs":                               "_abs",
		".bashrc":                            "bashrc",
		"...":                                "download",
		"":                                   "download",
		"a\x00b\nc\u202etxt.exe":             "abctxt.exe",
		"name. . ":                           "name",
		"CON":                                "_CON",
		"nul.txt":                            "_nul.txt",
		"console.txt":                        "console.txt",
		"a:b?.txt":                           "a_b_.txt",
		"bad\xffutf":                         "badutf",
		strings.Repeat("é", 300):             strings.Repeat("é", 120),
		strings.Repeat("n", 300) + ".tar.gz": strings.Repeat("n", 237) + ".gz",
	} {
		if got := datadir.SafeName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestCheckDownloadName(t *testing.T) {
	t.Parallel()
	d := &datadir.Dir{Root: t.TempDir()}
	for name, ok := range map[string]bool{
		"a.txt": true, "ü b.txt": true, "": false, ".": false, "..": false, "../a": false, "a/b": false, `a\b`: false, "/a": false, "a\x00": false,
	} {
		if err := d.CheckDownloadName("s", name); (err == nil) != ok || (err != nil && contract.CodeOf(err) != errcode.CodePathNotAllowed) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func FuzzSafeName(f *testing.F) {
	f.Add("../x")
	f.Add("a\u202eb.exe")
	f.Fuzz(func(t *testing.T, name string) {
		safe := datadir.SafeName(name)
		if !filepath.IsLocal(safe) || filepath.Base(safe) != safe || len(safe) > 255 || safe[0] == '.' || strings.ContainsAny(safe, "/\\\x00\n") {
			t.Errorf("%q is not safe", safe)
		}
		if datadir.SafeName(safe) != safe {
			t.Errorf("%q is not stable", safe)
		}
	})
}
