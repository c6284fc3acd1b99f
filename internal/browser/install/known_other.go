//go:build !linux

package install

// hostStamp is unknown, so that nothing is kept beyond this process.
func hostStamp() string { return "" }
