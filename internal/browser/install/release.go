package install

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/browserhive/browserhive/gen/types"
)

// release is a driver package that this program speaks with, and our edits of it.
type release struct {
	engine types.Engine
	pin    pin
	edits  []replacement
	// switches are those of Playwright's own that it leaves out and sessions rely on.
	switches []string
	hash     string // Of the edits, which tells one set from another: a new version of ours patches anew.
}

var (
	playwrightRelease = newRelease(types.EnginePlaywright, driverPin)
	patchrightRelease = newRelease(types.EnginePatchright, patchrightPin,
		// A page that comes back from that cache sends no events, so going back would never end.
		"--disable-back-forward-cache",
		// Else a click on a page that has just come can get lost.
		"--allow-pre-commit-input",
		// Nothing of the host's runs in a session, and no session reports to the browser's maker.
		"--disable-extensions", "--disable-default-apps", "--disable-component-extensions-with-background-pages",
		"--disable-component-update", "--disable-client-side-phishing-detection", "--metrics-recording-only",
	)
)

func newRelease(engine types.Engine, pin pin, switches ...string) release {
	r := release{engine: engine, pin: pin, edits: editsOf(engine), switches: switches}
	r.hash = hash(fmt.Appendf(nil, "%s %q %q", pin.version, libraryEdits, r.edits))
	return r
}

// releaseOf is the driver package of an engine; Playwright's for "".
func releaseOf(engine types.Engine) release {
	if engine == types.EnginePatchright {
		return patchrightRelease
	}
	return playwrightRelease
}

// Switches are those of an engine's driver that sessions rely on and that it leaves out.
func Switches(engine types.Engine) []string { return slices.Clone(releaseOf(engine).switches) }

// ReleaseHash tells an engine's driver, with our edits, from any other.
func ReleaseHash(engine types.Engine) string { return releaseOf(engine).hash }

// VersionOf is the pinned version of an engine's driver.
func VersionOf(engine types.Engine) string { return releaseOf(engine).pin.version }

// in reports whether dir holds the package of this release, patched or not.
func (r release) in(dir string) bool {
	content, err := os.ReadFile(filepath.Join(dir, "package", "package.json"))
	if err != nil || !isFile(filepath.Join(dir, "package", "cli.js")) {
		return false
	}
	var manifest struct{ Name, Version string }
	return json.Unmarshal(content, &manifest) == nil && manifest.Name == r.pin.name && manifest.Version == r.pin.version
}
