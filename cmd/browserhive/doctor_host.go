package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/browserhive/browserhive/gen/client"
	gen "github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/browser/install"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/datadir"
	"github.com/browserhive/browserhive/internal/server"
	"github.com/browserhive/browserhive/internal/settings"
)

// The space below which a disk is too full: what a few sessions with their profiles take, and what not even
// the database and its log fit into.
const (
	littleSpace = 1 << 30
	noSpace     = 64 << 20
)

func spaceCheck(dir string) finding {
	const check = "disk space"
	free, err := (&datadir.Dir{Root: dir}).Free()
	if err != nil {
		return finding{check, checkWarn, "not known: " + err.Error()}
	}
	detail := fmt.Sprintf("%s free for %s", size(int64(min(free, 1<<62))), dir)
	switch {
	case free < noSpace:
		return finding{check, checkFail, detail}
	case free < littleSpace:
		return finding{check, checkWarn, detail}
	}
	return finding{check, checkOK, detail}
}

// strangersCheck warns of files in the data directory that nothing reads, such as those of another program.
func strangersCheck(set *settings.Resolved) finding {
	const check = "data files"
	named := []string{set.File, set.Config.Blocklist}
	list, err := (&datadir.Dir{Root: set.Config.DataDir}).Strangers(named...)
	if err != nil || len(list) == 0 { // The data directory has a check of its own.
		return finding{check, checkOK, "none that BrowserHive does not know"}
	}
	const most = 5
	detail := strings.Join(list[:min(len(list), most)], ", ")
	if len(list) > most {
		detail += fmt.Sprintf(" and %d more", len(list)-most)
	}
	return finding{check, checkWarn, fmt.Sprintf("%s in %s: BrowserHive neither reads nor migrates that", detail, set.Config.DataDir)}
}

// driverNames are the engines as people call them.
var driverNames = map[types.Engine]string{types.EnginePlaywright: "Playwright", types.EnginePatchright: "Patchright"}

// startCheck starts a driver, as a session would.
func (p *program) startCheck(ctx context.Context, check string, found install.Installation, engine types.Engine) finding {
	which := fmt.Sprintf("%s %s (%s)", driverNames[engine], install.VersionOf(engine), found.Package(engine))
	began := time.Now()
	if err := install.Handshake(ctx, found, engine, func(name string) string { return p.env[name] }); err != nil {
		return finding{check, checkFail, fmt.Sprintf("%s does not start; run: %s\n%v", which, p.propose("init"), err)}
	}
	return finding{check, checkOK, fmt.Sprintf("%s starts in %d ms", which, time.Since(began).Milliseconds())}
}

// serverCheck finds out what uses the data directory, and whether that serves at the configured address.
func serverCheck(ctx context.Context, set *settings.Resolved) (f finding, serves bool) {
	const check = "server"
	pid, held := (&datadir.Dir{Root: set.Config.DataDir}).Held()
	switch {
	case !held:
		return finding{check, checkOK, "none is running on this data directory"}, false
	case set.Config.Transport != gen.TransportHTTP:
		return finding{check, checkOK, fmt.Sprintf("process %d uses the data directory", pid)}, false
	}
	host, port, _ := net.SplitHostPort(at(set))
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	url := "http://" + net.JoinHostPort(host, port)
	health, err := askHealth(ctx, url)
	switch {
	case err == nil:
		up := (time.Duration(health.UptimeMs) * time.Millisecond).Round(time.Second)
		return finding{check, checkOK, fmt.Sprintf("%s is %s at %s for %v (process %d)", health.Version, health.Status, url, up, pid)}, true
	case contract.CodeOf(err) != "":
		return finding{check, checkWarn, fmt.Sprintf("process %d at %s: %s", pid, url, sentence(err))}, true
	}
	return finding{check, checkOK, fmt.Sprintf("process %d uses the data directory, and %s does not answer (%s): a server at another address or over stdio, or a command",
		pid, url, contract.NetworkReason(err))}, false
}

// askHealth asks a server whether it is well, straight and not through a proxy. A server that is not answers an
// error of the contract.
func askHealth(ctx context.Context, url string) (*types.Health, error) {
	c, err := client.NewClientWithResponses(url, client.WithHTTPClient(&http.Client{
		Timeout: reachTime, Transport: &http.Transport{DisableKeepAlives: true},
	}))
	if err != nil {
		return nil, err
	}
	reply, err := c.GetHealthWithResponse(ctx)
	if err != nil {
		return nil, err
	}
	if reply.JSON200 != nil && reply.JSON200.Version != "" {
		return reply.JSON200, nil
	}
	return nil, (&remote{name: url}).problem(reply.HTTPResponse, reply.Body)
}

// stealthDriverCheck looks for the driver that stealth sessions are to run on.
func (p *program) stealthDriverCheck(ctx context.Context, set *settings.Resolved, found install.Installation) finding {
	const check = "stealth driver"
	use := server.PatchrightUse(set.Config.StealthDriver)
	switch {
	case use == install.PatchrightNever:
		return finding{check, checkOK, "Playwright, as stealthDriver asks"}
	case found.PatchrightDir != "" && found.Node != "":
		return p.startCheck(ctx, check, found, types.EnginePatchright)
	case found.PatchrightDir != "":
		return finding{check, checkOK, fmt.Sprintf("Patchright %s (%s)", install.VersionOf(types.EnginePatchright), found.PatchrightDir)}
	case use == install.PatchrightRequired:
		return finding{check, checkFail, fmt.Sprintf("Patchright is not installed, and the server does not start without it; run: %s", p.propose("init"))}
	}
	return finding{check, checkWarn, fmt.Sprintf("Playwright, because Patchright is not installed; run: %s", p.propose("init"))}
}

// vaultCheck looks for the Bitwarden CLI.
func (p *program) vaultCheck() finding {
	const check = "bw"
	for _, dir := range filepath.SplitList(p.env["PATH"]) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, "bw")); err == nil {
			return finding{check, checkOK, path}
		}
	}
	return finding{check, checkFail, "the Bitwarden CLI is not on PATH, and the vault needs it; see https://bitwarden.com/help/cli/"}
}

// reachTime bounds the wait for a collector: what does not answer in it will not keep up with traces either.
const reachTime = 3 * time.Second

// collectorCheck warns when nobody listens where telemetry goes. It sends nothing.
func collectorCheck(ctx context.Context, endpoint string) finding {
	const check = "otlp endpoint"
	u, err := url.Parse(endpoint)
	if err != nil || u.Hostname() == "" {
		return finding{check, checkWarn, "none is set"}
	}
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	at := net.JoinHostPort(u.Hostname(), port)
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", at)
	if err != nil {
		return finding{check, checkWarn, fmt.Sprintf("%s cannot be reached: %s", at, contract.NetworkReason(err))}
	}
	_ = conn.Close()
	return finding{check, checkOK, at + " answers"}
}
