package settings

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
)

func TestPrecedenceOfEveryKey(t *testing.T) {
	t.Parallel()
	eachKey(t, func(t *testing.T, k *contract.Key) {
		samples := goodSamples(t, k)
		pick := func(i int) sample { return samples[i%len(samples)] }
		dir := t.TempDir()
		file := filepath.Join(dir, "conf.json")
		in := Input{Dir: dir, Host: testHost, Env: map[string]string{}}

		// Sources join from weakest to strongest, and each newcomer has to win.
		var want []setting
		add := func(s Source, v any) {
			if name, ok := v.(string); ok && k.Grammar == "path" {
				v = filepath.Join(dir, name)
				if k.Name == config.KeyConfig {
					write(t, v.(string), "{}")
				}
			}
			want = append([]setting{{value: v, source: s}}, want...)
			r := newResolver(in)
			res := r.merge()
			if len(r.errs) > 0 {
				t.Fatal(r.errs)
			}
			if got := res.Config.Get(k.Name); !reflect.DeepEqual(got, v) {
				t.Errorf("%v: got %v, want %v", s, got, v)
			}
			entry, line := res.entry(k.Name), ""
			if entry.Source != s || len(entry.Shadowed) != len(want)-1 {
				t.Fatalf("%v: %+v", s, entry)
			}
			for i, w := range want[1:] {
				if entry.Shadowed[i] != (Shadowed{w.source, show(k, w.value)}) {
					t.Errorf("%v: %+v", s, entry.Shadowed)
				}
				line += ", " + w.source.String() + "=" + show(k, w.value)
			}
			if line != "" {
				line = "config: " + k.Name + "=" + show(k, v) + " (" + s.String() + ") shadows " + line[2:]
				if !slices.Contains(res.Notes, line) {
					t.Errorf("%q is not in %q", line, res.Notes)
				}
			}
		}
		if k.Alias != "" {
			in.Env[k.Alias] = pick(0).text
			add(FromOTel, pick(0).want)
		}
		in.Env[k.Env] = pick(1).text
		add(FromEnv, pick(1).want)
		if k.File {
			write(t, file, map[string]any{k.Name: pick(2).json})
			in.ConfigFile = &file
			add(FromFile, pick(2).want)
		}
		in.Flags = map[string]string{k.Name: pick(3).text}
		if k.Name == config.KeyConfig {
			in.ConfigFile = nil
		}
		add(FromCLI, pick(3).want)
	})
}

func TestNotes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, FileName), `{"maxSessions": 4, "logLevel": "debug", "vault": "bitwarden"}`)
	res, err := Resolve(Input{
		Flags: map[string]string{"maxSessions": "8", "authTokens": tokenA, "otel": "true"},
		Env: map[string]string{
			"BROWSERHIVE_MAX_SESSIONS": "2", "BROWSERHIVE_LOG_LEVEL": "info", "BROWSERHIVE_AUTH_TOKENS": tokenB,
			"BROWSERHIVE_OTEL_SERVICE_NAME": "hive", "OTEL_SERVICE_NAME": "host", "OTEL_TRACES_SAMPLER_ARG": "endpoint=x",
			"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "BROWSERHIVE_OTEL_PROTOCOL": "http/json",
			"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_EXPORTER_OTLP_HEADERS": "",
		},
		Dir: dir, Host: testHost,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"config: authTokens=<redacted> (cli) shadows env=<redacted>",
		"config: maxSessions=8 (cli) shadows config-file=4, env=2",
		"config: logLevel=debug (config-file) shadows env=info",
		"config: otelServiceName=hive (env) shadows env(otel)=host",
		"config: OTEL_TRACES_SAMPLER_ARG is ignored: 'endpoint=x' is not accepted; expected a number between 0 and 1",
		"config: vault is set, but its feature is not built yet",
		"config: otel is set, but its feature is not built yet",
		"config: otelProtocol is set, but its feature is not built yet",
		"config: otelServiceName is set, but its feature is not built yet",
	}
	if !slices.Equal(res.Notes, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(res.Notes, "\n"), strings.Join(want, "\n"))
	}
	if res.File != filepath.Join(dir, FileName) || res.Config.OTelEndpoint != "http://collector:4318" {
		t.Errorf("%+v", res)
	}
}

