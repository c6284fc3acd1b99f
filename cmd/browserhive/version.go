package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/browserhive/browserhive/gen/cli"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/browser/install"
	"github.com/browserhive/browserhive/internal/config"
	"github.com/browserhive/browserhive/internal/server"
)

func version(_ context.Context, p *program, in *config.Invocation) (int, error) {
	if in.Flags["json"] == "true" {
		e := json.NewEncoder(p.stdout)
		e.SetIndent("", "  ")
		return cli.ExitOk, e.Encode(map[string]string{
			"browserhive": server.Version, "go": runtime.Version(), "playwright": install.DriverVersion,
			"patchright": install.VersionOf(types.EnginePatchright),
			"os":         runtime.GOOS, "arch": runtime.GOARCH,
		})
	}
	_, err := fmt.Fprintf(p.stdout, "browserhive %s (%s, playwright %s, patchright %s)\n", server.Version, runtime.Version(),
		install.DriverVersion, install.VersionOf(types.EnginePatchright))
	return cli.ExitOk, err
}
