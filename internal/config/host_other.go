//go:build !linux && !darwin && !windows

package config

func memory() uint64 { return 0 }
