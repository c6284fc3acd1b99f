//go:build unix

package browser

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/browserhive/browserhive/internal/browser/install"
)

// writeLauncher makes dir a driver directory that starts the driver below driverDir with exactly the variables.
// playwright-go gives its driver the whole environment of the server and offers no other way, but it
// starts "node" of the directory that it is told, and that is a script of ours.
func writeLauncher(dir, node, driverDir string, vars install.Variables) error {
	var script strings.Builder
	script.WriteString("#!/bin/sh\n")
	// The library asks for the version first, and takes none but its own. Find has looked already, Node.js takes
	// long to start, and Patchright has versions of its own.
	fmt.Fprintf(&script, "if [ \"$2\" = --version ]; then echo 'Version %s'; exit; fi\n", install.DriverVersion)
	// The variables stand in this file and not on a command line, which every user could read.
	script.WriteString("if [ \"$1\" != --fresh ]; then exec /usr/bin/env -i /bin/sh \"$0\" --fresh \"$@\"; fi\nshift\n")
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		fmt.Fprintf(&script, "export %s=%s\n", name, quoted(vars[name]))
	}
	// A promise that nobody waits for must not end the process and with it every session.
	fmt.Fprintf(&script, "exec %s --unhandled-rejections=warn \"$@\"\n", quoted(node))
	if err := os.WriteFile(filepath.Join(dir, "node"), []byte(script.String()), 0o700); err != nil { //nolint:gosec // it is run, by its owner alone
		return err
	}
	return os.Symlink(filepath.Join(driverDir, "package"), filepath.Join(dir, "package"))
}

// quoted is a word of a shell script.
func quoted(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
