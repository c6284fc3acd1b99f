package store_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/datadir/datadirtest"
	"github.com/browserhive/browserhive/internal/store"
)

// Neither a copy, nor a restore, nor a start on a full disk costs anything that was recorded.
func TestFullDisk(t *testing.T) {
	datadirtest.OnDisk(t, 8<<20, func(t *testing.T, disk *datadirtest.Disk) {
		s := open(t, store.Options{Dir: disk.Dir})
		const rows = 2000
		for i := range rows {
			s.Add("auth_audit", audit(fmt.Sprint(i)))
		}
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		backup, err := store.CopyTo(t.Context(), disk.Dir, "")
		if err != nil {
			t.Fatal(err)
		}
		files := func() map[string]string {
			list := datadirtest.Files(t, disk.Dir)
			maps.DeleteFunc(list, func(name, _ string) bool { return strings.HasSuffix(name, "-shm") }) // SQLite makes it anew.
			return list
		}
		before := files()
		disk.Fill()
		same := func(what string) {
			t.Helper()
			if after := files(); !maps.Equal(before, after) {
				t.Errorf("%s: the disk held %v, and now holds %v", what, slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
			}
		}
		for name, path := range map[string]string{"backup": "", "backup to a file": filepath.Join(disk.Dir, "copy.db")} {
			if _, err := store.CopyTo(t.Context(), disk.Dir, path); contract.CodeOf(err) != errcode.CodeDataDirUnwritable {
				t.Errorf("%s: %v", name, err)
			}
			same(name)
		}
		closed(t, s)
		before = files()
		if _, err := store.Restore(t.Context(), disk.Dir, backup); contract.CodeOf(err) != errcode.CodeDataDirUnwritable {
			t.Errorf("restore: %v", err)
		}
		same("restore")
		if s, err := store.Open(t.Context(), store.Options{Dir: disk.Dir}); err == nil {
			closed(t, s)
		} else if code := contract.CodeOf(err); code != errcode.CodeDBOpenFailed || !strings.Contains(err.Error(), "full") {
			t.Errorf("open: %v", err)
		}
		disk.Free()
		if n := count(t, open(t, store.Options{Dir: disk.Dir})); n != rows {
			t.Errorf("%d rows of %d", n, rows)
		}
	})
}
