package install

import (
	"path/filepath"
	"runtime"

	"github.com/browserhive/browserhive/gen/types"
)

// Paths are the places below the data directory that this package owns.
type Paths struct{ Root string }

// drivers holds one directory per driver, and Node.js.
func (p Paths) drivers() string { return filepath.Join(p.Root, "driver") }

// driver is the driver of a release.
func (p Paths) driver(r release) string {
	if r.engine == types.EnginePatchright {
		return filepath.Join(p.drivers(), "patchright-"+r.pin.version)
	}
	return filepath.Join(p.drivers(), r.pin.version)
}

// node is the Node.js that Install fetches on a host without one.
func (p Paths) node() string {
	return filepath.Join(p.drivers(), "node", executableName("node"))
}

// known is what programs of the host have answered.
func (p Paths) known() string { return filepath.Join(p.drivers(), "known.json") }

// Tmp holds temporary files of drivers and browsers; Sweep empties it.
func (p Paths) Tmp() string { return filepath.Join(p.Root, "tmp") }

// Profiles are the places with a directory each for the profiles of browsers.
func (p Paths) Profiles() []string { return []string{filepath.Join(p.Root, "sessions"), p.Tmp()} }

func executableName(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}
