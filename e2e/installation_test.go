package e2e

import (
	"testing"

	"github.com/browserhive/browserhive/internal/browser/browsertest"
)

// installation is the environment that leads the program to the driver that all tests share, so that a
// new data directory needs no init.
func installation(t testing.TB) []string {
	t.Helper()
	found := browsertest.Installation(t)
	return []string{"PLAYWRIGHT_DRIVER_PATH=" + found.DriverDir, "PLAYWRIGHT_NODEJS_PATH=" + found.Node}
}
