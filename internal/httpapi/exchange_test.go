package httpapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/browserhive/browserhive/docs/reference"
	"github.com/browserhive/browserhive/gen/api"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/httpapi"
)

// published is the part of the OpenAPI document that answers are checked against.
type published struct {
	Paths map[string]map[string]struct {
		Responses map[string]struct {
			Headers map[string]struct{ Schema json.RawMessage }
			Content map[string]struct{ Schema json.RawMessage }
		}
	}
	Components json.RawMessage
}

var document = sync.OnceValues(func() (p published, err error) {
	err = json.Unmarshal(reference.OpenAPI, &p)
	return p, err
})

// routes finds the operation of a request.
var routes = sync.OnceValue(func() *http.ServeMux {
	mux := http.NewServeMux()
	for _, op := range api.Operations {
		mux.HandleFunc(op.Method+" "+op.Path, func(http.ResponseWriter, *http.Request) {})
	}
	return mux
})

// validators are those made so far, by schema.
var validators sync.Map

// validator checks against a schema of the document, which refers to its components.
func (p published) validator(schema json.RawMessage) (*contract.Validator, error) {
	if v, ok := validators.Load(string(schema)); ok {
		return v.(*contract.Validator), nil
	}
	complete, err := contract.SetMember(schema, "components", p.Components)
	if err != nil {
		return nil, err
	}
	v, err := contract.Compile("answer", complete)
	if err == nil {
		validators.Store(string(schema), v)
	}
	return v, err
}

// succeeded are the operations that have answered a test with what it asked for.
var succeeded sync.Map

// TestMain asks, when all tests have run, that each operation that is built has been exercised.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.fuzz"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			os.Exit(code)
		}
	}
	missing := 0
	for _, op := range api.Operations {
		if _, ok := succeeded.Load(op.Method + " " + op.Path); !ok && !op.Planned && code == 0 {
			fmt.Printf("no test makes %s succeed, %s %s\n", op.ID, op.Method, op.Path)
			missing = 1
		}
	}
	os.Exit(max(code, missing))
}

// validated holds an answer of an operation to the published document.
func validated(t *testing.T, r *http.Request, w *httptest.ResponseRecorder) {
	t.Helper()
	doc, err := document()
	if err != nil {
		t.Fatal(err)
	}
	_, pattern := routes().Handler(r)
	_, path, ok := strings.Cut(pattern, " ")
	if !ok {
		return // No operation of the contract.
	}
	if w.Code < 400 {
		succeeded.Store(pattern, true)
	}
	where := r.Method + " " + path + " " + strconv.Itoa(w.Code)
	responses := doc.Paths[path][strings.ToLower(r.Method)].Responses
	response, ok := responses[strconv.Itoa(w.Code)]
	if !ok {
		t.Errorf("%s is not in the document, which has %v: %s", where, slices.Sorted(maps.Keys(responses)), w.Body)
		return
	}
	if len(response.Content) == 0 {
		if w.Body.Len() > 0 {
			t.Errorf("%s has a body: %s", where, w.Body)
		}
		return
	}
	kind, _, _ := strings.Cut(w.Header().Get("Content-Type"), ";")
	media, ok := response.Content[kind]
	if !ok {
		t.Errorf("%s comes as %s", where, kind)
		return
	}
	v, err := doc.validator(media.Schema)
	if err != nil {
		t.Fatal(err)
	}
	if _, issues := v.Check(w.Body.Bytes()); len(issues) > 0 {
		t.Errorf("%s breaks its schema: %v\n%s", where, issues, w.Body)
	}
}

// client makes requests as one caller.
type client struct {
	t      *testing.T
	server *httpapi.Server
	// cookie and token prove who it is, when they are set.
	cookie, token string
	// from is the address that it comes from, 192.0.2.1:1234 when empty.
	from   string
	header http.Header
}

// answer is what a request got.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// do sends a request; body is nil, a text or what is encoded as JSON.
func (c *client) do(method, path string, body any) answer {
	c.t.Helper()
	var content io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		content = strings.NewReader(b)
	default:
		raw, err := json.Marshal(b)
		if err != nil {
			c.t.Fatal(err)
		}
		content = bytes.NewReader(raw)
	}
	r := httptest.NewRequest(method, path, content)
	r.Host = "127.0.0.1:9876"
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.from != "" {
		r.RemoteAddr = c.from
	}
	if c.cookie != "" {
		r.AddCookie(&http.Cookie{Name: httpapi.Cookie, Value: c.cookie})
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	for name, values := range c.header {
		r.Header[name] = values
	}
	w := httptest.NewRecorder()
	c.server.Handler().ServeHTTP(w, r)
	validated(c.t, r, w)
	return answer{w.Code, w.Header(), w.Body.Bytes()}
}

// wants does a request that is to get a code, or a success for "".
func (c *client) wants(code, method, path string, body any) answer {
	c.t.Helper()
	a := c.do(method, path, body)
	if got := a.code(); got != code {
		c.t.Errorf("%s %s: %d %q, want %q\n%s", method, path, a.status, got, code, a.body)
	}
	return a
}

// code is the code of a problem, "" for a success.
func (a answer) code() string {
	if a.status < http.StatusBadRequest {
		return ""
	}
	var p contract.Problem
	if json.Unmarshal(a.body, &p) != nil {
		return "no problem document"
	}
	return string(p.Code)
}

// into decodes an answer.
func into[T any](t *testing.T, a answer) (v T) {
	t.Helper()
	if err := json.Unmarshal(a.body, &v); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
	return v
}
