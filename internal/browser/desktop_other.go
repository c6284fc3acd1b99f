//go:build !linux

package browser

import "github.com/browserhive/browserhive/internal/browser/install"

// writeDesktop does nothing: these systems are asked through their libraries and not through programs.
func writeDesktop(string) error { return nil }

func withoutDesktop(install.Variables, string) {}
