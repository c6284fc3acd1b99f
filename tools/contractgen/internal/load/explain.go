package load

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	sjs "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"go.yaml.in/yaml/v3"

	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
	"github.com/browserhive/browserhive/tools/contractgen/internal/nearest"
)

// check adds the faults of a document against the grammar of its family to those found before. What is
// known to be wrong is not reported once more for what became of it.
func (v *validator) check(family, file string, root *yaml.Node, doc any, faults []model.Fault) []model.Fault {
	schema := v.schemas[family]
	err := schema.Validate(doc)
	if err == nil {
		return faults
	}
	var ve *sjs.ValidationError
	if !errors.As(err, &ve) {
		return append(faults, model.Fault{Pos: posOf(file, root), Msg: err.Error()})
	}
	e := &explainer{file: file, root: root, schema: schema, faults: faults, known: map[model.Pos]bool{}}
	for _, f := range faults {
		e.known[f.Pos] = true
	}
	e.explain(ve)
	return e.faults
}

// explainer says what a schema refuses in words that need no knowledge of JSON Schema.
type explainer struct {
	file   string
	root   *yaml.Node
	schema *sjs.Schema
	faults []model.Fault
	known  map[model.Pos]bool
}

func (e *explainer) fault(n *yaml.Node, msg string, args ...any) {
	if pos := posOf(e.file, n); !e.known[pos] {
		e.faults = append(e.faults, model.Fault{Pos: pos, Msg: fmt.Sprintf(msg, args...)})
	}
}

func (e *explainer) explain(ve *sjs.ValidationError) {
	at := locate(e.root, ve.InstanceLocation)
	who := orFile(at.name)
	switch k := ve.ErrorKind.(type) {
	case *kind.OneOf:
		// The branches each fail for a reason of their own, which together confuse.
		want := "one of the allowed forms"
		if s := e.at(ve.SchemaURL); s != nil && s.Title != "" {
			want = s.Title
		}
		e.fault(at.value, "%s: want %s", who, want)
		return
	case *kind.AdditionalProperties:
		for _, p := range k.Properties {
			key, _ := member(at.value, p)
			e.fault(key, "%s: key '%s' is not known here%s", who, p, e.allowed(ve, p))
		}
	case *kind.Required:
		for _, p := range k.Missing {
			e.fault(at.node(), "%s: '%s' is missing", who, p)
		}
	case *kind.Enum:
		var want []string
		for _, w := range k.Want {
			want = append(want, fmt.Sprint(w))
		}
		e.fault(at.value, "%s: '%v' is not one of %s%s", who, k.Got, strings.Join(want, ", "), nearest.Hint(fmt.Sprint(k.Got), want))
	case *kind.Type:
		e.fault(at.value, "%s: want %s, have %s", who, words(k.Want...), words(k.Got))
	case *kind.Minimum:
		e.fault(at.value, "%s: the number is below %s", who, k.Want.RatString())
	case *kind.Maximum:
		e.fault(at.value, "%s: the number is above %s", who, k.Want.RatString())
	case *kind.MinLength:
		e.fault(at.value, "%s: the text is empty", who)
	default:
		if len(ve.Causes) == 0 {
			e.fault(at.value, "%s: does not follow contracts/README.md (%T)", who, ve.ErrorKind)
		}
	}
	for _, c := range ve.Causes {
		e.explain(c)
	}
}

// words names JSON types as YAML does.
func words(types ...string) string {
	yamlWord := map[string]string{
		"object": "a mapping", "array": "a list", "string": "text", "integer": "a whole number",
		"number": "a number", "boolean": "true or false", "null": "nothing",
	}
	var out []string
	for _, t := range types {
		out = append(out, yamlWord[t])
	}
	return strings.Join(out, " or ")
}

// allowed suggests a key, or lists those that may stand in the place when they are few.
func (e *explainer) allowed(ve *sjs.ValidationError, have string) string {
	s := e.at(ve.SchemaURL)
	if s == nil {
		return ""
	}
	var keys []string
	for k := range s.Properties {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	if h := nearest.Hint(have, keys); h != "" {
		return h
	}
	const few = 12
	if len(keys) > few {
		return "; see contracts/README.md"
	}
	return "; known are " + strings.Join(keys, ", ")
}

// at finds a schema by its location: the root, or one of the definitions that reflection makes.
func (e *explainer) at(url string) *sjs.Schema {
	seen := map[*sjs.Schema]bool{}
	var find func(s *sjs.Schema) *sjs.Schema
	find = func(s *sjs.Schema) *sjs.Schema {
		if s == nil || seen[s] {
			return nil
		}
		seen[s] = true
		if s.Location == url {
			return s
		}
		next := []*sjs.Schema{s.Ref}
		for _, p := range s.Properties {
			next = append(next, p)
		}
		for _, sub := range []any{s.AdditionalProperties, s.Items, s.Items2020} {
			if x, ok := sub.(*sjs.Schema); ok {
				next = append(next, x)
			}
		}
		for _, n := range next {
			if x := find(n); x != nil {
				return x
			}
		}
		return nil
	}
	return find(e.schema)
}
