package emit

import (
	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

// errorURL is where the documents that this project publishes describe a code.
func errorURL(code string) string { return "https://browserhive.ai/docs/errors#" + code }

func jsonDocs(m *model.Model) (Files, error) {
	out := Files{}
	for name, v := range map[string]any{
		"openapi.json":       openAPI(m),
		"asyncapi.json":      asyncAPI(m),
		"errors.json":        errorsDoc(m),
		"tools.json":         toolsDoc(m),
		"config.schema.json": configSchema(m),
	} {
		b, err := pretty(v)
		if err != nil {
			return nil, err
		}
		out["docs/reference/"+name] = b
	}
	return out, nil
}

func errorsDoc(m *model.Model) []any {
	out := []any{}
	for _, e := range m.Errors {
		o := object{
			{"code", e.Code}, {"title", e.Title}, {"type", errorURL(e.Code)}, {"http", e.HTTP}, {"category", e.Category},
			{"retryable", e.Retryable},
		}
		if e.Exit != nil {
			o.set("exit", *e.Exit)
		}
		o = append(o, object{
			{"message", e.Message}, {"hint", e.Hint}, {"cause", e.Cause}, {"resolution", e.Resolution},
			{"details", inline.closed(e.Details)},
		}...)
		out = append(out, deprecated(o, e.Deprecated))
	}
	return out
}

func toolsDoc(m *model.Model) []any {
	out := []any{}
	for _, t := range m.Tools {
		o := object{
			{"name", t.Name}, {"title", t.Title}, {"description", settings(m, t.Doc, defaultText)},
			{"inputSchema", argsSchema(t)}, {"outputSchema", resultSchema(t)},
			{"annotations", object{{"title", t.Title}, {"readOnlyHint", t.ReadOnly}, {"destructiveHint", t.Destructive},
				{"idempotentHint", t.Idempotent}, {"openWorldHint", t.OpenWorld}}},
			{"pack", t.Pack.Name}, {"capability", t.Capability}, {"since", t.Since},
			{"errors", unique(append(append([]string{}, t.Errors...), m.AnyErrors...))},
		}
		if t.Stage != model.Built {
			o.set("stage", string(t.Stage))
		}
		out = append(out, deprecated(o, t.Deprecated))
	}
	return out
}

func unique(list []string) []string {
	seen := map[string]bool{}
	out := []string{}
	for _, x := range list {
		if !seen[x] {
			seen[x] = true
			out = append(out, x)
		}
	}
	return out
}
