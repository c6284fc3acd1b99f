package e2e

import (
	"bytes"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/internal/datadir/datadirtest"
)

// On a full disk each tool that writes says so with a code of its own and loses nothing; sessions go on, and
// with room everything works again.
func TestFullDisk(t *testing.T) {
	work(t)
	datadirtest.OnDisk(t, 192<<20, func(t *testing.T, disk *datadirtest.Disk) {
		site := newFilesSite(t)
		site.mux.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Disposition", "attachment; filename=large.bin")
			_, _ = w.Write(bytes.Repeat([]byte("x"), 4<<20))
		})
		site.page("/disk", "Disk", `<input id=file type=file><a id=large href=/large>Large</a>`)
		p := start(t, setup{dataDir: filepath.Join(disk.Dir, "data")})
		a := p.connect(stateful)
		if err := os.WriteFile(filepath.Join(p.dataDir, "uploads", "big.txt"), bytes.Repeat([]byte("u"), 1<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		id := a.launchWith(args{"persistence_mode": "persistent"})
		a.call("close_session", args{"session_id": a.launchWith(args{"slug": "login", "persistence_mode": "storage-state"})})
		closing := a.launchWith(args{"slug": "login", "persistence_mode": "storage-state"})
		a.call("navigate", args{"session_id": closing, "url": site.URL + "/disk"})
		a.evaluate(closing, "localStorage.setItem('much', 'x'.repeat(4 << 20)); 0") // More than what a refused write leaves.
		a.call("navigate", args{"session_id": id, "url": site.URL + "/disk"})
		writes := []struct {
			code, tool string
			in         args
		}{
			{"DATA_DIR_UNWRITABLE", "screenshot", args{"session_id": id, "save_path": "shots/a.png"}},
			{"DATA_DIR_UNWRITABLE", "save_storage_state", args{"session_id": id, "name": "work"}},
			{"DATA_DIR_UNWRITABLE", "save_full_profile", args{"session_id": id, "name": "work"}},
			{"DATA_DIR_UNWRITABLE", "launch_session", args{"slug": "test", "persistence_mode": "persistent"}},
			{"UPLOAD_FAILED", "upload_file", args{"session_id": id, "selector": "#file", "paths": []any{"big.txt"}}},
			{"DOWNLOAD_FAILED", "download_file", args{"session_id": id, "trigger_selector": "#large", "timeout": ample}},
		}
		for _, w := range writes {
			if w.tool != "upload_file" {
				a.call(w.tool, w.in)
			}
		}
		// What tools have written: not the browsers' profiles, the database and the lock.
		kept := func() map[string]string {
			list := map[string]string{}
			for name, content := range datadirtest.Files(t, p.dataDir) {
				if strings.HasPrefix(name, "auth-states/") || strings.Contains(name, "/shots/") || strings.Contains(name, "/downloads/") {
					list[name] = content
				}
			}
			return list
		}
		before := kept()
		if len(before) != 5 {
			t.Fatalf("written: %v", maps.Keys(before))
		}
		for _, w := range writes {
			disk.Fill() // Anew, because browsers that work or end make room.
			f := a.refused(w.code, w.tool, w.in)
			if w.code == "DATA_DIR_UNWRITABLE" && !strings.Contains(f.Message, "no space left on device") {
				t.Errorf("%s: %s", w.tool, f.Message)
			}
		}
		disk.Fill()
		if out := a.call("close_session", args{"session_id": closing}); out.fields["closed"] != true || out.fields["login_saved"] != false {
			t.Errorf("%v", out.fields)
		}
		if got := a.evaluate(id, "6 * 7"); got != 42.0 {
			t.Errorf("the session answers %v", got)
		}
		if after := kept(); !maps.Equal(before, after) {
			t.Errorf("there were %d files, and now there are %d, or others", len(before), len(after))
		}
		disk.Free()
		for _, w := range writes {
			a.call(w.tool, w.in)
		}
		p.eventually("SELECT count(*) > 0 FROM tool_calls WHERE error_code = 'DATA_DIR_UNWRITABLE'", "1")
	})
}
