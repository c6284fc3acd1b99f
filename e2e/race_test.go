//go:build race

package e2e

// A raced test races the programs as well.
func init() { buildFlags = append(buildFlags, "-race") }
