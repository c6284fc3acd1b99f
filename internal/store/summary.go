package store

import (
	"context"
	"os"
)

// Summary is what an open database is, in short.
type Summary struct {
	// Version is that of its schema.
	Version int
	// Size in bytes, with the write-ahead log.
	Size int64
	// Backups is how many there are.
	Backups int
}

// Summary returns it. It looks at no page of the database but the first.
func (s *Store) Summary(ctx context.Context) (sum Summary, err error) {
	if sum.Version, err = schemaVersion(ctx, s.reads); err != nil {
		return sum, openFailed(s.opts.path(), err)
	}
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(s.opts.path() + suffix); err == nil { // Without a log there is only the file.
			sum.Size += info.Size()
		}
	}
	list, err := ListBackups(s.opts.Dir)
	sum.Backups = len(list)
	return sum, err
}
