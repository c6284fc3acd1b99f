package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/internal/browser/browsertest"
)

// Stealth sessions run on Patchright where it is installed, others and those of a server that is told so on
// Playwright; session and record say which. A browser that is kept ready serves sessions of its driver alone.
func TestEngines(t *testing.T) {
	work(t)
	dir := filepath.Join(shortDir(t), "data")
	if code, output := refusal(t, setup{dataDir: dir, args: []string{"--stealthDriver", "patchright"}}); code == 0 || !strings.Contains(output, "BROWSER_NOT_INSTALLED") {
		t.Errorf("without Patchright: exit %d, %s", code, output)
	}
	browsertest.PlacePatchright(t, dir)
	engines := func(p *product, want map[bool]string) {
		t.Helper()
		a := p.connect(stateful)
		for range 2 { // The second one may get a browser that was kept ready.
			for stealth, engine := range want {
				id := a.launchWith(args{"stealth": stealth})
				if got := a.call("session_info", args{"session_id": id}).fields["config"].(map[string]any)["engine"]; got != engine {
					t.Errorf("stealth %v: on %v, want %s", stealth, got, engine)
				}
				p.eventually("SELECT engine FROM sessions WHERE id = '"+id+"'", engine)
				if got := a.evaluate(id, "1 + 1"); got != 2.0 {
					t.Errorf("%s: %v", engine, got)
				}
			}
		}
	}
	p := start(t, setup{dataDir: dir})
	if code, output := refusal(t, setup{dataDir: dir}); code == 0 || !strings.Contains(output, "DATA_DIR_LOCKED") {
		t.Errorf("exit %d, %s", code, output)
	}
	engines(p, map[bool]string{true: "patchright", false: "playwright"})
	if code := p.stop(p.terminate); code != 0 {
		t.Errorf("exit %d", code)
	}
	engines(start(t, setup{dataDir: dir, args: []string{"--stealthDriver", "playwright"}}), map[bool]string{true: "playwright", false: "playwright"})
}
