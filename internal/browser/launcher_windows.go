package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/browserhive/browserhive/internal/browser/install"
)

// writeLauncher makes dir a driver directory that starts the driver below driverDir with exactly the variables.
// playwright-go gives its driver the whole environment of the server and offers no other way, but it
// runs "package/cli.js" of the directory that it is told, and that is a script of ours.
func writeLauncher(dir, node, driverDir string, vars install.Variables) error {
	keep, err := json.Marshal(vars)
	if err != nil {
		return err
	}
	cli, err := json.Marshal(filepath.Join(driverDir, "package", "cli.js"))
	if err != nil {
		return err
	}
	script := fmt.Sprintf(`const keep = %s;
for (const name of Object.keys(process.env)) if (!(name in keep)) delete process.env[name];
Object.assign(process.env, keep);
// The library asks for the version first, and takes none but its own, also of Patchright.
if (process.argv[2] === '--version') { console.log('Version %s'); process.exit(); }
// A promise that nobody waits for must not end the process and with it every session.
process.on('unhandledRejection', reason => console.warn(reason));
require(process.argv[1] = %s);
`, keep, install.DriverVersion, cli)
	if err := os.MkdirAll(filepath.Join(dir, "package"), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "package", "cli.js"), []byte(script), 0o600); err != nil {
		return err
	}
	return os.Setenv("PLAYWRIGHT_NODEJS_PATH", node) // The only way to name node.exe to the library.
}
