package settings

import (
	"path/filepath"
	"strings"

	"github.com/browserhive/browserhive/gen/config"
)

// derived computes the keys that follow another key or the host when nobody sets them.
var derived = map[string]func(c *config.Config, h Host) any{
	config.KeyDataDir:     func(_ *config.Config, h Host) any { return h.dataDir() },
	config.KeyMaxSessions: func(_ *config.Config, h Host) any { return h.maxSessions() },
	config.KeyFingerprint: func(c *config.Config, _ Host) any { return c.Stealth == config.StealthMax },
	config.KeyTrace:       func(c *config.Config, _ Host) any { return c.Admin },
}

func (r *resolver) derive(res *Resolved) {
	for i := range config.Keys {
		k := &config.Keys[i]
		if len(k.DerivedFrom) > 0 && !res.Explicit(k.Name) {
			res.Config.Set(k.Name, derived[k.Name](&res.Config, r.in.Host))
		}
	}
	if res.Config.DataDir == "" && !r.failed[config.KeyDataDir] {
		r.reject(config.KeyDataDir, config.KeyDataDir, "it cannot follow from the home directory, because none is known; set --dataDir")
	}
}

// maxSessions allows one session per 1.5 GiB, at least 1 and at most 20.
func (h Host) maxSessions() int {
	const perSession = 3 << 29
	return int(max(1, min(20, h.MemoryBytes/perSession)))
}

// dataDir is where programs of the system keep their data, or "" when that is unknown.
func (h Host) dataDir() string {
	join := func(base string, names ...string) string {
		if base == "" {
			return ""
		}
		separator := "/"
		if h.OS == "windows" {
			separator = `\`
		}
		return filepath.Clean(strings.Join(append([]string{base}, names...), separator))
	}
	switch h.OS {
	case "darwin":
		return join(h.Home, "Library", "Application Support", "BrowserHive")
	case "windows":
		if h.LocalAppData != "" {
			return join(h.LocalAppData, "BrowserHive")
		}
		return join(h.Home, "AppData", "Local", "BrowserHive")
	}
	if h.XDGDataHome != "" {
		return join(h.XDGDataHome, "browserhive")
	}
	return join(h.Home, ".local", "share", "browserhive")
}
