//go:build !windows

package browser

var platformVariables []string

var temporaryVariables = []string{"TMPDIR"}
