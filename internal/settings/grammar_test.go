package settings

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/internal/secret"
)

func TestShow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key  string
		v    any
		want string
	}{
		{"sessionLease", 2 * time.Hour, "2h"}, {"sessionLease", 90 * time.Minute, "90m"}, {"sessionLease", 24 * time.Hour, "1d"},
		{"sessionLease", 90 * time.Second, "90s"}, {"sessionLease", 1500 * time.Millisecond, "1500ms"}, {"sessionLease", time.Duration(0), "0ms"},
		{"sessionLease", time.Microsecond, "1µs"}, {"retentionBytes", int64(1 << 30), "1GiB"}, {"retentionBytes", int64(1e9), "1GB"},
		{"retentionBytes", int64(1<<30 + 1), "1073741825B"}, {"retentionBytes", int64(0), "0B"}, {"maxSessions", 0, "unbounded"},
		{"maxSessions", 3, "3"}, {"logRingSize", 0, "0"}, {"otelSampleRatio", 0.25, "0.25"}, {"otelSampleRatio", 1e-7, "0.0000001"},
		{"admin", true, "true"}, {"otelSignals", []string{"logs", "traces"}, "logs,traces"}, {"otelSignals", []string{}, ""},
		{"otelHeaders", map[string]string{"a": "b"}, secret.Redacted}, {"otelHeaders", map[string]string{}, ""}, {"authTokens", []string{"a"}, secret.Redacted},
		{"blocklist", "", ""},
	} {
		if got := show(byName[c.key], c.v); got != c.want {
			t.Errorf("%s %v: %s, want %s", c.key, c.v, got, c.want)
		}
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a b": "'a b'", "a\nb\x1b[0m": `'a\nb\x1b[0m'`, `C:\x`: `'C:\x'`, "ä\u202e": `'ä\u202e'`, "": "''",
		strings.Repeat("ä", 80): "'" + strings.Repeat("ä", 80) + "'", strings.Repeat("ä", 81): "'" + strings.Repeat("ä", 80) + "…'",
	} {
		if got := quote(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// A value that a key accepts has the type of the configuration, stays within its bounds, and is shown as
// text that reads back as the same value.
func FuzzGrammar(f *testing.F) {
	for i := range config.Keys {
		k := &config.Keys[i]
		for _, s := range goodSamples(f, k) {
			f.Add(i, s.text)
		}
		texts, _ := badSamples(f, k)
		for _, text := range texts {
			f.Add(i, text)
		}
	}
	f.Fuzz(func(t *testing.T, i int, text string) {
		if i < 0 || i >= len(config.Keys) {
			return
		}
		k := &config.Keys[i]
		if k.Alias != "" {
			if v, fault := parseAlias(k, text); fault == nil && !new(config.Config).Set(k.Name, v) {
				t.Errorf("%s takes no %T", k.Name, v)
			}
		}
		v, fault := parseText(k, text)
		if fault != nil {
			if reason := fault.reason(k); strings.ContainsAny(reason, "\n\r\x1b\x00") || len(reason) > 1000 {
				t.Errorf("%s %q: %q", k.Name, text, reason)
			}
			return
		}
		if !new(config.Config).Set(k.Name, v) {
			t.Fatalf("%s takes no %T", k.Name, v)
		}
		if !within(k, v) {
			t.Errorf("%s: %q is outside its bounds", k.Name, text)
		}
		again, fault := parseText(k, render(k, v))
		if fault != nil || !reflect.DeepEqual(again, v) {
			t.Errorf("%s: %q is %#v, shown as %q and read back as %#v", k.Name, text, v, render(k, v), again)
		}
	})
}
