package settings

import (
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/gen/errcode"
)

func TestSuggestions(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"BROWSERHIVE_TOKEN":        "BROWSERHIVE_AUTH_TOKENS",
		"BROWSERHIVE_TOKENS":       "BROWSERHIVE_AUTH_TOKENS",
		"BROWSERHIVE_MAXSESSIONS":  "BROWSERHIVE_MAX_SESSIONS",
		"BROWSERHIVE_MAX_SESSION":  "BROWSERHIVE_MAX_SESSIONS",
		"BROWSERHIVE_PROT":         "BROWSERHIVE_PORT",
		"BROWSERHIVE_DATADIR":      "BROWSERHIVE_DATA_DIR",
		"BROWSERHIVE_DIR":          "BROWSERHIVE_DATA_DIR",
		"BROWSERHIVE_HEADLESS":     "BROWSERHIVE_DEFAULT_HEADLESS",
		"BROWSERHIVE_LEASE":        "BROWSERHIVE_SESSION_LEASE",
		"BROWSERHIVE_ENDPOINT":     "BROWSERHIVE_OTEL_ENDPOINT",
		"BROWSERHIVE_LOG":          "BROWSERHIVE_LOG_LEVEL",
		"BROWSERHIVE_maxSessions":  "BROWSERHIVE_MAX_SESSIONS",
		"BROWSERHIVE_ENVIRONMENT":  "",
		"BROWSERHIVE_QUITE_UNLIKE": "",
		"BROWSERHIVE_":             "",
	} {
		_, err := Resolve(Input{Dir: t.TempDir(), Host: testHost, Env: map[string]string{name: "s3cret"}})
		if err == nil {
			t.Errorf("%s is accepted", name)
			continue
		}
		code, key, source, _, near := detail(t, err)
		if code != errcode.CodeConfigUnknownKey || key != name || source != "environment" || near != want || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%v, want %s", err, want)
		}
		if (near != "") != strings.HasSuffix(err.Error(), " Did you mean '"+near+"'?") {
			t.Error(err)
		}
	}
	for name, want := range map[string]string{
		"--sessionlease": "--sessionLease", "--session-lease": "--sessionLease", "--sesionLeas": "--sessionLease", "--token": "--authTokens",
		"--level": "--logLevel", "--prot": "--port", "--colour": "--color", "--x": "", "--bindAddress": "",
	} {
		if got := suggest(name, flagNames()); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// One slip of the finger in a name leads back to it.
func TestEverySlipIsRecognised(t *testing.T) {
	t.Parallel()
	for _, k := range config.Keys {
		for i := 2; i+1 < len(k.Name); i++ {
			for _, slip := range []string{
				k.Name[:i] + k.Name[i+1:], k.Name[:i] + "q" + k.Name[i:], k.Name[:i] + "q" + k.Name[i+1:],
				k.Name[:i] + k.Name[i+1:i+2] + k.Name[i:i+1] + k.Name[i+2:],
			} {
				if byName[slip] != nil {
					continue
				}
				if got := suggest("--"+slip, flagNames()); got != k.Flag {
					t.Errorf("--%s leads to %q", slip, got)
				}
			}
		}
	}
}

func TestPrintable(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"--port": "--port", "--authTokens:ci:s3cret": "--authTokens…", "a b": "a…", "\x1b[31m": "…", "": "",
		strings.Repeat("a", 70): strings.Repeat("a", 60) + "…", "naïve": "na…",
	} {
		if got := printable(name); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}