func TestDerivedValues(t *testing.T) {
	t.Parallel()
	gib := uint64(1 << 30)
	for memory, want := range map[uint64]int{
		0: 1, 1: 1, gib: 1, 2 * gib: 1, 3*gib - 1: 1, 3 * gib: 2, 12 * gib: 8, 16 * gib: 10, 30 * gib: 20, 1024 * gib: 20, ^uint64(0): 20,
	} {
		if got := (Host{MemoryBytes: memory}).maxSessions(); got != want {
			t.Errorf("%d bytes: %d sessions, want %d", memory, got, want)
		}
	}
	for _, c := range []struct {
		host Host
		want string
	}{
		{Host{OS: "linux", Home: "/home/me"}, "/home/me/.local/share/browserhive"},
		{Host{OS: "linux", Home: "/home/me", XDGDataHome: "/data/"}, "/data/browserhive"},
		{Host{OS: "freebsd", Home: "/home/me"}, "/home/me/.local/share/browserhive"},
		{Host{OS: "darwin", Home: "/Users/me", XDGDataHome: "/data"}, "/Users/me/Library/Application Support/BrowserHive"},
		{Host{OS: "windows", Home: `C:\Users\me`, LocalAppData: `D:\Local`}, `D:\Local\BrowserHive`},
		{Host{OS: "windows", Home: `C:\Users\me`}, `C:\Users\me\AppData\Local\BrowserHive`},
		{Host{OS: "linux"}, ""},
	} {
		if got := c.host.dataDir(); filepath.ToSlash(got) != filepath.ToSlash(c.want) {
			t.Errorf("%+v: %s", c.host, got)
		}
	}
	for _, c := range []struct {
		flags              map[string]string
		fingerprint, trace bool
	}{
		{map[string]string{}, false, false},
		{map[string]string{"stealth": "max", "admin": "true"}, true, true},
		{map[string]string{"stealth": "max", "fingerprint": "false", "admin": "1", "trace": "no"}, false, false},
		{map[string]string{"fingerprint": "true", "trace": "true"}, true, true},
	} {
		res, err := Resolve(Input{Flags: c.flags, Dir: t.TempDir(), Host: testHost})
		if err != nil || res.Config.Fingerprint != c.fingerprint || res.Config.Trace != c.trace {
			t.Errorf("%v: %v %v %v", c.flags, res.Config.Fingerprint, res.Config.Trace, err)
		}
	}
	_, err := Resolve(Input{Dir: t.TempDir(), Host: Host{OS: "linux"}})
	if _, key, _, _, _ := detail(t, err); key != config.KeyDataDir {
		t.Error(err)
	}
	if _, err := Resolve(Input{Dir: t.TempDir(), Host: Host{OS: "linux"}, Flags: map[string]string{"dataDir": "d"}}); err != nil {
		t.Error(err)
	}
}

func TestPortZero(t *testing.T) {
	t.Parallel()
	in := Input{Dir: t.TempDir(), Host: testHost, Options: map[string]any{"port": 0}}
	if _, err := Resolve(in); err == nil {
		t.Error("port 0 is accepted")
	}
	in.AllowPortZero = true
	if res, err := Resolve(in); err != nil || res.Config.Port != 0 || res.entry("port").Value != "0" {
		t.Error(res, err)
	}
	in.Options = map[string]any{"port": -1}
	if _, err := Resolve(in); err == nil {
		t.Error("port -1 is accepted")
	}
}

