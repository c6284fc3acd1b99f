//go:build !linux

package browser

// writeDesktop does nothing: these systems are asked through their libraries and not through programs.
func writeDesktop(string) error { return nil }

func withoutDesktop(variables, string) {}
