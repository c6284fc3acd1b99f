package settings

import (
	"slices"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
)

// attempt is a configuration written as flags, and variables in capitals.
type attempt map[string]string

func (a attempt) resolve(t testing.TB) []error {
	t.Helper()
	in := Input{Flags: map[string]string{}, Env: map[string]string{}, Dir: t.TempDir(), Host: testHost}
	for name, value := range a {
		if strings.Contains(name, "_") {
			in.Env[name] = value
		} else {
			in.Flags[name] = value
		}
	}
	_, errs := ResolveAll(in)
	return errs
}

// ruleCases has what breaks each rule, with the setting that is blamed, and what keeps it.
var ruleCases = map[string]struct {
	breaks map[string]attempt
	keeps  []attempt
}{
	"attention-wait-below-timeout": {
		map[string]attempt{
			"--minAttentionWait":            {"minAttentionWait": "6h"},
			"--attentionTimeout":            {"attentionTimeout": "10m"},
			"BROWSERHIVE_ATTENTION_TIMEOUT": {"BROWSERHIVE_ATTENTION_TIMEOUT": "1800000"},
		},
		[]attempt{{"minAttentionWait": "5h"}, {"attentionTimeout": "10m", "minAttentionWait": "0"}, {"attentionTimeout": "2h", "minAttentionWait": "7199999"}},
	},
	"humanize-needs-stealth": {
		map[string]attempt{"--humanize": {"humanize": "true", "stealth": "off"}, "BROWSERHIVE_HUMANIZE": {"BROWSERHIVE_HUMANIZE": "1", "stealth": "off"}},
		[]attempt{{"humanize": "true"}, {"humanize": "true", "stealth": "max"}, {"humanize": "false", "stealth": "off"}},
	},
	"fingerprint-needs-stealth": {
		map[string]attempt{"--fingerprint": {"fingerprint": "true", "stealth": "off"}},
		[]attempt{{"fingerprint": "true"}, {"stealth": "off"}, {"stealth": "max"}, {"fingerprint": "false", "stealth": "off"}},
	},
	"captcha-needs-operator": {
		map[string]attempt{
			"--captcha":           {"captcha": "attention"},
			"BROWSERHIVE_CAPTCHA": {"BROWSERHIVE_CAPTCHA": "attention", "transport": "stdio"},
		},
		[]attempt{{}, {"transport": "stdio"}, {"captcha": "off"}, {"captcha": "attention", "admin": "true"}},
	},
	"admin-needs-http": {
		map[string]attempt{"": {"admin": "true", "transport": "stdio"}},
		[]attempt{{"admin": "true"}, {"admin": "false", "transport": "stdio"}},
	},
	"auth-needs-http": {
		map[string]attempt{"--auth": {"auth": "token", "transport": "stdio"}},
		[]attempt{{"auth": "token"}, {"transport": "stdio"}},
	},
	"otel-endpoint-needs-otel":     otelCase("otelEndpoint", "http://a", "BROWSERHIVE_OTEL_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"),
	"otel-protocol-needs-otel":     otelCase("otelProtocol", "http/json", "BROWSERHIVE_OTEL_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"),
	"otel-headers-needs-otel":      otelCase("otelHeaders", "a=b", "BROWSERHIVE_OTEL_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"),
	"otel-service-name-needs-otel": otelCase("otelServiceName", "a", "BROWSERHIVE_OTEL_SERVICE_NAME", "OTEL_SERVICE_NAME"),
	"otel-sample-ratio-needs-otel": otelCase("otelSampleRatio", "0.5", "BROWSERHIVE_OTEL_SAMPLE_RATIO", "OTEL_TRACES_SAMPLER_ARG"),
	"trusted-proxies-need-network": {
		map[string]attempt{
			"--trustedProxies":            {"trustedProxies": "10.0.0.1"},
			"BROWSERHIVE_TRUSTED_PROXIES": {"BROWSERHIVE_TRUSTED_PROXIES": "10.0.0.1", "host": "::1"},
		},
		[]attempt{{"trustedProxies": "10.0.0.1", "host": "0.0.0.0", "auth": "token"}},
	},
	"screenshot-trace-needs-trace": {
		map[string]attempt{"--screenshotTrace": {"screenshotTrace": "true"}, "BROWSERHIVE_SCREENSHOT_TRACE": {"BROWSERHIVE_SCREENSHOT_TRACE": "yes", "admin": "true", "trace": "false"}},
		[]attempt{{"screenshotTrace": "true", "admin": "true"}, {"screenshotTrace": "true", "trace": "true"}},
	},
	"blocklist-watch-needs-blocklist": {
		map[string]attempt{"--blocklistWatch": {"blocklistWatch": "true"}},
		[]attempt{{"blocklistWatch": "true", "blocklist": "list.txt"}, {"blocklist": "list.txt"}},
	},
	"network-bind-needs-auth": {
		map[string]attempt{"": {"host": "0.0.0.0"}, "::": {"host": "[::]"}, "a name": {"host": "hive.example"}, "not local": {"host": "localhost.example"}, "mapped": {"host": "::ffff:10.0.0.1"}},
		[]attempt{
			{"host": "0.0.0.0", "auth": "token"}, {"host": "::", "allowInsecureBind": "true"}, {"host": "127.9.9.9"}, {"host": "::1"},
			{"host": "[::1]"}, {"host": "LocalHost"}, {"host": "::ffff:127.0.0.1"},
		},
	},
}

