package record_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/record"
	"github.com/browserhive/browserhive/internal/secret"
)

// kept remembers what it is given.
type kept struct {
	calls   []record.Call
	visits  []record.Visit
	blocked []record.Blocked
	shots   []record.Screenshot
}

func (k *kept) AddCall(c record.Call)             { k.calls = append(k.calls, c) }
func (k *kept) AddVisit(v record.Visit)           { k.visits = append(k.visits, v) }
func (k *kept) AddBlocked(b record.Blocked)       { k.blocked = append(k.blocked, b) }
func (k *kept) AddScreenshot(s record.Screenshot) { k.shots = append(k.shots, s) }
func (k *kept) AddSession(record.Session)         {}
func (k *kept) EndSession(record.End)             {}

func (k *kept) SetTrace(string, record.Trace, *string) {}

func newRecorder(t *testing.T, o record.Options, s record.Store) *record.Recorder {
	t.Helper()
	r := record.New(o, s)
	t.Cleanup(func() { stopped(t, r) })
	return r
}

// stopped waits until everything is recorded.
func stopped(t *testing.T, r *record.Recorder) {
	t.Helper()
	if err := r.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestResults(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ж", 20<<10)
	result, err := json.Marshal(map[string]any{"cookies": []any{map[string]any{"name": "sid", "value": "COOKIE-VALUE"}}, "text": "has hunter2-secret and " + long, "n": 3})
	if err != nil {
		t.Fatal(err)
	}
	for mode, check := range map[string]func(text *string) bool{
		config.RecordToolResultsNone: func(text *string) bool { return text == nil },
		config.RecordToolResultsShape: func(text *string) bool {
			return *text == `{"cookies":["array of 1",{"name":"string of 3","value":"string of 12"}],"n":"number","text":"string of 40983"}`+"\n[image/png, 5 bytes]"
		},
		config.RecordToolResultsFull: func(text *string) bool {
			return len(*text) <= 16<<10 && len(*text) > 16<<10-4 && utf8.ValidString(*text) && strings.Contains(*text, "sid") && strings.Contains(*text, "ж")
		},
	} {
		secrets := &secret.Redactor{}
		secrets.Add("hunter2-secret")
		k := &kept{}
		r := newRecorder(t, record.Options{Results: mode, Secrets: secrets}, k)
		r.Call(record.Outcome{
			ID: record.NewID(), Tool: "get_cookies", Owner: "local", SessionID: "shop-1", At: time.Now(), Args: json.RawMessage(`{"a":"hunter2-secret"}`),
			Result: result, SensitiveResult: []string{"cookies/*/value"}, Image: &contract.Image{MIMEType: "image/png", Data: []byte("12345")},
		}, func() {})
		stopped(t, r)
		c := k.calls[0]
		if !check(c.Result) {
			t.Errorf("%s: %.300s", mode, *c.Result)
		}
		if *c.ResultSize != int64(len(result)+5) || *c.Args != `{"a":"<redacted>"}` || c.ErrorCode != nil || c.TabID != nil || *c.SessionID != "shop-1" {
			t.Errorf("%s: %+v", mode, c)
		}
		if c.Result != nil && (strings.Contains(*c.Result, "hunter2") || strings.Contains(*c.Result, "COOKIE-VALUE")) {
			t.Errorf("%s keeps a secret", mode)
		}
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	secrets := &secret.Redactor{}
	secrets.Add("hunter2-secret")
	k := &kept{}
	r := newRecorder(t, record.Options{Results: config.RecordToolResultsFull, Secrets: secrets}, k)
	r.Call(record.Outcome{
		ID: record.NewID(), Tool: strings.Repeat("x", 200), Owner: "local", At: time.Now(),
		Err: errcode.InvalidArguments{}.Err().Because(nil), Client: map[string]string{"model": "hunter2-secret"},
	}, func() {})
	stopped(t, r)
	c := k.calls[0]
	if *c.ErrorCode != string(errcode.CodeInvalidArguments) || *c.ErrorMessage == "" || c.Result != nil || c.ResultSize != nil || c.SessionID != nil || len(c.Tool) != 80 {
		t.Errorf("%+v", c)
	}
	if string(c.Client) != `{"model":"<redacted>"}` {
		t.Errorf("%s", c.Client)
	}
}

func TestVisitsAndBlocked(t *testing.T) {
	t.Parallel()
	k := &kept{}
	r := newRecorder(t, record.Options{QueryAllowlist: []string{"page"}}, k)
	r.Visit("shop-1", "t1", "https://u:p@Shop.example./p?page=2&token=s#x", "", time.Now())
	r.Blocked("shop-1", "shop", "", "", "https://ads.example/x?id=1", "ads.example", types.BlockSourceNetwork, time.Now())
	v, b := k.visits[0], k.blocked[0]
	if v.URL != "https://Shop.example./p?page=2" || *v.Domain != "shop.example" || v.Title != nil || v.Category != types.PageCategoryPublic || *v.TabID != "t1" {
		t.Errorf("%+v", v)
	}
	if b.URL != "https://ads.example/x" || *b.Domain != "ads.example" || b.CallID != nil || b.Tool != nil || b.ID <= v.ID {
		t.Errorf("%+v", b)
	}
}
