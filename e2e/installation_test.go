package e2e

import "testing"

// installation is the environment that leads the program to the driver that tests share.
func installation(t *testing.T) []string {
	t.Helper()
	return []string{"PLAYWRIGHT_DRIVER_PATH=/tmp/mine/cache/driver/1.64.1"}
}
