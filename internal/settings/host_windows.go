package settings

import (
	"syscall"
	"unsafe"
)

var globalMemoryStatusEx = syscall.NewLazyDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")

func memory() uint64 {
	// MEMORYSTATUSEX
	var status struct {
		length, load    uint32
		totalPhys       uint64
		availPhys       uint64
		pageFile        [2]uint64
		virtual         [2]uint64
		availExtVirtual uint64
	}
	status.length = uint32(unsafe.Sizeof(status))
	if globalMemoryStatusEx.Find() != nil {
		return 0
	}
	if ok, _, _ := globalMemoryStatusEx.Call(uintptr(unsafe.Pointer(&status))); ok == 0 {
		return 0
	}
	return status.totalPhys
}
