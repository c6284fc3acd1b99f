//go:build !windows

package contract

var platformFaults []error
