package datadir

import "golang.org/x/sys/windows"

// free is how many bytes a user may still write to the volume of a path.
func free(path string) (uint64, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, err
	}
	var available uint64
	err = windows.GetDiskFreeSpaceEx(name, &available, nil, nil)
	return available, err
}
