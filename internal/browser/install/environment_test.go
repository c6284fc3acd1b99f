package install

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestMinimalEnvHoldsOnlyWhatItMust(t *testing.T) {
	t.Parallel()
	env := func(name string) string { return "value of " + name }
	vars := Environment(env, "/data/tmp", false)
	for name := range vars {
		for _, prefix := range []string{"BROWSERHIVE_", "OTEL_", "BW_", "PLAYWRIGHT_", "DEBUG", "NODE_OPTIONS", "LD_", "DISPLAY", "XAUTHORITY"} {
			if strings.HasPrefix(name, prefix) {
				t.Errorf("%s is passed on", name)
			}
		}
	}
	if vars["PATH"] == "" || vars["HOME"] == "" || !slices.Contains(slices.Collect(maps.Values(vars)), "/data/tmp") {
		t.Errorf("too little is passed on: %v", vars)
	}
	if _, ok := Environment(env, "", true)["DISPLAY"]; !ok {
		t.Error("a headed browser does not find its display")
	}
	if got := Environment(func(string) string { return "" }, "", false).List(); got == nil {
		t.Error("an empty environment is nil, which exec takes for the whole")
	}
}
