package install

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/internal/hosttest"
)

func TestChromiumOfPlaywrightComesFirst(t *testing.T) {
	t.Parallel()
	in, _ := fixture(t, map[string]string{"PLAYWRIGHT_BROWSERS_PATH": fakeBuilds(t, 900, chromiumRevision, 2000)})
	found, failed := install(t, in)
	if failed != nil || !strings.Contains(found.Chromium, fmt.Sprintf("chromium-%d", chromiumRevision)) {
		t.Errorf("found %q, failed %+v", found.Chromium, failed)
	}
	builds := fakeBuilds(t, 900, 2000)
	if err := os.Remove(filepath.Join(builds, "chromium-2000", "INSTALLATION_COMPLETE")); err != nil {
		t.Fatal(err)
	}
	in, _ = fixture(t, map[string]string{"PLAYWRIGHT_BROWSERS_PATH": builds})
	if found, _ := install(t, in); !strings.Contains(found.Chromium, "chromium-900") {
		t.Errorf("found %q, not the build that is complete", found.Chromium)
	}
}

// downloader is a Node.js that plays the driver's "install chromium".
const downloader = `#!/bin/sh
if [ "$1" = --version ]; then echo v22.0.0; exit; fi
echo "asked for $2 $3" >&2
build="$PLAYWRIGHT_BROWSERS_PATH/chromium-1248"
mkdir -p "$build/chrome-linux64" && ln -sf /bin/ls "$build/chrome-linux64/chrome"
%s`

func TestChromiumIsDownloadedWhereItCanBeHad(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the stand-in makes the layout of Linux")
	}
	mirror, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mirror.Close() })
	prepare := func(t *testing.T, script, host string) (*installer, string) {
		builds := t.TempDir()
		node := filepath.Join(t.TempDir(), "node")
		if err := os.WriteFile(node, fmt.Appendf(nil, downloader, script), 0o755); err != nil {
			t.Fatal(err)
		}
		in, _ := fixture(t, map[string]string{
			"PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "", "PLAYWRIGHT_BROWSERS_PATH": builds, "PATH": "/bin:/usr/bin",
			"PLAYWRIGHT_NODEJS_PATH": node, "PLAYWRIGHT_DOWNLOAD_HOST": "http://" + host,
		})
		return in, builds
	}
	t.Run("had", func(t *testing.T) {
		t.Parallel()
		in, builds := prepare(t, `: >"$build/INSTALLATION_COMPLETE"`, mirror.Addr().String())
		if found, failed := install(t, in); failed != nil || !strings.HasPrefix(found.Chromium, builds) {
			t.Errorf("found %q, failed %+v", found.Chromium, failed)
		}
	})
	t.Run("broken off", func(t *testing.T) {
		t.Parallel()
		in, builds := prepare(t, "exit 1", mirror.Addr().String())
		found, _ := install(t, in) // The host's own, if it has one.
		if strings.HasPrefix(found.Chromium, builds) {
			t.Errorf("found %q, which is half done", found.Chromium)
		}
		if err := in.fetchChromium(t.Context()); err == nil || !strings.Contains(err.Error(), "asked for install chromium") {
			t.Errorf("the error %v lacks what the driver said", err)
		}
	})
	t.Run("out of reach", func(t *testing.T) {
		t.Parallel()
		in, _ := prepare(t, "", "host.invalid")
		began := time.Now()
		if err := in.fetchChromium(t.Context()); err == nil {
			t.Error("fetched from nowhere")
		}
		if took := time.Since(began); took > reachTimeout+hosttest.Limit(time.Second) {
			t.Errorf("took %v to give up", took)
		}
	})
}

