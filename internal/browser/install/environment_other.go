//go:build !windows

package install

var platformVariables []string

// TemporaryVariables name the directory for temporary files.
var TemporaryVariables = []string{"TMPDIR"}
