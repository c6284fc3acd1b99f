package install

import "slices"

// passedOn are the variables that a driver and a browser may see. All else of the server's
// environment stays with the server: it may hold tokens (BROWSERHIVE_*, OTEL_*, BW_*).
var passedOn = slices.Concat([]string{
	"PATH", "HOME",
	"LANG", "LANGUAGE", "LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME", "TZ",
	// Hosts that reach the web through a proxy may need their own root certificate.
	"NODE_EXTRA_CA_CERTS",
}, ProxyVariables, platformVariables)

// ProxyVariables are those by which a host says that it reaches the web through a proxy. They may hold the
// proxy's password.
var ProxyVariables = []string{
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
}

// displayVariables are the way to the display, for a browser with a window.
var displayVariables = []string{"DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"}

// Variables is an environment by name.
type Variables map[string]string

// List is the environment as exec.Cmd takes it.
func (v Variables) List() []string {
	list := make([]string, 0, len(v)) // Never nil, which would mean the whole environment.
	for name, value := range v {
		list = append(list, name+"="+value)
	}
	return list
}

// Environment returns the variables for a child process whose temporary files go to tmp: what of the server's
// environment it may see, with the way to the display where it shows a window.
func Environment(env func(string) string, tmp string, display bool) Variables {
	names := passedOn
	if display {
		names = slices.Concat(passedOn, displayVariables)
	}
	vars := Variables{}
	for _, name := range names {
		if value := env(name); value != "" {
			vars[name] = value
		}
	}
	for _, name := range TemporaryVariables {
		vars[name] = tmp
	}
	return vars
}
