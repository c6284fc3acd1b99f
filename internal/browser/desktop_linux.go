package browser

import (
	"os"
	"path/filepath"

	"github.com/browserhive/browserhive/internal/browser/install"
)

// desktopPrograms are what Chromium asks about an address of another program, such as mailto:, and hands
// it to. xdg-settings is asked whether Chromium opens such addresses itself; the other two would start a
// program of the host.
var desktopPrograms = []string{"xdg-settings", "xdg-open", "xdg-email"}

// writeDesktop puts stand-ins for these programs into dir. The answer yes makes Chromium drop such an
// address. Otherwise it asks the person at the screen in a dialog, which swallows the mouse of that window
// and which no protocol shows or closes; and for mailto: it does not even ask.
func writeDesktop(dir string) error {
	dir = desktopDir(dir)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	for _, name := range desktopPrograms {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho yes\n"), 0o700); err != nil { //nolint:gosec // it is run, by its owner alone
			return err
		}
	}
	return nil
}

// withoutDesktop makes a browser's variables find the stand-ins in dir before the host's programs.
func withoutDesktop(vars install.Variables, dir string) {
	path := desktopDir(dir)
	if found := vars["PATH"]; found != "" { // An empty entry would mean the working directory.
		path += string(os.PathListSeparator) + found
	}
	vars["PATH"] = path
}

func desktopDir(dir string) string { return filepath.Join(dir, "desktop") }
