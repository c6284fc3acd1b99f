package settings

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/internal/contract"
)

// sample is a value as text, as JSON and as the configuration has it.
type sample struct {
	text string
	json any
	want any
}

var (
	tokenA = "ci-runner:" + strings.Repeat("a", 32)
	tokenB = "lab.2:x:y+/=~" + strings.Repeat("b", 32)
)

// goodSamples are values that a key accepts, made from its grammar and bounds alone.
func goodSamples(t testing.TB, k *contract.Key) []sample {
	t.Helper()
	switch k.Grammar {
	case "boolean":
		var list []sample
		for text, b := range map[string]bool{"true": true, "FALSE": false, "1": true, "0": false, "Yes": true, "no": false} {
			list = append(list, sample{text, b, b})
		}
		return list
	case "integer", "port":
		var list []sample
		for _, bound := range []string{k.Min, k.Max, strconv.Itoa(middle(k))} {
			if n, err := strconv.Atoi(bound); err == nil {
				list = append(list, sample{bound, json.Number(bound), n})
			}
		}
		return append(list, sample{"000" + strconv.Itoa(middle(k)), json.Number(fmt.Sprint(middle(k), ".0")), middle(k)})
	case "max_sessions":
		return []sample{{"1", json.Number("1"), 1}, {"8", json.Number("8"), 8}, {"unbounded", "unbounded", 0}}
	case "number":
		return []sample{{"0.25", json.Number("25e-2"), 0.25}, {"1", json.Number("1"), 1.0}, {".5", json.Number("0.5"), 0.5}}
	case "duration":
		list := []sample{
			{"2h", "2h", 2 * time.Hour}, {"90m", "90m", 90 * time.Minute}, {"1d", "1d", 24 * time.Hour},
			{"7200000", json.Number("7200000"), 2 * time.Hour}, {"7200000ms", json.Number("72e5"), 2 * time.Hour},
		}
		if k.Min != "" {
			v, _ := parseUnbounded(k, k.Min)
			list = append(list, sample{k.Min, k.Min, v})
		}
		return list
	case "bytes":
		list := []sample{
			{"1GiB", "1GiB", int64(1 << 30)}, {"2GB", "2GB", int64(2e9)}, {"1073741824", json.Number("1073741824"), int64(1 << 30)},
			{"1048576KiB", "1048576KiB", int64(1 << 30)}, {"70000KB", "70000KB", int64(7e7)}, {"90MB", "90MB", int64(9e7)},
			{"70MiB", "70MiB", int64(70 << 20)}, {"1073741824B", "1073741824B", int64(1 << 30)},
		}
		if k.Min != "" {
			v, _ := parseUnbounded(k, k.Min)
			list = append(list, sample{k.Min, k.Min, v})
		}
		return list
	case "enum":
		var list []sample
		for _, c := range k.Enum {
			list = append(list, sample{c.Value, c.Value, c.Value})
		}
		return list
	case "list":
		items := []string{"a", "b c"}
		if len(k.Enum) > 1 {
			items = []string{k.Enum[1].Value, k.Enum[0].Value}
		}
		return []sample{
			{strings.Join(items, " , "), []any{items[0], items[1]}, items},
			{items[0], []any{items[0]}, items[:1]},
		}
	case "tokens":
		return []sample{{tokenA + ", " + tokenB, []any{tokenA, tokenB}, []string{tokenA, tokenB}}}
	case "proxies":
		want := []string{"10.0.0.0/8", "192.0.2.7", "2001:db8::/32", "::1"}
		return []sample{{strings.Join(want, ","), []any{want[0], want[1], want[2], want[3]}, want}}
	case "map":
		return []sample{{
			"Authorization=Basic a=b, x-key = v",
			map[string]any{"Authorization": "Basic a=b", "x-key": "v"},
			map[string]string{"Authorization": "Basic a=b", "x-key": "v"},
		}}
	case "host":
		return []sample{
			{"0.0.0.0", "0.0.0.0", "0.0.0.0"}, {"::1", "::1", "::1"}, {"[2001:db8::1]", "[2001:db8::1]", "2001:db8::1"},
			{"localhost", "localhost", "localhost"}, {"a-1.example.com", "a-1.example.com", "a-1.example.com"},
		}
	case "url":
		return []sample{
			{"http://127.0.0.1:4318", "http://127.0.0.1:4318", "http://127.0.0.1:4318"},
			{"https://[::1]:443/base", "https://[::1]:443/base", "https://[::1]:443/base"},
			{"http://otel_collector:4318", "http://otel_collector:4318", "http://otel_collector:4318"},
		}
	case "levels":
		return []sample{{"warn", "warn", "warn"}, {"info, sessions=debug", "info,sessions=debug", "info,sessions=debug"}}
	case "string", "path":
		return []sample{{"some text", "some text", "some text"}, {"naïve/ö", "naïve/ö", "naïve/ö"}}
	}
	t.Fatalf("%s: no samples for the grammar %s", k.Name, k.Grammar)
	return nil
}

