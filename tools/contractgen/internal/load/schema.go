package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"github.com/invopop/jsonschema"
	sjs "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"go.yaml.in/yaml/v3"

	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

// family is a kind of contract file.
type family struct {
	name  string // of its schema file
	title string
	root  any
}

// The families in the order in which documents and schemas list them.
var families = []family{
	{"types", "Shared shapes", &TypesFile{}},
	{"errors", "Error codes of one category", &ErrorsFile{}},
	{"tools", "MCP tools of one pack", &ToolsFile{}},
	{"catalogue", "What all tools share", &CatalogueFile{}},
	{"config", "Configuration keys of one group", &ConfigFile{}},
	{"rules", "Cross-field rules of the configuration", &RulesFile{}},
	{"reserved", "Reserved configuration keys", &ReservedFile{}},
	{"cli", "Commands of the command line", &CLIFile{}},
	{"scopes", "Scopes of the REST API", &ScopesFile{}},
	{"http", "REST operations of one tag", &HTTPFile{}},
	{"ws", "WebSocket messages", &WSFile{}},
}

// Schemas returns the JSON Schema of every kind of contract file, by file name.
func Schemas() map[string][]byte {
	out := map[string][]byte{}
	for _, f := range families {
		out[f.name+".schema.json"] = reflectSchema(f)
	}
	return out
}

func reflectSchema(f family) []byte {
	r := jsonschema.Reflector{ExpandedStruct: true, Anonymous: true}
	s := r.Reflect(f.root)
	s.Title = f.title
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err) // the grammar structs are ours: a build without a schema must not go on
	}
	var b bytes.Buffer
	_ = json.Indent(&b, raw, "", "  ")
	b.WriteByte('\n')
	return b.Bytes()
}

// JSONSchema says what reflection cannot: an enum is a list of values or a mapping.
func (Enum) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{
		{Type: "array", Items: &jsonschema.Schema{}},
		{Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "string"}},
	}}
}

// validator checks documents against the grammar.
type validator struct{ schemas map[string]*sjs.Schema }

func newValidator() (*validator, error) {
	v := &validator{schemas: map[string]*sjs.Schema{}}
	for name, raw := range Schemas() {
		doc, err := sjs.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			return nil, fmt.Errorf("grammar %s: %w", name, err)
		}
		c := sjs.NewCompiler()
		if err := c.AddResource(name, doc); err != nil {
			return nil, fmt.Errorf("grammar %s: %w", name, err)
		}
		s, err := c.Compile(name)
		if err != nil {
			return nil, fmt.Errorf("grammar %s: %w", name, err)
		}
		v.schemas[strings.TrimSuffix(name, ".schema.json")] = s
	}
	return v, nil
}

// check returns the faults of a document against the grammar of its family.
func (v *validator) check(fam, file string, root *yaml.Node, doc any) []model.Fault {
	err := v.schemas[fam].Validate(doc)
	if err == nil {
		return nil
	}
	ve, ok := err.(*sjs.ValidationError)
	if !ok {
		return []model.Fault{{Pos: model.Pos{File: file, Line: 1, Column: 1}, Msg: err.Error()}}
	}
	var out []model.Fault
	seen := map[string]bool{}
	var leaves func(e *sjs.ValidationError)
	leaves = func(e *sjs.ValidationError) {
		if len(e.Causes) > 0 {
			for _, c := range e.Causes {
				leaves(c)
			}
			return
		}
		for _, f := range explain(file, root, e) {
			if !seen[f.String()] {
				seen[f.String()] = true
				out = append(out, f)
			}
		}
	}
	leaves(ve)
	sort.Slice(out, func(i, j int) bool { return before(out[i].Pos, out[j].Pos) })
	return out
}

func before(a, b model.Pos) bool {
	if a.File != b.File {
		return a.File < b.File
	}
	if a.Line != b.Line {
		return a.Line < b.Line
	}
	return a.Column < b.Column
}

// explain says a leaf fault in words that need no knowledge of JSON Schema.
func explain(file string, root *yaml.Node, e *sjs.ValidationError) []model.Fault {
	at := func(n *yaml.Node, msg string, args ...any) model.Fault {
		return model.Fault{Pos: posOf(file, n), Msg: fmt.Sprintf(msg, args...)}
	}
	n, name := locate(root, e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		var out []model.Fault
		for _, p := range k.Properties {
			kn, _ := locateKey(n, p)
			out = append(out, at(kn, "%s: key '%s' is not known here", orFile(name), p))
		}
		return out
	case *kind.Required:
		var out []model.Fault
		for _, p := range k.Missing {
			out = append(out, at(n, "%s: '%s' is missing", orFile(name), p))
		}
		return out
	case *kind.Enum:
		return []model.Fault{at(n, "%s: '%v' is not one of %v", orFile(name), k.Got, k.Want)}
	case *kind.Type:
		return []model.Fault{at(n, "%s: want %s, have %s", orFile(name), strings.Join(k.Want, " or "), k.Got)}
	case *kind.Minimum, *kind.Maximum:
		return []model.Fault{at(n, "%s: the number is out of range", orFile(name))}
	}
	return []model.Fault{at(n, "%s: does not follow the grammar (%T)", orFile(name), e.ErrorKind)}
}

func orFile(name string) string {
	if name == "" {
		return "the file"
	}
	return name
}
