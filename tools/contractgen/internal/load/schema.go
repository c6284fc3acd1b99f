package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/invopop/jsonschema"
	sjs "github.com/santhosh-tekuri/jsonschema/v6"
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

// validator checks documents against the grammar.
type validator struct{ schemas map[string]*sjs.Schema }

// grammar compiles the schemas once in a process: they depend on the structs alone.
var grammar = sync.OnceValues(newValidator)

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
