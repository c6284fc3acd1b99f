//go:build !linux

package datadirtest

import "testing"

// OnDisk skips the test: only Linux lets a process have a file system of its own.
func OnDisk(t *testing.T, _ int, _ func(*testing.T, *Disk)) {
	t.Skip("only Linux lets a test have a file system of its own")
}

// ReadOnly is never reached.
func (d *Disk) ReadOnly() { d.t.Fatal("there is no disk") }
