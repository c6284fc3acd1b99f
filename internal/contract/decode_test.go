package contract_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/contract"
)

// decoded makes one value from the text with encoding/json, and one from what was decoded already.
func decoded[T any](t *testing.T, text string, make func() T) {
	t.Helper()
	have, want := make(), make()
	wrong := json.Unmarshal([]byte(text), &want)
	err := contract.ParseArguments(json.RawMessage(text)).Decode(&have)
	if (err != nil) != (wrong != nil) {
		t.Errorf("%s: error %v, encoding/json has %v", text, err, wrong)
	}
	if err == nil && !reflect.DeepEqual(compacted(have), compacted(want)) {
		t.Errorf("%s\nhave %+v\nwant %+v", text, have, want)
	}
}

// compacted is a value with the JSON in it in one form.
func compacted(v any) any {
	raw, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	var out any
	if err := json.Unmarshal(raw, &out); err != nil {
		return err.Error()
	}
	return out
}

func TestDecodeIsWhatEncodingJSONDoes(t *testing.T) {
	t.Parallel()
	decoded(t, `{}`, tools.NewClickArgs)
	decoded(t, ``+`{"session_id":"s-1","selector":"#a","click_count":2,"modifiers":["Shift"],"position":{"x":1.5,"y":-2}}`, tools.NewClickArgs)
	decoded(t, `{"session_id":"s-1","tab_id":"t1","timeout":0,"modifiers":[]}`, tools.NewClickArgs)
	decoded(t, `{"session_id":"s","url":{"pattern":"^a$","flags":"i"}}`, tools.NewWaitForURLArgs)
	decoded(t, `{"session_id":"s","url":"**/<done>&amp;"}`, tools.NewWaitForURLArgs)
	decoded(t, `{"headers":{"A":"ü\u2028","B":""}}`, tools.NewSetExtraHTTPHeadersArgs)
	decoded(t, `{"headers":null,"session_id":null}`, tools.NewSetExtraHTTPHeadersArgs)
	decoded(t, `{"cookies":[{"name":"a","value":"b","expires":-1,"httpOnly":true,"sameSite":"Lax","partitioned":true,"url":null}]}`, tools.NewSetCookiesArgs)
	decoded(t, `{"slug":"shop","launch_options":{"args":["--a"],"slowMo":1e1,"env":{"A":"b"},"proxy":{"server":"p","x":[1,{"y":null}]}},
		"context_options":{"viewport":null,"storageState":{"cookies":[{"expires":1893456000.5}]},"geolocation":{"latitude":1,"longitude":2},"acceptDownloads":true}}`, tools.NewLaunchSessionArgs)
	decoded(t, `{"context_options":{"storageState":"saved","httpCredentials":{"username":"u","password":"p","send":"always"}}}`, tools.NewLaunchSessionArgs)
	// What the types cannot hold is an error in both.
	decoded(t, `{"timeout":9223372036854775808}`, tools.NewClickArgs)
	decoded(t, `{"delay":1e999}`, tools.NewTypeTextArgs)
	decoded(t, `{"timeout":"soon"}`, tools.NewClickArgs)
	decoded(t, `{"modifiers":{"a":1}}`, tools.NewClickArgs)
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{}`, `{"args":null,"Extra":1}`, `{"proxy":{"server":"a","b":null}}`, `{"slowMo":1E400}`, `{"args":["\ud800",null]}`, "{\"\xff\":1}"} {
		f.Add(s)
	}
	names := reflect.TypeFor[types.LaunchOptions]()
	f.Fuzz(func(t *testing.T, text string) {
		var members map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &members) != nil {
			return
		}
		for name := range members { // encoding/json also takes names in another case, which no schema allows.
			for i := range names.NumField() {
				if tag := names.Field(i).Tag.Get("json"); len(name) == len(tag) && name != tag {
					return
				}
			}
		}
		decoded(t, text, func() (v types.LaunchOptions) { return v })
	})
}

func TestArgumentsAreReadAsTheyAreGiven(t *testing.T) {
	t.Parallel()
	const text = `{ "name":"ab", "n":5.0, "list":[{"value":"hunter2"}] }`
	given := contract.ParseArguments(json.RawMessage(text))
	args, issues := validator(t).Arguments(given)
	if len(issues) > 0 {
		t.Fatal(issues)
	}
	args = args.WithDefaults(map[string]any{"name": "cd", "mode": "b"})
	if n, ok := args.Int("n"); n != 5 || !ok {
		t.Error("n", n, ok)
	}
	if args.String("name") != "ab" || args.String("mode") != "b" || args.String("n") != "" || args.String("nothing") != "" {
		t.Error("a member that is given is not what counts, or a default does not")
	}
	into := struct {
		Name, Mode, F string
		N             int64
	}{F: "as it was"}
	type named struct {
		Name string `json:"name"`
		Mode string `json:"mode"`
		F    string `json:"f"`
		N    int64  `json:"n"`
	}
	typed := named(into)
	if err := args.Decode(&typed); err != nil || typed != (named{"ab", "b", "as it was", 5}) {
		t.Error(typed, err)
	}
	if got := args.Strings([]string{"list/*/value"}); len(got) != 1 || got[0] != "hunter2" {
		t.Error(got)
	}
	if got := string(args.Redacted(nil)); got != text {
		t.Error("what holds no secret is not as it was given:", got)
	}
	if got := string(args.Redacted([]string{"list/*/value"})); got != `{"list":[{"value":"<redacted>"}],"n":5,"name":"ab"}` {
		t.Error(got)
	}
	if got := args.Strings([]string{"list/*/value"}); len(got) != 1 || got[0] != "hunter2" {
		t.Error("what was redacted is gone from the arguments themselves:", got)
	}
	if got := string(args.Only(map[string]bool{"name": true})); got != `{"list":"<redacted>","n":"<redacted>","name":"ab"}` {
		t.Error(got)
	}
	for broken, paths := range map[string][]string{`{"name":`: {"list"}, `{"list":"hunter2"} x`: {"name"}} {
		args := contract.ParseArguments(json.RawMessage(broken))
		if _, issues := validator(t).Arguments(args); len(issues) != 1 || issues[0].Message != "is not JSON" {
			t.Errorf("%s: %v", broken, issues)
		}
		if got := string(args.Redacted(paths)); got != `"<redacted>"` {
			t.Errorf("%s is kept as %s", broken, got)
		}
		if got := string(args.Only(nil)); got != `"<redacted>"` {
			t.Errorf("%s is kept as %s", broken, got)
		}
	}
}
