package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// errorCodes are the codes of errors.json.
func errorCodes(t *testing.T) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, e := range document[[]struct {
		Code string
		HTTP int
	}](t, "errors.json") {
		out[e.Code] = e.HTTP
	}
	return out
}

func TestOpenAPIIsValid(t *testing.T) {
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(compile(t)["docs/reference/openapi.json"])
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Error(err)
	}
}

type operation struct {
	OperationID string          `json:"operationId"`
	Scope       json.RawMessage `json:"x-scope"`
	Stage       string          `json:"x-stage"`
	Security    *[]map[string][]string
	Parameters  []struct{ Name, In string }
	RequestBody *struct{}
	Responses   map[string]struct {
		Description string
		Content     map[string]json.RawMessage
	}
}

// operations calls f for every operation of openapi.json.
func operations(t *testing.T, f func(where string, o operation)) {
	t.Helper()
	doc := document[struct {
		Paths map[string]map[string]operation
	}](t, "openapi.json")
	n := 0
	for path, item := range doc.Paths {
		for method, o := range item {
			n++
			f(strings.ToUpper(method)+" "+path, o)
		}
	}
	if n == 0 {
		t.Error("there are no operations")
	}
}

func TestEveryOperationSaysWhoMayCallItAndHowItFails(t *testing.T) {
	codes := errorCodes(t)
	operations(t, func(where string, o operation) {
		if o.OperationID == "" {
			t.Errorf("%s has no operationId", where)
		}
		if len(o.Scope) == 0 {
			t.Errorf("%s has no x-scope; null is the word for none", where)
		}
		if o.Security == nil {
			t.Errorf("%s has no security; [] is the word for public", where)
			return
		}
		public := len(*o.Security) == 0
		success := false
		for status, r := range o.Responses {
			n, err := strconv.Atoi(status)
			if err != nil && status != "default" {
				t.Errorf("%s: status %s", where, status)
			}
			if n > 0 && n < 400 {
				success = true
				continue
			}
			if _, ok := r.Content["application/problem+json"]; !ok || len(r.Content) != 1 {
				t.Errorf("%s: the answer %s is not a problem document", where, status)
			}
			if status == "default" {
				continue
			}
			for _, code := range strings.Split(r.Description, ", ") {
				if codes[code] != n {
					t.Errorf("%s: %s is answered with %s", where, code, status)
				}
			}
		}
		if !success {
			t.Errorf("%s has no success", where)
		}
		for _, in := range []struct {
			status string
			when   bool
		}{
			{"401", !public}, {"403", string(o.Scope) != "null"}, {"413", o.RequestBody != nil}, {"415", o.RequestBody != nil},
			{"400", len(o.Parameters) > 0 || o.RequestBody != nil}, {"421", true}, {"429", true}, {"500", true},
			{"501", o.Stage == "planned"}, {"428", takes(o, "If-Match")}, {"409", takes(o, "If-Match")}, {"default", true},
		} {
			if _, ok := o.Responses[in.status]; in.when && !ok {
				t.Errorf("%s lacks the answer %s", where, in.status)
			}
		}
	})
}

func takes(o operation, header string) bool {
	for _, p := range o.Parameters {
		if p.In == "header" && p.Name == header {
			return true
		}
	}
	return false
}

// TestReferencesResolve follows every $ref of the JSON documents.
func TestReferencesResolve(t *testing.T) {
	for name, raw := range compile(t) {
		if !strings.HasSuffix(name, ".json") {
			continue
		}
		var doc any
		if err := json.Unmarshal(raw, &doc); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		walk(doc, func(_ []string, v any) {
			m, _ := v.(map[string]any)
			ref, ok := m["$ref"].(string)
			if !ok {
				return
			}
			pointer, ok := strings.CutPrefix(ref, "#/")
			if !ok || resolve(doc, strings.Split(pointer, "/")) == nil {
				t.Errorf("%s: nothing at %s", name, ref)
			}
		})
	}
}

