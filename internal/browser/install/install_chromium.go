package install

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/browserhive/browserhive/internal/contract"
)

// installChromium finds or gets a browser: a build of Playwright's that is there, the same downloaded,
// or what the host has.
func (in *installer) installChromium(ctx context.Context) (string, error) {
	known := OpenKnown(in.paths.Root)
	build := func() (string, bool) {
		path, version, runs := firstRunning(ctx, known, playwrightBuilds("chromium-", in.env), in.env)
		return version + " in " + path, runs
	}
	if detail, runs := build(); runs && !in.opts.Force {
		return detail, nil
	}
	refused := in.fetchChromium(ctx)
	if detail, runs := build(); runs {
		return detail, nil
	}
	if path, version, runs := firstRunning(ctx, known, hostChromiumPaths(in.env), in.env); runs {
		return version + " in " + path, nil
	}
	return "", fmt.Errorf("no build from Playwright: %w; and this host has no Chromium or Chrome that runs. %s", refused, installHint())
}

func installHint() string {
	switch runtime.GOOS {
	case "linux":
		return "Install one, for example with: apt-get install chromium"
	case "darwin":
		return "Install one, for example with: brew install --cask chromium"
	}
	return "Install Google Chrome or Chromium."
}

const (
	// reachTimeout tells a closed network from a slow one: a handshake across the world takes half a second.
	reachTimeout = 5 * time.Second
	// chromiumTimeout is the time for 170 MiB at 200 KiB/s.
	chromiumTimeout = 15 * time.Minute
)

// fetchChromium lets the driver download Playwright's own build of Chromium.
func (in *installer) fetchChromium(ctx context.Context) error {
	if in.env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD") != "" {
		return errors.New("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD is set")
	}
	found := Find(ctx, in.paths.Root, in.env)
	if found.DriverDir == "" || found.Node == "" {
		return errors.New("it takes the driver and Node.js to download it")
	}
	if err := in.reachable(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, chromiumTimeout)
	defer cancel()
	// The shell is left out: it is a second browser of 100 MiB that only unstealthy sessions could use.
	// Forced, because a broken build is taken as installed.
	args := []string{filepath.Join(found.DriverDir, "package", "cli.js"), "install", "chromium", "--no-shell", "--force"}
	cmd := exec.CommandContext(ctx, found.Node, args...)
	cmd.WaitDelay = time.Second
	vars := Environment(in.env, in.paths.Tmp(), false)
	for _, name := range []string{"PLAYWRIGHT_BROWSERS_PATH", "PLAYWRIGHT_DOWNLOAD_HOST", "PLAYWRIGHT_CHROMIUM_DOWNLOAD_HOST", "XDG_CACHE_HOME"} {
		if value := in.env(name); value != "" {
			vars[name] = value
		}
	}
	vars["PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT"] = strconv.FormatInt(in.opts.Stall.Milliseconds(), 10)
	cmd.Env = vars.List()
	out, err := cmd.CombinedOutput()
	if err != nil {
		in.removeTemporary("playwright-download-*")
		return fmt.Errorf("%w: %s", err, lastLine(out))
	}
	return nil
}

// removeTemporary removes what a program that was broken off has left among the temporary files.
func (in *installer) removeTemporary(pattern string) {
	left, _ := filepath.Glob(filepath.Join(in.paths.Tmp(), pattern)) // The pattern is well-formed.
	for _, path := range left {
		_ = os.RemoveAll(path)
	}
}

// lastLine returns the last line of a program's output that says something.
func lastLine(out []byte) string {
	text := strings.TrimSpace(string(out[max(0, len(out)-maxWords):]))
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// reachable reports, within reachTimeout, whether Playwright's downloads can be had from here.
func (in *installer) reachable(ctx context.Context) error {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
		if in.env(name) != "" {
			return nil // Only the proxy can tell.
		}
	}
	address := "cdn.playwright.dev:443"
	for _, name := range []string{"PLAYWRIGHT_DOWNLOAD_HOST", "PLAYWRIGHT_CHROMIUM_DOWNLOAD_HOST"} {
		if mirror, err := url.Parse(in.env(name)); err == nil && mirror.Host != "" {
			address = mirror.Host
			if mirror.Port() == "" {
				address = net.JoinHostPort(mirror.Hostname(), map[string]string{"http": "80"}[mirror.Scheme])
			}
			if strings.HasSuffix(address, ":") {
				address += "443"
			}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("%s cannot be reached: %s", address, contract.NetworkReason(err))
	}
	return conn.Close()
}

// libraryNode gets Node.js as playwright-go does, from nodejs.org, for hosts that the registry has no
// package for. The library checks no hash, so this is the last resort.
func (in *installer) libraryNode(ctx context.Context) error {
	if in.env("PLAYWRIGHT_NODEJS_PATH") != "" {
		return fmt.Errorf("PLAYWRIGHT_NODEJS_PATH names no Node.js of version %d or newer", minimumNode)
	}
	dir, err := os.MkdirTemp(in.paths.drivers(), "node.tmp-")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, chromiumTimeout)
	defer cancel()
	done := make(chan error, 1)
	// The library cannot be cancelled. When ctx ends first, this goroutine ends with its download, and
	// removes what it leaves.
	go func() {
		driver, err := playwright.NewDriver(&playwright.RunOptions{DriverDirectory: dir, Logger: slog.New(slog.DiscardHandler)})
		if err == nil {
			err = driver.DownloadDriver()
		}
		if err == nil && ctx.Err() == nil {
			err = in.placeNode(ctx, filepath.Join(dir, executableName("node")))
		}
		done <- errors.Join(err, os.RemoveAll(dir))
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return errors.Join(ctx.Err(), os.RemoveAll(dir)) // An interrupted process ends before the goroutine does.
	}
}
