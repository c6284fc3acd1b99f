package logging_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/internal/logging"
)

func TestLevels(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	levels, err := logging.ParseLevels("warn,sessions=debug,http=error")
	if err != nil {
		t.Fatal(err)
	}
	log := logging.New(&b, logging.Options{Levels: levels, JSON: true})
	sessions, http := log.With(logging.ModuleKey, "sessions"), log.With(logging.ModuleKey, "http")
	log.Info("no")
	log.Warn("yes-warn")
	sessions.Debug("yes-debug")
	sessions.Log(context.Background(), logging.LevelTrace, "no")
	http.Warn("no")
	http.Error("yes-error")
	if err := levels.Set("trace"); err != nil {
		t.Fatal(err)
	}
	http.Log(context.Background(), logging.LevelTrace, "yes-trace")
	var got []string
	for line := range strings.Lines(b.String()) {
		var r struct{ Level, Msg string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		got = append(got, r.Level+":"+r.Msg)
	}
	if s := strings.Join(got, " "); s != "warn:yes-warn debug:yes-debug error:yes-error trace:yes-trace" {
		t.Error(s)
	}
	for _, bad := range []string{"", "loud", "info,debug", "=debug", "sessions=", "info,,"} {
		if err := levels.Set(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestPrettyKeepsARecordOnItsLine(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	levels, _ := logging.ParseLevels("info")
	log := logging.New(&b, logging.Options{Levels: levels}).With(logging.ModuleKey, "tools")
	log.Info("one\ntwo\x1b[31m", "title", "a \"b\"\nc", slog.Group("g", "k", 1))
	s := b.String()
	if strings.Count(s, "\n") != 1 || strings.Contains(s, "\x1b") {
		t.Errorf("%q", s)
	}
	for _, want := range []string{"INFO", "tools: one", `title="a \"b\"\nc"`, "g.k=1"} {
		if !strings.Contains(s, want) {
			t.Errorf("%q lacks %q", s, want)
		}
	}
}
