package browser

import (
	"path/filepath"
	"runtime"
)

// Paths are the places below the data directory that this package owns.
type Paths struct{ Root string }

// drivers holds one directory per driver version and one per Node.js version.
func (p Paths) drivers() string { return filepath.Join(p.Root, "driver") }

// driver is the driver of the pinned version.
func (p Paths) driver() string { return filepath.Join(p.drivers(), driverPin.version) }

// node is the Node.js that Install fetches on a host without one.
func (p Paths) node() string {
	return filepath.Join(p.drivers(), "node", executableName("node"))
}

// tmp holds temporary files of drivers and browsers; Sweep empties it.
func (p Paths) tmp() string { return filepath.Join(p.Root, "tmp") }

func executableName(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}
