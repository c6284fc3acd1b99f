package settings

import (
	"os/user"
	"path/filepath"
	"runtime"
)

// Host is what defaults depend on.
type Host struct {
	// MemoryBytes is the memory of the host or the limit of its control group, whichever is smaller; 0
	// when unknown.
	MemoryBytes uint64
	OS          string // as GOOS
	// Home, XDGDataHome and LocalAppData are absolute directories, "" when unknown.
	Home, XDGDataHome, LocalAppData string
}

// DetectHost looks at this host. Directories come from env; without a home directory there, the user
// database of the system is asked.
func DetectHost(env map[string]string) Host {
	absolute := func(names ...string) string {
		for _, name := range names {
			// The XDG specification has relative paths ignored; elsewhere they would be as useless.
			if dir := env[name]; filepath.IsAbs(dir) {
				return dir
			}
		}
		return ""
	}
	h := Host{MemoryBytes: memory(), OS: runtime.GOOS}
	if h.OS == "windows" {
		h.Home = absolute("USERPROFILE")
		h.LocalAppData = absolute("LOCALAPPDATA")
	} else {
		h.Home = absolute("HOME")
		h.XDGDataHome = absolute("XDG_DATA_HOME")
	}
	if h.Home == "" {
		if u, err := user.Current(); err == nil && filepath.IsAbs(u.HomeDir) {
			h.Home = u.HomeDir
		}
	}
	return h
}
