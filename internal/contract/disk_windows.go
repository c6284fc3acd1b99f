package contract

import "syscall"

// platformFaults are ERROR_DISK_FULL, ERROR_HANDLE_DISK_FULL and ERROR_WRITE_PROTECT.
var platformFaults = []error{syscall.Errno(112), syscall.Errno(39), syscall.Errno(19)}
