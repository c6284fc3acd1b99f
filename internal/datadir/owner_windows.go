package datadir

import "io/fs"

// foreign reports false: the owner of a file says little there, where directories of users are closed to
// others by what they inherit.
func foreign(fs.FileInfo) bool { return false }
