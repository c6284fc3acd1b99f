package datadir

import "io"

// Bounded is the reader that bounds what an archive unpacks to.
func Bounded(in io.Reader, left int64) io.Reader { return &bounded{in, &left} }
