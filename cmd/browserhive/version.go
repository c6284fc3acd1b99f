package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"

	"github.com/browserhive/browserhive/gen/cli"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/browser/install"
	"github.com/browserhive/browserhive/internal/server"
	"github.com/browserhive/browserhive/internal/settings"
)

func version(_ context.Context, p *program, in *settings.Invocation) (int, error) {
	if in.Flags["json"] == "true" {
		e := json.NewEncoder(p.stdout)
		e.SetIndent("", "  ")
		built := buildOf()
		return cli.ExitOk, e.Encode(map[string]string{
			"browserhive": server.Version, "commit": built.commit, "modified": strconv.FormatBool(built.modified), "go": runtime.Version(),
			"playwright": install.DriverVersion, "patchright": install.VersionOf(types.EnginePatchright),
			"os": runtime.GOOS, "arch": runtime.GOARCH,
		})
	}
	_, err := fmt.Fprintf(p.stdout, "browserhive %s (%s, %s, playwright %s, patchright %s)\n", server.Version, buildOf(), runtime.Version(),
		install.DriverVersion, install.VersionOf(types.EnginePatchright))
	return cli.ExitOk, err
}

// revision is the state of the sources that the program was built from.
type revision struct {
	commit   string // "" when the build did not know, as outside of a clone
	modified bool
}

// commit and modified are set by make; the go command notes the same in a build within a clone, unless it is told
// not to.
var commit, modified string

// buildOf is the revision of this program.
func buildOf() (r revision) {
	if commit != "" {
		return revision{commit, modified == "true"}
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return r
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			r.commit = s.Value
		case "vcs.modified":
			r.modified = s.Value == "true"
		}
	}
	return r
}

// shortCommit is how much of a commit people are shown.
const shortCommit = 12

func (r revision) String() string {
	switch {
	case r.commit == "":
		return "commit unknown"
	case r.modified:
		return "commit " + r.commit[:min(shortCommit, len(r.commit))] + ", modified"
	}
	return "commit " + r.commit[:min(shortCommit, len(r.commit))]
}
