package settings

import (
	"path/filepath"
	"runtime"
	"testing"
)

func TestDetectHost(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	h := DetectHost(map[string]string{"HOME": home, "USERPROFILE": home, "XDG_DATA_HOME": "relative"})
	if h.OS != runtime.GOOS || h.Home != home || h.XDGDataHome != "" {
		t.Errorf("%+v", h)
	}
	if dir := h.dataDir(); !filepath.IsAbs(dir) {
		t.Error(dir)
	}
	// Without an environment, the user database has the home directory.
	if h := DetectHost(nil); h.Home != "" && !filepath.IsAbs(h.Home) {
		t.Errorf("%+v", h)
	}
}