// Node.js comes from nodejs.org, as the library does it, where the registry has none.
func TestNodeFromTheLibrary(t *testing.T) {
	var archive bytes.Buffer
	zipped := gzip.NewWriter(&archive)
	files := tar.NewWriter(zipped)
	script := "#!/bin/sh\necho v24.21.0"
	var served string
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, ".tgz"):
			_, _ = w.Write(tarball(t, driverFiles()))
		default:
			served = r.URL.Path
			_, _ = w.Write(archive.Bytes())
		}
	}))
	t.Cleanup(host.Close)
	platform := map[string]string{"linux/amd64": "linux-x64", "linux/arm64": "linux-arm64", "darwin/amd64": "darwin-x64", "darwin/arm64": "darwin-arm64"}[runtime.GOOS+"/"+runtime.GOARCH]
	if platform == "" {
		t.Skip("nodejs.org has no archive of this form for this platform")
	}
	if err := files.WriteHeader(&tar.Header{Name: "node-v24.21.0-" + platform + "/bin/node", Mode: 0o755, Size: int64(len(script)), Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(files, script)
	files.Close()
	zipped.Close()
	t.Setenv("NODE_MIRROR", host.URL)
	t.Setenv("PLAYWRIGHT_GO_NPM_REGISTRY", host.URL)
	t.Setenv("PLAYWRIGHT_NODEJS_PATH", "")

	in, _ := fixture(t, nil)
	in.hasNode = false
	found, failed := install(t, in)
	if failed != nil || found.Node != in.paths.node() || found.NodeVersion != "24.21.0" || served == "" {
		t.Errorf("found %+v, failed %+v, served %q", found, failed, served)
	}
	noLeftovers(t, in)
}

func TestRegistryURL(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	env := func(vars map[string]string) func(string) string {
		return func(name string) string {
			if name == "HOME" || name == "USERPROFILE" {
				return home
			}
			return vars[name]
		}
	}
	if got := registryURL(t.Context(), env(map[string]string{"npm_config_registry": "https://a.invalid/npm/"})); got != "https://a.invalid/npm/" {
		t.Errorf("from the variable: %q", got)
	}
	if _, err := os.Stat("/etc/npmrc"); err != nil {
		if got := registryURL(t.Context(), env(nil)); got != publicRegistry {
			t.Errorf("without any setting: %q", got)
		}
	}
	npmrc := "# registry=https://no.invalid/\n@scope:registry=https://scope.invalid/\nregistry = \"https://b.invalid\"\n"
	if err := os.WriteFile(filepath.Join(home, ".npmrc"), []byte(npmrc), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := registryURL(t.Context(), env(nil)); got != "https://b.invalid" {
		t.Errorf("from ~/.npmrc: %q", got)
	}
	if runtime.GOOS == "windows" {
		return
	}
	// npm itself knows of places that we do not look at.
	if err := os.Remove(filepath.Join(home, ".npmrc")); err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "npm"), []byte("#!/bin/sh\necho https://c.invalid/"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/etc/npmrc"); err != nil {
		if got := registryURL(t.Context(), env(map[string]string{"PATH": bin})); got != "https://c.invalid/" {
			t.Errorf("from npm: %q", got)
		}
	}
}

func TestDownloadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	in, reg := fixture(t, nil)
	reg.fault = func(_ http.ResponseWriter, r *http.Request, _ []byte) { <-r.Context().Done() }
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	dir := t.TempDir()
	if path, err := download(ctx, http.DefaultClient, reg.URL+"/npm", in.driver.pin, dir, in.opts); err == nil {
		t.Errorf("downloaded %s", path)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

func TestPinsCoverThePlatforms(t *testing.T) {
	t.Parallel()
	for _, platform := range []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"} {
		p, ok := nodePins[platform]
		if !ok || p.version != nodeVersion || !strings.HasPrefix(p.integrity, "sha512-") || len(p.integrity) != len(driverPin.integrity) {
			t.Errorf("%s: %+v", platform, p)
		}
	}
}

func TestWrapperScriptIsNoBrowser(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(dir, "chromium")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexec /usr/lib/chromium/chromium"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{script: false, dir: false, filepath.Join(dir, "none"): false, os.Args[0]: true} {
		if got := isExecutable(path); got != want {
			t.Errorf("%s: %v, want %v", filepath.Base(path), got, want)
		}
	}
}
