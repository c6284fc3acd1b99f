package install

import (
	"bufio"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/browserhive/browserhive/internal/contract"
)

// publicRegistry serves hosts whose npm client is configured for no other.
const publicRegistry = "https://registry.npmjs.org"

// npmTimeout bounds the npm client, which starts slowly but does no network request for its settings.
const npmTimeout = 20 * time.Second

// registryURL returns the npm registry that the npm client of this user is configured for.
func registryURL(ctx context.Context, env func(string) string) string {
	for _, name := range []string{"npm_config_registry", "NPM_CONFIG_REGISTRY"} {
		if value := env(name); value != "" {
			return value
		}
	}
	files := []string{env("npm_config_userconfig"), env("NPM_CONFIG_USERCONFIG")}
	if home := home(env); home != "" {
		files = append(files, filepath.Join(home, ".npmrc"))
	}
	for _, file := range append(files, "/etc/npmrc", "/usr/local/etc/npmrc", "/usr/etc/npmrc") {
		if value := npmrcRegistry(file); value != "" {
			return value
		}
	}
	if npm := lookPath("npm", env); npm != "" {
		ctx, cancel := context.WithTimeout(ctx, npmTimeout)
		defer cancel()
		cmd := exec.CommandContext(ctx, npm, "config", "get", "registry")
		cmd.WaitDelay = time.Second
		cmd.Env = Environment(env, os.TempDir(), false).List()
		cmd.Dir = os.TempDir() // A project's .npmrc in the working directory says nothing about this user.
		if out, err := cmd.Output(); err == nil && strings.HasPrefix(string(out), "http") {
			return strings.TrimSpace(string(out))
		}
	}
	return publicRegistry
}

// npmrcRegistry returns the registry= line of an npmrc file, or "".
func npmrcRegistry(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), "=")
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		if strings.TrimSpace(name) == "registry" && strings.HasPrefix(value, "http") {
			return value
		}
	}
	return ""
}

// download fetches the pinned tarball into a new file in dir and returns its path. The file exists
// only when every byte is as pinned. Stall bounds the silence between two reads: a slow network may
// take its time, a dead one may not.
func download(ctx context.Context, client *http.Client, registry string, p pin, dir string, opts Options) (path string, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(opts.Stall, func() { cancel(fmt.Errorf("the registry sent nothing for %v", opts.Stall)) })
	defer silence.Stop()
	defer func() {
		// The transport reports a bare "context canceled"; the cause says why.
		if cause := context.Cause(ctx); err != nil && cause != nil {
			err = cause
		}
	}()

	address, err := url.JoinPath(registry, p.name, "-", p.name+"-"+p.version+".tgz")
	if err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return "", fmt.Errorf("the registry at %s cannot be reached: %s", request.URL.Host, contract.NetworkReason(err))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the registry answered %s for %s %s", response.Status, p.name, p.version)
	}

	file, err := os.CreateTemp(dir, p.name+"-*.tgz.tmp")
	if err != nil {
		return "", err
	}
	defer func() {
		err = errors.Join(err, file.Close())
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	sum, total := sha512.New(), max(response.ContentLength, 0)
	body := &awaitedReader{Reader: io.LimitReader(response.Body, p.size+1), arrived: func(n int64) { silence.Reset(opts.Stall); opts.Progress(n, total) }}
	n, err := io.Copy(io.MultiWriter(file, sum), body)
	switch {
	case err != nil:
		return "", err
	case n > p.size:
		return "", fmt.Errorf("%s %s is larger than %d MiB", p.name, p.version, p.size/mib)
	case "sha512-"+base64.StdEncoding.EncodeToString(sum.Sum(nil)) != p.integrity:
		return "", fmt.Errorf("%s %s from the registry is not the release that this build is pinned to (sha512 differs)", p.name, p.version)
	}
	return file.Name(), nil
}

// awaitedReader tells when bytes arrive, and how many there are so far.
type awaitedReader struct {
	io.Reader
	arrived func(sum int64)
	sum     int64
}

func (r *awaitedReader) Read(buffer []byte) (int, error) {
	n, err := r.Reader.Read(buffer)
	if n > 0 {
		r.sum += int64(n)
		r.arrived(r.sum)
	}
	return n, err
}