func otelCase(key, value, variable, alias string) struct {
	breaks map[string]attempt
	keeps  []attempt
} {
	return struct {
		breaks map[string]attempt
		keeps  []attempt
	}{
		map[string]attempt{"--" + key: {key: value}, variable: {variable: value, alias: value}},
		[]attempt{{alias: value}, {key: value, "otel": "true"}, {variable: value, "BROWSERHIVE_OTEL": "1"}},
	}
}

func TestEveryRule(t *testing.T) {
	t.Parallel()
	for _, rule := range config.Rules {
		t.Run(rule.Name, func(t *testing.T) {
			t.Parallel()
			c, ok := ruleCases[rule.Name]
			if !ok {
				t.Fatal("the rule has no case")
			}
			for source, a := range c.breaks {
				errs := a.resolve(t)
				if len(errs) != 1 {
					t.Errorf("%v: %v", a, errs)
					continue
				}
				checkViolation(t, &rule, source, a, errs[0])
			}
			for _, a := range c.keeps {
				if errs := a.resolve(t); len(errs) > 0 {
					t.Errorf("%v: %v", a, errs)
				}
			}
		})
	}
}

func checkViolation(t *testing.T, rule *contract.Rule, source string, a attempt, err error) {
	t.Helper()
	code, key, where, reason, _ := detail(t, err)
	if code != rule.Code {
		t.Errorf("%v: %v", a, err)
	}
	info, _ := errcode.Info(code)
	switch code {
	case errcode.CodeConfigInvalid:
		if where != source || !slices.Contains(keysOf(rule), key) || !strings.HasPrefix(reason, rule.Reason+" (") || info.Exit != 64 {
			t.Errorf("%v: %v", a, err)
		}
	case errcode.CodeInsecureBindRefused:
		if !strings.Contains(string(err.(*contract.Error).Details), `"host":"`+strings.Trim(a["host"], "[]")+`"`) || info.Exit != 3 {
			t.Errorf("%v: %s", a, err.(*contract.Error).Details)
		}
	case errcode.CodeAdminRequiresHTTP:
		if info.Exit != 3 {
			t.Errorf("%v exits with %d", code, info.Exit)
		}
	default:
		t.Errorf("no case for %v", code)
	}
}

func TestRulesAskForKeysThatExist(t *testing.T) {
	t.Parallel()
	for _, rule := range config.Rules {
		for _, key := range keysOf(&rule) {
			if byName[key] == nil {
				t.Errorf("%s: no key %s", rule.Name, key)
			}
		}
	}
	if len(ruleCases) != len(config.Rules) {
		t.Errorf("%d cases for %d rules", len(ruleCases), len(config.Rules))
	}
}

// A file counts as explicit like a flag, and a rule about values that are unknown stays silent.
func TestRulesAndOtherFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := dir + "/a.json"
	write(t, file, `{"otelHeaders": {"a": "b"}, "humanize": true, "stealth": "of", "host": "0.0.0.0"}`)
	_, errs := ResolveAll(Input{Dir: dir, Host: testHost, ConfigFile: &file})
	var got []string
	for _, err := range errs {
		_, key, source, _, _ := detail(t, err)
		got = append(got, key+" "+strings.TrimPrefix(source, dir))
	}
	want := []string{"stealth /a.json: stealth", "otelHeaders /a.json: otelHeaders", " "}
	if !slices.Equal(got, want) || errs[2].(*contract.Error).Code != errcode.CodeInsecureBindRefused {
		t.Errorf("%q %v", got, errs)
	}
	write(t, file, `{"auth": "token", "host": "0.0.0.0",}`)
	_, errs = ResolveAll(Input{Dir: dir, Host: testHost, ConfigFile: &file, Flags: map[string]string{"host": "0.0.0.0"}})
	if len(errs) != 1 || contract.CodeOf(errs[0]) != errcode.CodeConfigInvalid {
		t.Error(errs)
	}
}
