package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/internal/contract"
)

// beyond lists what the published schema accepts and the resolver refuses, because JSON Schema cannot say
// it. The list only shrinks. Rules between keys are not in it: they hold once flags and variables are known.
var beyond = []struct {
	grammar string
	why     string
	example any
	is      func(v any) bool
}{
	{
		"levels", "a pattern cannot compare two modules of a text with each other", "info,a=debug,a=warn",
		func(v any) bool {
			modules := map[string]bool{}
			text, _ := v.(string)
			for _, item := range splitTrimmed(text) {
				module, _, scoped := strings.Cut(item, "=")
				if scoped && modules[module] {
					return true
				}
				modules[module] = true
			}
			return false
		},
	},
	{
		"tokens", "uniqueItems compares whole elements, not a part of them", []any{tokenA, "other" + tokenA[len("ci-runner"):]},
		func(v any) bool {
			seen := map[string]bool{}
			list, _ := v.([]any)
			for _, item := range list {
				text, _ := item.(string)
				_, token, _ := strings.Cut(text, ":")
				if seen[token] {
					return true
				}
				seen[token] = true
			}
			return false
		},
	},
}

// configSchema compiles the schema of the config file, from the file that init and the documents have.
func configSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	raw, err := os.ReadFile("../../docs/reference/config.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("config.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("config.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// verdicts says whether the resolver and the schema take a value of a key in the file, and why not.
func verdicts(s *jsonschema.Schema, k *contract.Key, v any) (resolver, schema error) {
	if _, f := parseJSON(k, v); f != nil {
		resolver = fmt.Errorf("%s", f.reason(k))
	}
	return resolver, s.Validate(map[string]any{k.Name: v})
}

// excused reports whether the difference is one that beyond lists.
func excused(k *contract.Key, v any, resolver, schema error) bool {
	if resolver == nil || schema != nil {
		return false
	}
	for _, b := range beyond {
		if b.grammar == k.Grammar && b.is(v) {
			return true
		}
	}
	return false
}

// TestTheSchemaRefusesWhatTheServerRefuses asks the resolver and the published schema about the same
// values of every key, around every bound in every unit.
func TestTheSchemaRefusesWhatTheServerRefuses(t *testing.T) {
	t.Parallel()
	s := configSchema(t)
	eachKey(t, func(t *testing.T, k *contract.Key) {
		if !k.File {
			if s.Validate(map[string]any{k.Name: "x"}) == nil {
				t.Error("the schema takes a key that no file may set")
			}
			return
		}
		taken, refused := 0, 0
		for _, v := range fileSamples(t, k) {
			resolver, schema := verdicts(s, k, v)
			if (resolver == nil) != (schema == nil) && !excused(k, v, resolver, schema) {
				t.Errorf("%#v: the resolver says %v, the schema says %v", v, resolver, schema)
			}
			if resolver == nil {
				taken++
			} else {
				refused++
			}
		}
		if taken == 0 || refused == 0 {
			t.Errorf("%d values taken, %d refused", taken, refused)
		}
	})
}

// fileSamples are values of a key as a file may hold them, good and bad.
func fileSamples(t testing.TB, k *contract.Key) []any {
	var out []any
	for _, g := range goodSamples(t, k) {
		out = append(out, g.json, g.text)
	}
	texts, jsons := badSamples(t, k)
	for _, s := range texts {
		out = append(out, s, []any{s}, map[string]any{s: "v"}, map[string]any{"k": s})
	}
	out = append(out, jsons...)
	for _, n := range []string{"0", "-1", "1", "0.5", "1e3", "1e18", "9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1.0", "1e-1", "1e400"} {
		out = append(out, json.Number(n), n)
	}
	for _, bound := range []string{k.Min, k.Max} {
		out = append(out, around(k, bound)...)
	}
	for _, wide := range []string{"\u00a0", "\u0085", "\u2028", "\u3000", "\ufeff", "\x0b", "\x1f", "\x7f", "\x80"} {
		out = append(out, wide, "a"+wide, wide+"a", "info,"+wide+"a=debug", []any{wide}, []any{"a" + wide}, map[string]any{wide: "a"}, map[string]any{"a": wide + "b"})
	}
	if slices.Contains([]string{"host", "proxies", "url"}, k.Grammar) {
		out = append(out, hosts()...)
	}
	return out
}

// around are values at a bound and beside it, in every unit that the key has, and at the largest that fit.
func around(k *contract.Key, bound string) []any {
	units := map[string][]unit{"duration": durationUnits, "bytes": byteUnits}[k.Grammar]
	at := []float64{1 << 62, 1 << 63}
	if bound != "" {
		v, _ := parseUnbounded(k, bound)
		n, _ := number(v)
		at = append(at, n)
		if k.Grammar == "duration" {
			at[len(at)-1] *= 1e6 // units are in nanoseconds
		}
	}
	var out []any
	for _, n := range at {
		for _, u := range units {
			for d := -2.0; d <= 2; d++ {
				text := fmt.Sprintf("%.0f", max(0, n/float64(u.size)+d))
				out = append(out, text+u.suffix, "00"+text+u.suffix, text+" "+u.suffix, json.Number(text))
			}
		}
		if units == nil {
			for d := -2.0; d <= 2; d++ {
				out = append(out, json.Number(fmt.Sprint(n+d)), json.Number(fmt.Sprintf("%.0f", n+d)), fmt.Sprintf("%.0f", n+d))
			}
		}
	}
	return out
}

// hosts are addresses, names and URLs at the edge of what these may be.
func hosts() []any {
	var out []any
	groups := []string{"1", "1:2", "1:2:3", "1:2:3:4", "1:2:3:4:5", "1:2:3:4:5:6", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8:9", ""}
	var list []string
	for _, left := range groups {
		list = append(list, left)
		for _, right := range groups {
			list = append(list, left+"::"+right, left+"::"+strings.TrimPrefix(right+":10.0.0.1", ":"), left+":"+right+":10.0.0.1")
		}
	}
	list = append(list, "0.0.0.0", "255.255.255.255", "256.0.0.1", "01.2.3.4", "1.2.3.04", "1.2.3.4.5", "1.2.3.", "abcde::", "::ffff:1.2.3.4", "::ffff:1.2.3.256",
		"FE80::1", "::g", "fe80::1%25eth0", strings.Repeat("a", 63), strings.Repeat("a", 63)+".b", strings.Repeat("a.", 126)+"a", strings.Repeat("a.", 126)+"ab",
		"1a", "a1", "1", "a.1", "1.a", "a.1b", "a-.b", "A.B", "localhost.")
	for _, s := range list {
		out = append(out, s, "["+s+"]", []any{s}, "http://"+s, "https://["+s+"]:1")
		for _, bits := range []string{"/0", "/8", "/32", "/33", "/00", "/128", "/129", "/+1", "/"} {
			out = append(out, []any{s + bits})
		}
	}
	for _, s := range []string{"a:0", "a:1", "a:65535", "a:65536", "a:080", "a:", "a:b", "a/%zz", "a/%41", "a?%zz", "a#%zz", "a#%41", "a/b c", "a?b c", "a#b c", "a%41", "a%80",
		"a|b", "a^b", "a@b", "a/@b", "a?@", "u:p@a", "a\\b", "a/\\b", "a\"b", "a/a?b#c?d#e", "é", "a:1:2", "a]b", "a[b", "a_b", "?a", "#a", "/a", "[::1]a", "[::1]:99", "[::1]:"} {
		out = append(out, "http://"+s, "HTTP://"+s, "HttpS://"+s, "httpx://"+s, "http:/"+s)
	}
	return out
}

// TestStrictValidatorAgrees compiles the schema with ajv, whose patterns are those of ECMAScript, and asks it
// about the same values.
func TestStrictValidatorAgrees(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("../../tools/npm/node_modules/ajv"); err != nil {
		t.Skip("ajv is not installed; make deps installs it")
	}
	s := configSchema(t)
	var cases bytes.Buffer
	for i := range config.Keys {
		k := &config.Keys[i]
		if !k.File {
			continue
		}
		for _, v := range fileSamples(t, k) {
			if inexact(v) {
				continue
			}
			file := map[string]any{k.Name: v}
			raw, err := json.Marshal(map[string]any{"file": file, "taken": s.Validate(file) == nil})
			if err != nil {
				t.Fatal(err)
			}
			cases.Write(append(raw, '\n'))
		}
	}
	cmd := exec.Command("node", "config-schema.mjs", "../../docs/reference/config.schema.json")
	cmd.Dir, cmd.Stdin = "../../tools/npm", &cases
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// inexact reports whether JavaScript cannot hold a number.
func inexact(v any) bool {
	n, ok := v.(json.Number)
	if !ok {
		return false
	}
	f, err := n.Float64()
	return err != nil || math.Abs(f) > 1<<53
}

// TestBeyondIsStillBeyond takes what JSON Schema has learned to say out of the list.
func TestBeyondIsStillBeyond(t *testing.T) {
	t.Parallel()
	s := configSchema(t)
	for _, b := range beyond {
		i := slices.IndexFunc(config.Keys, func(k contract.Key) bool { return k.Grammar == b.grammar })
		if i < 0 {
			t.Errorf("no key has the grammar %s", b.grammar)
			continue
		}
		if resolver, schema := verdicts(s, &config.Keys[i], b.example); resolver == nil || schema != nil || !excused(&config.Keys[i], b.example, resolver, schema) {
			t.Errorf("%v: the resolver says %v and the schema %v; take it out of the list", b.example, resolver, schema)
		}
	}
}

// FuzzSchema compares the verdicts of resolver and schema on any JSON value.
func FuzzSchema(f *testing.F) {
	s := configSchema(f)
	for i := range config.Keys {
		if k := &config.Keys[i]; k.File {
			_, jsons := badSamples(f, k)
			for _, g := range goodSamples(f, k) {
				jsons = append(jsons, g.json)
			}
			for _, v := range jsons {
				if raw, err := json.Marshal(v); err == nil {
					f.Add(i, string(raw))
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, i int, raw string) {
		if i < 0 || i >= len(config.Keys) || !config.Keys[i].File {
			return
		}
		k := &config.Keys[i]
		doc, err := decodeFile([]byte(`{"v":` + raw + `}`))
		if err != nil {
			return
		}
		v, only := doc["v"]
		if !only || len(doc) > 1 {
			return
		}
		resolver, schema := verdicts(s, k, v)
		if (resolver == nil) != (schema == nil) && !excused(k, v, resolver, schema) {
			t.Errorf("%s %s: the resolver says %v, the schema says %v", k.Name, raw, resolver, schema)
		}
	})
}