func TestOptionsTakeGoTypes(t *testing.T) {
	t.Parallel()
	type mode string
	in := Input{Dir: t.TempDir(), Host: testHost, Options: map[string]any{
		"port": uint16(80), "sessionLease": 90*time.Second + time.Microsecond, "maxSessions": "unbounded", "otelSampleRatio": float32(0.5),
		"otelSignals": []string{"logs"}, "otelHeaders": map[string]string{"a": "b"}, "stealth": mode("max"), "otel": true,
		"retentionBytes": int64(1 << 30), "attentionTimeout": 7_200_000, "urlQueryAllowlist": []any{},
	}}
	res, err := Resolve(in)
	if err != nil {
		t.Fatal(err)
	}
	c := res.Config
	if c.Port != 80 || c.SessionLease != 90*time.Second+time.Microsecond || c.MaxSessions != 0 || c.OTelSampleRatio != 0.5 ||
		!slices.Equal(c.OTelSignals, []string{"logs"}) || c.OTelHeaders["a"] != "b" || !c.Fingerprint || c.RetentionBytes != 1<<30 ||
		c.AttentionTimeout != 2*time.Hour || c.URLQueryAllowlist == nil {
		t.Errorf("%+v", c)
	}
	number := 1
	for key, bad := range map[string]any{
		"port": "80", "sessionLease": time.Second, "shutdownTimeout": -time.Second, "admin": 1, "stealth": nil, "maxSessions": 1.5,
		"otelSampleRatio": -0.1, "otelHeaders": map[int]string{1: "a"}, "otelSignals": "logs", "logRingSize": time.Hour, "color": &number,
		"authTokens": []byte("x"), "vault": struct{}{}, "logLevel": "",
	} {
		in.Options = map[string]any{key: bad}
		_, err := Resolve(in)
		if err == nil {
			t.Errorf("%s = %v is accepted", key, bad)
			continue
		}
		if code, k, source, _, _ := detail(t, err); code != errcode.CodeConfigInvalid || k != key || source != "option "+key {
			t.Error(err)
		}
	}
	in.Options = map[string]any{"maxSession": 1}
	_, err = Resolve(in)
	if code, _, source, _, near := detail(t, err); code != errcode.CodeConfigUnknownKey || source != "option" || near != "maxSessions" {
		t.Error(err)
	}
}

func TestEveryProblemIsReported(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, FileName), `{"port": 0, "colour": "auto", "tenant": "x", "config": "y.json"}`)
	res, errs := ResolveAll(Input{
		Flags: map[string]string{"sessionLease": "2 hours", "host": "0.0.0.0", "prot": "80"},
		Env:   map[string]string{"BROWSERHIVE_AUTH": "none", "BROWSERHIVE_HUMANIZE": "1", "BROWSERHIVE_STEALTH": "off", "BROWSERHIVE_PROXY": "x", "BROWSERHIVE": "x"},
		Dir:   dir, Host: testHost,
	})
	want := []string{
		"There is no setting '--prot' (flag). Did you mean '--port'?",
		"Setting --sessionLease is not valid: '2 hours' is not accepted; expected a duration of at least 1m, such as 2h, 30m, 90s or 500ms, or a whole number of milliseconds",
		"Setting BROWSERHIVE_AUTH is not valid: 'none' is not accepted; expected one of: off, token",
		"Setting BROWSERHIVE_PROXY is not valid: it is reserved for a later release: One proxy for all sessions",
		"There is no setting 'colour' (browserhive.config.json). Did you mean 'color'?",
		"Setting browserhive.config.json: config is not valid: a file cannot set it; use --config or BROWSERHIVE_CONFIG",
		"Setting browserhive.config.json: port is not valid: '0' is not accepted; expected a port between 1 and 65535",
		"Setting browserhive.config.json: tenant is not valid: it is reserved for a later release: Separation of several organisations on one server",
		"Setting BROWSERHIVE_HUMANIZE is not valid: humanize=true works only with stealth at standard or max (humanize=true from BROWSERHIVE_HUMANIZE, stealth=off from BROWSERHIVE_STEALTH)",
	}
	// Nothing is said about the host, because auth is unknown.
	if len(errs) != len(want) || res == nil || res.Config.Host != "0.0.0.0" {
		t.Errorf("%d problems, want %d", len(errs), len(want))
	}
	for i, err := range errs {
		got := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "[CONFIG_INVALID] "), "[CONFIG_UNKNOWN_KEY] ")
		if i >= len(want) || got != want[i] {
			t.Errorf("problem %d: %s", i, got)
		}
	}
	first, err := Resolve(Input{Flags: map[string]string{"sessionLease": "", "port": ""}, Dir: t.TempDir(), Host: testHost})
	if _, key, _, _, _ := detail(t, err); first != nil || key != "port" {
		t.Error(first, err)
	}
}

