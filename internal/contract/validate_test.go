package contract_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/internal/contract"
)

const schema = `{"type":"object","properties":{
  "name":{"type":"string","pattern":"^[a-z]+$","minLength":2},
  "n":{"type":"integer","minimum":0,"maximum":9},
  "f":{"type":"number"},
  "mode":{"type":"string","enum":["a","b"]},
  "list":{"type":"array","items":{"type":"object","properties":{"value":{"type":"string"}},"required":["value"],"additionalProperties":false}},
  "u":{"anyOf":[{"type":"string"},{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]}]}
},"required":["name"],"additionalProperties":false}`

func validator(t *testing.T) *contract.Validator {
	t.Helper()
	v, err := contract.Compile("test", json.RawMessage(schema))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestCheckReportsEveryFaultSorted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"nothing is an empty object", ``, "name: is required"},
		{"unknown and missing", `{"zz":1}`, "name: is required; zz: is not known"},
		{"pattern", `{"name":"A1"}`, "name: must match ^[a-z]+$"},
		{"type", `{"name":3}`, "name: must be string, not number"},
		{"bounds", `{"name":"ab","n":10}`, "n: must be at most 9"},
		{"fraction", `{"name":"ab","n":1.5}`, "n: must be integer, not number"},
		{"enum", `{"name":"ab","mode":"c"}`, "mode: must be one of a, b"},
		{"nested", `{"name":"ab","list":[{"value":"x"},{"val":1}]}`, "list.1.val: is not known; list.1.value: is required"},
		{"union is one fault", `{"name":"ab","u":{"x":"s"}}`, "u: has none of the allowed forms"},
		{"not json", `{"name":`, ": is not JSON"},
		{"trailing data", `{"name":"ab"} {}`, ": is not JSON"},
		{"an array", `[]`, ": must be object, not array"},
		{"several", `{"name":"A","n":-1,"mode":"x"}`, "mode: must be one of a, b; n: must be at least 0; name: must have at least 2 characters; name: must match ^[a-z]+$"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, issues := validator(t).Check(json.RawMessage(c.in))
			if got := contract.Join(issues); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestCheckNeverQuotesValues(t *testing.T) {
	t.Parallel()
	const secret = "S3CR3T-VALUE"
	for _, in := range []string{
		`{"name":"` + secret + `"}`, `{"name":"ab","mode":"` + secret + `"}`, `{"name":"ab","n":"` + secret + `"}`,
		`{"name":"ab","list":["` + secret + `"]}`, `{"name":"ab","u":["` + secret + `"]}`,
	} {
		_, issues := validator(t).Check(json.RawMessage(in))
		if got := contract.Join(issues); got == "" || strings.Contains(got, secret) {
			t.Errorf("%s: %q", in, got)
		}
	}
}

func TestCheckNormalisesIntegers(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int64{`{"name":"ab","n":5.0}`: 5, `{"name":"ab","n":5e0}`: 5, `{"name":"ab","n":0.5e1}`: 5, `{"name":"ab","n":7}`: 7} {
		out, issues := validator(t).Check(json.RawMessage(in))
		if len(issues) > 0 {
			t.Fatalf("%s: %v", in, issues)
		}
		var v struct{ N int64 }
		if err := json.Unmarshal(out, &v); err != nil || v.N != want {
			t.Errorf("%s: %v %v", in, v.N, err)
		}
	}
	// An exponent that would make a number of a billion digits must not be expanded.
	if _, issues := validator(t).Check(json.RawMessage(`{"name":"ab","f":1e999999999}`)); len(issues) > 0 {
		t.Log(issues)
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in, want string
		paths    []string
	}{
		{`{"cookies":[{"name":"a","value":"s"},{"name":"b"}]}`, `{"cookies":[{"name":"a","value":"<redacted>"},{"name":"b"}]}`, []string{"cookies/*/value"}},
		{`{"headers":{"A":"s","B":"t"},"x":1}`, `{"headers":{"A":"<redacted>","B":"<redacted>"},"x":1}`, []string{"headers/*"}},
		{`{"p":{"q":{"deep":1}}}`, `{"p":{"q":"<redacted>"}}`, []string{"p/q"}},
		{`{"p":null}`, `{"p":null}`, []string{"p"}},
		{`not json`, `"<redacted>"`, []string{"p"}},
		{`{"a":1}`, `{"a":1}`, nil},
	} {
		if got := string(contract.Redact(json.RawMessage(c.in), c.paths)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.in, got, c.want)
		}
	}
}

func TestSetDefaultKeepsEverythingElse(t *testing.T) {
	t.Parallel()
	in := `{"type":"object","properties":{"z":{"type":"array","items":{"type":"string","default":"no"},"default":["a","b"]},"default":{"type":"string","default":"x"},"a":{"default":true,"type":"boolean"}},"required":["z"]}`
	for prop, want := range map[string]string{
		"z":       strings.Replace(in, `["a","b"]`, `"new"`, 1),
		"default": strings.Replace(in, `"default":"x"`, `"default":"new"`, 1),
		"a":       strings.Replace(in, `"default":true`, `"default":"new"`, 1),
	} {
		got, err := contract.SetDefault(json.RawMessage(in), prop, json.RawMessage(`"new"`))
		if err != nil || string(got) != want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", prop, err, got, want)
		}
	}
	if _, err := contract.SetDefault(json.RawMessage(in), "nope", json.RawMessage(`1`)); err == nil {
		t.Error("an unknown property has no default to set")
	}
}

func TestExtraKeys(t *testing.T) {
	t.Parallel()
	extra, err := contract.ExtraKeys([]byte(`{"a":1,"b":{"c":2}}`), "a")
	if err != nil || len(extra) != 1 || string(extra["b"]) != `{"c":2}` {
		t.Fatal(extra, err)
	}
	out, err := contract.WithExtra(struct {
		A int `json:"a"`
	}{1}, extra)
	if err != nil || string(out) != `{"a":1,"b":{"c":2}}` {
		t.Fatal(string(out), err)
	}
	out, err = contract.WithExtra(struct{}{}, extra)
	if err != nil || string(out) != `{"b":{"c":2}}` {
		t.Fatal(string(out), err)
	}
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{`{}`, `{"name":"ab","n":5.0}`, `[1e9]`, `{"name":"ab","u":{"x":1}}`, "\xff", `{"name":"\ud800"}`} {
		f.Add([]byte(s))
	}
	v, err := contract.Compile("fuzz", json.RawMessage(schema))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out, issues := v.Check(in)
		if len(issues) == 0 && !json.Valid(out) {
			t.Fatalf("accepted, yet not JSON: %q", out)
		}
	})
}
