package mcpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestFilterLinesAnswersWhatIsNoMessage(t *testing.T) {
	t.Parallel()
	ok := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	long := `{"jsonrpc":"2.0","id":2,"method":"` + strings.Repeat("x", maxMessage) + `"}`
	in := strings.Join([]string{ok, "not json", "", "   ", `[]`, `42`, `{"jsonrpc":"1.0","id":"a","method":"x"}`, `{"id":7}`, long, ok + "\r", `{"jsonrpc":"2.0","method":"n"}`}, "\n")
	var to, answers bytes.Buffer
	_ = filterLines(strings.NewReader(in), &to, &answers)
	if got := strings.Split(strings.TrimSpace(to.String()), "\n"); len(got) != 3 || got[0] != ok || got[1] != ok {
		t.Errorf("passed on %d lines", len(got))
	}
	var got []string
	for line := range strings.Lines(answers.String()) {
		var a struct {
			JSONRPC string
			ID      any
			Error   struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal([]byte(line), &a); err != nil || a.JSONRPC != "2.0" || a.Error.Message == "" {
			t.Fatalf("%q: %v", line, err)
		}
		got = append(got, fmt.Sprintf("%d %v", a.Error.Code, a.ID))
	}
	want := []string{"-32700 <nil>", "-32600 <nil>", "-32600 <nil>", "-32600 a", "-32600 7", "-32600 <nil>"}
	if strings.Join(got, ",") != strings.Join(want, ",") {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func FuzzFilterLines(f *testing.F) {
	for _, s := range []string{"{}\n", "\n\n[", "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"x\"}", "\xff\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var to, answers bytes.Buffer
		_ = filterLines(bytes.NewReader(in), &to, &answers)
		for line := range bytes.Lines(append(to.Bytes(), answers.Bytes()...)) {
			if !json.Valid(line) {
				t.Fatalf("a frame that is not JSON: %q", line)
			}
		}
	})
}
