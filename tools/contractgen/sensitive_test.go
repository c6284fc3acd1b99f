package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// secrets are the values that must be marked in the schemas of tools: tool, side and path.
var secrets = []string{
	"launch_session in launch_options.proxy.username",
	"launch_session in launch_options.proxy.password",
	"launch_session in context_options.proxy.username",
	"launch_session in context_options.proxy.password",
	"launch_session in context_options.httpCredentials.username",
	"launch_session in context_options.httpCredentials.password",
	"launch_session in context_options.extraHTTPHeaders.*",
	"launch_session in context_options.storageState",
	"get_cookies out cookies.*.value",
	"set_cookies in cookies.*.value",
	"set_extra_http_headers in headers.*",
	"accept_next_dialog in prompt_text",
}

// components are the values that must be marked in the shapes of openapi.json.
var components = []string{
	"LoginRequest.password",
	"ChangePasswordRequest.current_password",
	"ChangePasswordRequest.new_password",
	"IssuedToken.token",
	"Grant.grant",
	"UnlockVaultRequest.secret",
}

func TestSecretsAreMarked(t *testing.T) {
	marked := map[string]bool{}
	for _, tool := range document[[]tool](t, "tools.json") {
		for side, raw := range map[string]json.RawMessage{"in": tool.InputSchema, "out": tool.OutputSchema} {
			for _, p := range sensitive(t, raw) {
				marked[tool.Name+" "+side+" "+p] = true
			}
		}
	}
	for _, s := range secrets {
		if !marked[s] {
			t.Errorf("%s is not marked as sensitive", s)
		}
	}
	doc := document[struct {
		Components struct{ Schemas map[string]json.RawMessage }
	}](t, "openapi.json")
	shapes := map[string]bool{}
	for name, raw := range doc.Components.Schemas {
		for _, p := range sensitive(t, raw) {
			shapes[name+"."+p] = true
		}
	}
	for _, s := range components {
		if !shapes[s] {
			t.Errorf("%s is not marked as sensitive in openapi.json", s)
		}
	}
}

// sensitive lists the marked paths of a schema: * stands for an element or a value of a map.
func sensitive(t *testing.T, raw []byte) []string {
	t.Helper()
	var doc any
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	var out []string
	walk(doc, func(path []string, v any) {
		if m, ok := v.(map[string]any); ok && m["x-sensitive"] == true {
			out = append(out, instancePath(path))
		}
	})
	return out
}

// instancePath turns the path of a schema into that of the values it describes.
func instancePath(path []string) string {
	var out []string
	for i := 0; i < len(path); i++ {
		switch path[i] {
		case "properties", "anyOf":
			i++
			if path[i-1] == "properties" {
				out = append(out, path[i])
			}
		case "items", "additionalProperties":
			out = append(out, "*")
		}
	}
	return strings.Join(out, ".")
}

// secretName is how fields that hold secrets are called.
var secretName = regexp.MustCompile(`(?i)(password|passwd|secret|credential|prompt_text|storageState)s?$|(^|_)(token|grant)$`)

// harmless fields have the name of a secret and hold none.
var harmless = []string{
	"credential",      // what the server keeps of a token, without the token
	"httpCredentials", // an object whose members are marked
}

// TestNothingWithTheNameOfASecretIsUnmarked looks at every text of every published schema.
func TestNothingWithTheNameOfASecretIsUnmarked(t *testing.T) {
	for _, name := range []string{"openapi.json", "asyncapi.json", "tools.json", "errors.json"} {
		walk(document[any](t, name), func(path []string, v any) {
			m, ok := v.(map[string]any)
			if !ok || len(path) < 2 || path[len(path)-2] != "properties" {
				return
			}
			field := path[len(path)-1]
			if !secretName.MatchString(field) || slices.Contains(harmless, field) || m["x-sensitive"] == true || m["type"] == "boolean" {
				return
			}
			for _, alternative := range anyOf(m) {
				if alternative["x-sensitive"] == true {
					return
				}
			}
			t.Errorf("%s: %s is not marked as sensitive", name, strings.Join(path, "."))
		})
	}
}

func anyOf(m map[string]any) []map[string]any {
	var out []map[string]any
	list, _ := m["anyOf"].([]any)
	for _, a := range list {
		if x, ok := a.(map[string]any); ok {
			out = append(out, x)
		}
	}
	return out
}