func middle(k *contract.Key) int {
	low, err := strconv.Atoi(k.Min)
	if err != nil {
		low = 0
	}
	return low + 7
}

// badSamples are values that a key refuses; a nil json or an empty text leaves that form out.
func badSamples(t testing.TB, k *contract.Key) (texts []string, jsons []any) {
	t.Helper()
	texts = []string{"", " ", "\t\n"}
	jsons = []any{nil, []any{json.Number("1")}, map[string]any{"a": map[string]any{}}}
	if shapeOf(k.Grammar) == single {
		jsons = append(jsons, []any{"a"}, map[string]any{"a": "b"})
	} else {
		jsons = append(jsons, "a", json.Number("1"), true)
	}
	text := func(list ...string) { texts = append(texts, list...) }
	both := func(list ...string) {
		texts = append(texts, list...)
		for _, s := range list {
			jsons = append(jsons, s)
		}
	}
	var below, above string
	if k.Min != "" {
		low, _ := parseUnbounded(k, k.Min)
		switch low := low.(type) {
		case int:
			below = strconv.Itoa(low - 1)
		case int64:
			below = strconv.FormatInt(low-1, 10)
		case time.Duration:
			below = strconv.FormatInt((low - time.Millisecond).Milliseconds(), 10)
		case float64:
			below = fmt.Sprint(low - 0.001)
		}
		text(below)
		jsons = append(jsons, json.Number(below))
	}
	if k.Max != "" {
		high, _ := parseUnbounded(k, k.Max)
		switch high := high.(type) {
		case int:
			above = strconv.Itoa(high + 1)
		case float64:
			above = fmt.Sprint(high + 0.001)
		default:
			t.Fatalf("%s: no value above %s", k.Name, k.Max)
		}
		text(above)
		jsons = append(jsons, json.Number(above))
	}
	const huge = "99999999999999999999"
	switch k.Grammar {
	case "boolean":
		text("on", "2", "truee", " true")
		jsons = append(jsons, "true", json.Number("1"))
	case "integer", "port", "max_sessions":
		text("x", "1.5", "+5", "1e3", "0x10", "1_000", " 7", "7 ", huge, "٣")
		jsons = append(jsons, "7", true, json.Number("1.5"), json.Number(huge), json.Number("1e400"), json.Number("-1e3"))
	case "number":
		text("x", "NaN", "Inf", "0x1p-2", "1_0", "1e400", ".", "0,5")
		jsons = append(jsons, "0.5", true, json.Number("1e400"))
	case "duration":
		both("2 hours", "-1s", "1.5h", "1w", "h", "2H", " 2h", "1h30m", huge, huge+"ms", "106752d", "9223372036854775807s")
		jsons = append(jsons, json.Number("-1"), json.Number("1.5"), json.Number(huge), true)
	case "bytes":
		both("64 MiB", "-1B", "1.5GiB", "1TiB", "1gib", "MiB", huge, "8589934592GiB", "9223372037GB")
		jsons = append(jsons, json.Number("-1"), json.Number("1.5"), json.Number(huge), true)
	case "enum":
		both("nothing", strings.ToUpper(k.Enum[0].Value), k.Enum[0].Value+" ")
		for _, c := range k.Reserved {
			both(c.Value)
		}
		jsons = append(jsons, json.Number("1"), true)
	case "list":
		text("a,,b", "a,", ",")
		jsons = append(jsons, []any{""}, []any{" "}, []any{nil}, []any{"a", []any{}}, []any{"a\nb"})
		if len(k.Enum) > 0 {
			text("nothing", k.Enum[0].Value+","+k.Enum[0].Value)
			jsons = append(jsons, []any{"nothing"}, []any{k.Enum[0].Value, k.Enum[0].Value})
		}
	case "tokens":
		for _, s := range []string{
			"no-colon-in-this-text-of-more-than-32-characters", ":" + strings.Repeat("a", 32), "ci:" + strings.Repeat("a", 31),
			"a b:" + strings.Repeat("a", 32), "ci:" + strings.Repeat("a", 30) + " b", tokenA + ",", tokenA + ",other" + tokenA[len("ci-runner"):],
			"ci:" + strings.Repeat("ä", 32),
		} {
			text(s)
			jsons = append(jsons, []any{s})
		}
	case "proxies":
		for _, s := range []string{"localhost", "10.0.0.0/33", "10.0.0", "fe80::1%eth0", "10.0.0.1:80", "*"} {
			text(s)
			jsons = append(jsons, []any{s})
		}
	case "map":
		text("a", "=b", "a=", "a=b,", "a=b,a=c", "a=b,,c=d")
		jsons = append(jsons, map[string]any{"a": json.Number("1")}, map[string]any{"": "b"}, map[string]any{"a": ""}, map[string]any{"a": "b\r\nc: d"})
	case "host":
		both("256.1.1.1", "1.2.3", "a_b", "-a", "a-", "a..b", "a.", "http://a", "a:80", "[::1", "::1]", "[127.0.0.1]", "[a]",
			"fe80::1%eth0", strings.Repeat("a", 64), strings.Repeat("a.", 130)+"a", "a b", "ünïcode")
		jsons = append(jsons, json.Number("1"), true)
	case "url":
		both("x", "127.0.0.1:4318", "ftp://a", "http:", "http://", "http:///v1", "http://:80", "http://a:0", "http://a:99999",
			"http://a:", "http://u:pa55word@a", "http://u@a", "http://[::1", "http://a b", "//a", "http:a", "http://a\nb")
		jsons = append(jsons, json.Number("1"), true)
	case "levels":
		both("verbose", "INFO", "sessions=debug", "info,", "info,debug", "info,a=b", "info,=debug", "info,a b=debug", "info,a=debug,a=warn", "debug,sessions=")
		jsons = append(jsons, json.Number("1"), true)
	case "path":
		both("a\x00b", "~", "~/data")
		jsons = append(jsons, json.Number("1"), true)
	case "string":
		both("a\nb", "\x1b[31m")
		jsons = append(jsons, json.Number("1"), true)
	default:
		t.Fatalf("%s: no samples for the grammar %s", k.Name, k.Grammar)
	}
	return texts, jsons
}

// host is what resolutions in tests run on.
var testHost = Host{MemoryBytes: 12 << 30, OS: "linux", Home: "/home/me"}

// eachKey runs a subtest per key of the contract.
func eachKey(t *testing.T, test func(t *testing.T, k *contract.Key)) {
	for i := range config.Keys {
		k := &config.Keys[i]
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			test(t, k)
		})
	}
}

// detail decodes the details of a configuration error.
func detail(t testing.TB, err error) (code contract.Code, key, source, reason, suggestion string) {
	t.Helper()
	e, ok := err.(*contract.Error)
	if !ok {
		t.Fatalf("%T %v is no contract error", err, err)
	}
	var d struct{ Key, Source, Reason, Suggestion string }
	if len(e.Details) > 0 {
		if err := json.Unmarshal(e.Details, &d); err != nil {
			t.Fatal(err)
		}
	}
	return e.Code, d.Key, d.Source, d.Reason, d.Suggestion
}
