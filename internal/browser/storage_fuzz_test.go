package browser

import (
	"encoding/json"
	"strings"
	"testing"
)

// A storage state that is accepted opens nothing but sites, as the driver reads it.
func FuzzStorageState(f *testing.F) {
	for _, s := range []string{
		`{"cookies":[],"origins":[{"origin":"https://a.example","localStorage":[{"name":"k","value":"v"}]}]}`,
		`{"origins":[{"origin":"file:///etc/passwd","Origin":"https://a.example"}]}`,
		`{"origins":[{"origin":"http://a@b.example"}],"Origins":[]}`, `{"origins":[null,{}]}`, `[]`, `{"cookies":null}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, state []byte) {
		if CheckStorageState(state) != nil {
			return
		}
		var read map[string]any // Names to the letter, the last of two: what JavaScript has.
		if err := json.Unmarshal(state, &read); err != nil {
			t.Fatal(err)
		}
		origins, _ := read["origins"].([]any)
		for _, o := range origins {
			of, ok := o.(map[string]any)
			if !ok {
				t.Fatalf("%s: an origin is %v", state, o)
			}
			origin, _ := of["origin"].(string)
			if lower := strings.ToLower(origin); !strings.HasPrefix(lower, "http://") && !strings.HasPrefix(lower, "https://") {
				t.Errorf("%s opens %q", state, origin)
			}
		}
		for key := range read {
			if key != "cookies" && key != "origins" {
				t.Errorf("%s has %q", state, key)
			}
		}
	})
}
