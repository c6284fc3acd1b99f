package auth_test

import (
	"os"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/auth/authtest"
	"github.com/browserhive/browserhive/internal/datadir"
	"github.com/browserhive/browserhive/internal/datadir/datadirtest"
)

// A password that a full disk does not take changes nothing: the old one is valid, and can still be read.
func TestResetPasswordOnAFullDisk(t *testing.T) {
	datadirtest.OnDisk(t, 4<<20, func(t *testing.T, disk *datadirtest.Disk) {
		dir, err := datadir.Open(disk.Dir)
		if err != nil {
			t.Fatal(err)
		}
		a := authtest.OpenIn(t, dir, auth.Options{Dashboard: true})
		disk.Fill()
		if _, _, err := a.ResetPassword(t.Context()); code(err) != errcode.CodeDataDirUnwritable {
			t.Errorf("%v", err)
		}
		if text, err := os.ReadFile(a.First.File); err != nil || !strings.Contains(string(text), a.First.Password) {
			t.Errorf("the file holds %q, %v", text, err)
		}
		disk.Free()
		if _, _, err := a.Login(t.Context(), home, auth.Admin, a.First.Password); err != nil {
			t.Errorf("the old password: %v", err)
		}
		password, file, err := a.ResetPassword(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(file); err != nil || file != a.First.File || !strings.Contains(string(text), password) {
			t.Errorf("%s holds %q, %v", file, text, err)
		}
		if left := datadirtest.Files(t, disk.Dir+"/admin"); len(left) != 1 {
			t.Errorf("%d files are left", len(left))
		}
	})
}
