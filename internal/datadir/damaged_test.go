package datadir_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/browserhive/browserhive/internal/datadir"
)

func TestDamagedDatabases(t *testing.T) {
	t.Parallel()
	d := &datadir.Dir{Root: t.TempDir()}
	if list, err := (&datadir.Dir{Root: filepath.Join(d.Root, "gone")}).DamagedDatabases(); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	at := time.Date(2026, 3, 4, 5, 6, 7, 8, time.FixedZone("", 3600))
	var paths []string
	for i, files := range [][]string{{"", "-wal", "-shm"}, {""}} { // Both within one second.
		for _, suffix := range files {
			if err := os.WriteFile(filepath.Join(d.Root, datadir.DatabaseName+suffix), make([]byte, 10), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		path, err := d.SetAsideDatabase(at)
		if err != nil {
			t.Fatal(i, err)
		}
		paths = append(paths, path)
	}
	if _, err := d.SetAsideDatabase(at); err == nil {
		t.Error("a database that is not there was set aside")
	}
	list, err := d.DamagedDatabases()
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	bytes := map[string]int64{paths[0]: 30, paths[1]: 10}
	for _, one := range list {
		if one.Bytes != bytes[one.Path] || !one.SetAside.Equal(at.Truncate(time.Second)) {
			t.Errorf("%+v", one)
		}
		if err := os.Remove(one.Path); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := d.DamagedDatabases(); err != nil || len(list) != 0 {
		t.Errorf("after they were removed: %v, %v", list, err) // A log without its database is of no use.
	}
	if left, err := d.Strangers(); err != nil || len(left) != 0 {
		t.Errorf("strangers %v, %v", left, err)
	}
}
