package main

import (
	"strings"
	"testing"

	"github.com/browserhive/browserhive/tools/contractgen/internal/generate"
)

// TestDeprecationsReachEveryOutput asks that each output says of everything in it that is deprecated what to
// use instead, in the form that its readers and tools know.
func TestDeprecationsReachEveryOutput(t *testing.T) {
	for _, c := range cases(t, "ok") {
		if c.name != "deprecated" {
			continue
		}
		files, faults, err := generate.Run(c.contract())
		if err != nil || len(faults) > 0 {
			t.Fatal(err, faults)
		}
		for output, replacements := range map[string]string{
			"gen/types/types.go":                "NewThing, new_field",
			"gen/errcode/errcode.go":            "NEW_CODE, new_detail",
			"gen/tools/pack.go":                 "new_tool, new_arg",
			"gen/config/config.go":              "newKey",
			"gen/ws/ws.go":                      "new.event, new_member",
			"gen/client/client.go":              "newOperation, new_query",
			"dashboard/src/gen/types.ts":        "NewThing, new_field",
			"dashboard/src/gen/errors.ts":       "NEW_CODE, new_detail",
			"dashboard/src/gen/api.ts":          "newOperation, new_query",
			"dashboard/src/gen/ws.ts":           "new.event, new_member",
			"docs/reference/errors.json":        "NEW_CODE, new_detail",
			"docs/reference/tools.json":         "new_tool, new_arg, new_field",
			"docs/reference/openapi.json":       "newOperation, new_query, New-Header, NewThing, new_field",
			"docs/reference/asyncapi.json":      "new.event, new_member, NewThing, new_field",
			"docs/reference/config.schema.json": "newKey",
			"docs/reference/tools.md":           "new_tool, new_arg, new_field",
			"docs/reference/errors.md":          "NEW_CODE, new_detail",
			"docs/reference/config.md":          "newKey",
			"docs/reference/api.md":             "newOperation, new_query, New-Header, NewThing, new_field",
			"docs/reference/websocket.md":       "new.event, new_member",
			"gen/cli/cli.go":                    "newKey, newFlag, new command",
		} {
			text := string(files[output])
			mark := "Deprecated: "
			if strings.HasSuffix(output, ".ts") {
				mark = "@deprecated "
			}
			n := 0
			for _, use := range strings.Split(replacements, ", ") {
				n++
				if !strings.Contains(text, mark+"Use "+use+" instead; since 0.2.0.") {
					t.Errorf("%s does not say that %s takes a place", output, use)
				}
			}
			if strings.HasSuffix(output, ".json") && strings.Count(text, `"deprecated": true`) < n {
				t.Errorf("%s marks %d things, want %d at least", output, strings.Count(text, `"deprecated": true`), n)
			}
		}
		return
	}
	t.Fatal("there is no case of this name")
}
