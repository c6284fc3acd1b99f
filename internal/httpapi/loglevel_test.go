package httpapi_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/httpapi"
	"github.com/browserhive/browserhive/internal/logging"
)

func TestSetLogLevel(t *testing.T) {
	t.Parallel()
	levels, err := logging.ParseLevels("info,sessions=debug")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	log := logging.New(&out, logging.Options{Levels: levels})
	s, id := desk(t, func(o *httpapi.Options) { o.Levels, o.Log = levels, log.With(logging.ModuleKey, "http") })
	c := owner(t, s, id)
	const path = "/api/v1/system/log-level"
	a := c.wants("", "PATCH", path, map[string]any{"level": "warn,http=trace"})
	if got := into[types.LogLevelChange](t, a); got.Level != "warn,http=trace" || got.Previous != "info,sessions=debug" {
		t.Errorf("%+v", got)
	}
	log.Info("not this")
	log.With(logging.ModuleKey, "http").Log(t.Context(), logging.LevelTrace, "but this")
	for _, level := range []any{"loud", "", "warn,info", "=debug", 3, strings.Repeat("x", 1025), nil} {
		c.wants("VALIDATION_FAILED", "PATCH", path, map[string]any{"level": level})
	}
	if levels.String() != "warn,http=trace" {
		t.Errorf("in force: %s", levels)
	}
	if text := out.String(); strings.Contains(text, "not this") || !strings.Contains(text, "but this") || !strings.Contains(text, "the log level was changed") {
		t.Errorf("%s", text)
	}
	agent := &client{t: t, server: s, token: into[types.IssuedToken](t, c.wants("", "POST", "/api/v1/auth/tokens", map[string]any{"name": "ci"})).Token}
	agent.wants("FORBIDDEN", "PATCH", path, map[string]any{"level": "debug"})
}