func TestReservedNamesAreRefusedEverywhere(t *testing.T) {
	t.Parallel()
	for name, doc := range config.Reserved {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, filepath.Join(dir, FileName), map[string]any{name: "x"})
			variable := prefix
			for _, r := range name {
				if r >= 'A' && r <= 'Z' {
					variable += "_"
				}
				variable += strings.ToUpper(string(r))
			}
			check := func(source string, err error) {
				t.Helper()
				code, key, where, reason, _ := detail(t, err)
				if code != errcode.CodeConfigInvalid || key != name || where != source || !strings.Contains(reason, "reserved") ||
					!strings.Contains(reason, strings.TrimSuffix(doc, ".")) {
					t.Error(err)
				}
			}
			_, err := Resolve(Input{Dir: dir, Host: testHost})
			check(FileName+": "+name, err)
			_, err = Resolve(Input{Dir: t.TempDir(), Host: testHost, Env: map[string]string{variable: "x"}})
			check(variable, err)
			_, err = Resolve(Input{Dir: t.TempDir(), Host: testHost, Options: map[string]any{name: "x"}})
			check("option "+name, err)
			_, err = ParseArgs([]string{"--" + name, "x"})
			check("--"+name, err)
		})
	}
}

func TestStandardHeadersAreDecoded(t *testing.T) {
	t.Parallel()
	const name = "OTEL_EXPORTER_OTLP_HEADERS"
	in := Input{Dir: t.TempDir(), Host: testHost, Env: map[string]string{name: "Authorization=Basic%20YTpi%3D, x-a=b%2Cc"}}
	res, err := Resolve(in)
	want := map[string]string{"Authorization": "Basic YTpi=", "x-a": "b,c"}
	if err != nil || !reflect.DeepEqual(res.Config.OTelHeaders, want) {
		t.Error(res, err)
	}
	for _, bad := range []string{"a=%zz", "a=b%0d%0ac", "a", "a=%20"} {
		in.Env[name] = bad
		if res, err := Resolve(in); err != nil || len(res.Config.OTelHeaders) > 0 || len(res.Notes) != 1 {
			t.Errorf("%q: %v %v", bad, res, err)
		}
	}
}

func TestEnviron(t *testing.T) {
	t.Setenv("BROWSERHIVE_TEST_ENVIRON", "a=b")
	if got := Environ()["BROWSERHIVE_TEST_ENVIRON"]; got != "a=b" {
		t.Error(got)
	}
}

func TestReservedMembersAreRefusedAsSuch(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, k := range config.Keys {
		for _, c := range k.Reserved {
			seen++
			_, err := Resolve(Input{Dir: t.TempDir(), Host: testHost, Env: map[string]string{k.Env: c.Value}})
			if _, key, source, reason, _ := detail(t, err); key != k.Name || source != k.Env ||
				reason != "'"+c.Value+"' is reserved for a later release: "+strings.TrimSuffix(c.Doc, ".") {
				t.Error(err)
			}
		}
	}
	if seen == 0 {
		t.Error("no key has reserved members")
	}
}

func TestDeprecatedKeysAreNamed(t *testing.T) {
	t.Parallel()
	res := newResolver(Input{Dir: t.TempDir(), Host: testHost, Flags: map[string]string{config.KeyPort: "1234"}}).merge()
	keys := []contract.Key{
		{Name: config.KeyPort, DeprecatedSince: "0.2.0", Use: "listen"},
		{Name: config.KeyHost, DeprecatedSince: "0.2.0", Use: "listen"}, // not set
		{Name: config.KeyAuth},
	}
	want := []string{"config: port is set by --port, and deprecated since 0.2.0; use listen instead"}
	if res.note(nil, keys); !slices.Equal(res.Notes, want) {
		t.Errorf("%q, want %q", res.Notes, want)
	}
}