// TestEveryComponentIsUsed asks that an operation or a message leads to each component.
func TestEveryComponentIsUsed(t *testing.T) {
	for name, roots := range map[string][]string{"openapi.json": {"paths"}, "asyncapi.json": {"channels", "operations"}} {
		doc := document[map[string]any](t, name)
		used := map[string]bool{}
		var follow func(v any)
		follow = func(v any) {
			walk(v, func(path []string, v any) {
				m, _ := v.(map[string]any)
				if ref, ok := m["$ref"].(string); ok && !used[ref] {
					used[ref] = true
					follow(resolve(doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")))
				}
				if len(path) > 1 && path[len(path)-2] == "security" {
					for scheme := range m {
						used["#/components/securitySchemes/"+scheme] = true
					}
				}
			})
		}
		for _, root := range roots {
			follow(doc[root])
		}
		components, _ := doc["components"].(map[string]any)
		// What a client sends in takeover and how every frame is wrapped are told apart by their place.
		aside := func(member string) bool {
			return name == "asyncapi.json" && (member == "Envelope" || strings.HasSuffix(member, "Input"))
		}
		walk(components, func(path []string, v any) {
			if len(path) == 2 && aside(path[1]) {
				follow(v)
			}
		})
		n := 0
		for kind, members := range components {
			for member := range members.(map[string]any) {
				n++
				if ref := "#/components/" + kind + "/" + member; !used[ref] && !aside(member) {
					t.Errorf("%s: nothing uses %s", name, ref)
				}
			}
		}
		if n == 0 {
			t.Errorf("%s has no components", name)
		}
	}
}

// walk calls f for every value of a JSON document, with its path.
func walk(v any, f func(path []string, v any), path ...string) {
	f(path, v)
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			walk(e, f, append(path[:len(path):len(path)], k)...)
		}
	case []any:
		for i, e := range x {
			walk(e, f, append(path[:len(path):len(path)], strconv.Itoa(i))...)
		}
	}
}

func resolve(doc any, steps []string) any {
	for _, s := range steps {
		m, ok := doc.(map[string]any)
		if !ok {
			return nil
		}
		doc = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(s)]
	}
	return doc
}

type tool struct {
	Name, Description, Stage  string
	InputSchema, OutputSchema json.RawMessage
	Errors                    []string
}

func TestToolsAreUsable(t *testing.T) {
	codes := errorCodes(t)
	for _, tool := range document[[]tool](t, "tools.json") {
		if strings.Contains(tool.Description, "{config:") {
			t.Errorf("%s: the description shows a placeholder", tool.Name)
		}
		for _, s := range []json.RawMessage{tool.InputSchema, tool.OutputSchema} {
			var top struct{ Type string }
			if err := json.Unmarshal(s, &top); err != nil || top.Type != "object" {
				t.Errorf("%s: a schema is not one of an object (%v)", tool.Name, err)
			}
			schemaOf(t, tool.Name, s)
		}
		for _, e := range tool.Errors {
			if codes[e] == 0 {
				t.Errorf("%s: no error %s", tool.Name, e)
			}
		}
		for _, e := range []string{"INVALID_ARGUMENTS", "INTERNAL_ERROR"} {
			if !slices.Contains(tool.Errors, e) {
				t.Errorf("%s does not declare %s, which every tool can answer", tool.Name, e)
			}
		}
	}
}

func schemaOf(t *testing.T, name string, raw []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

// TestDefaultsAndExamplesAreValid holds every default and example to the schema beside it.
func TestDefaultsAndExamplesAreValid(t *testing.T) {
	for _, name := range []string{"openapi.json", "asyncapi.json", "tools.json", "config.schema.json", "errors.json"} {
		raw := compile(t)["docs/reference/"+name]
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		root, _ := doc.(map[string]any)
		defs, _ := root["$defs"].(map[string]any)
		walk(doc, func(path []string, v any) {
			m, _ := v.(map[string]any)
			// Neither a property of that name nor the default answer of an operation is meant.
			if len(path) > 0 && path[len(path)-1] == "properties" || slices.Contains(path, "responses") {
				return
			}
			values, _ := m["examples"].([]any)
			if d, ok := m["default"]; ok {
				values = append(values, d)
			}
			if len(values) == 0 {
				return
			}
			at := name + " " + strings.Join(path, ".")
			c := jsonschema.NewCompiler()
			if err := c.AddResource("part", map[string]any{"components": root["components"], "$defs": defs, "schema": v}); err != nil {
				t.Fatal(err)
			}
			s, err := c.Compile("part#/schema")
			if err != nil {
				t.Errorf("%s: %v", at, err)
				return
			}
			for _, value := range values {
				if err := s.Validate(value); err != nil {
					t.Errorf("%s: %v", at, err)
				}
			}
		})
	}
}
