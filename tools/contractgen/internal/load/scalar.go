package load

import (
	"fmt"

	"github.com/invopop/jsonschema"
	"go.yaml.in/yaml/v3"
)

// Entry is one member of an ordered mapping.
type Entry[T any] struct {
	Name  string
	Node  *yaml.Node // the key
	Value T
}

// Mapping is a YAML mapping that keeps the order and the position of its keys.
type Mapping[T any] []Entry[T]

// UnmarshalYAML implements yaml.Unmarshaler.
func (m *Mapping[T]) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: want a mapping", n.Line)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		var v T
		if err := n.Content[i+1].Decode(&v); err != nil {
			return err
		}
		*m = append(*m, Entry[T]{Name: n.Content[i].Value, Node: n.Content[i], Value: v})
	}
	return nil
}

// JSONSchemaAlias makes the reflected schema that of a plain mapping.
func (Mapping[T]) JSONSchemaAlias() any { return map[string]T{} }

// Ref is a string that remembers where it stands.
type Ref struct {
	Value string
	Node  *yaml.Node
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (r *Ref) UnmarshalYAML(n *yaml.Node) error {
	r.Value, r.Node = n.Value, n
	return nil
}

// JSONSchemaAlias makes the reflected schema that of a plain string.
func (Ref) JSONSchemaAlias() any { return "" }

// Scalar is a text, a number or a truth value as it was written: 1.0 stays "1.0".
type Scalar struct {
	Value string
	Node  *yaml.Node
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (s *Scalar) UnmarshalYAML(n *yaml.Node) error {
	s.Value, s.Node = n.Value, n
	return nil
}

// JSONSchema says what reflection cannot.
func (Scalar) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Title: "a text, a number, true or false", OneOf: []*jsonschema.Schema{
		{Type: "string"}, {Type: "number"}, {Type: "boolean"},
	}}
}

// Enum is a list of values, or a mapping from value to description.
type Enum []Entry[string]

// UnmarshalYAML implements yaml.Unmarshaler.
func (e *Enum) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.SequenceNode {
		for _, c := range n.Content {
			*e = append(*e, Entry[string]{Name: c.Value, Node: c})
		}
		return nil
	}
	var m Mapping[string]
	if err := m.UnmarshalYAML(n); err != nil {
		return err
	}
	*e = Enum(m)
	return nil
}

// JSONSchema says what reflection cannot.
func (Enum) JSONSchema() *jsonschema.Schema {
	one := uint64(1)
	return &jsonschema.Schema{
		Title: "a list of values, or a mapping from value to description",
		OneOf: []*jsonschema.Schema{
			{Type: "array", MinItems: &one, Items: Scalar{}.JSONSchema()},
			{Type: "object", MinProperties: &one, AdditionalProperties: &jsonschema.Schema{Type: "string"}},
		},
	}
}

// ServerFlags is true, or a list of configuration keys.
type ServerFlags struct {
	All  bool
	Keys []Ref
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (s *ServerFlags) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.SequenceNode {
		return n.Decode(&s.Keys)
	}
	return n.Decode(&s.All)
}

// JSONSchema says what reflection cannot.
func (ServerFlags) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Title: "true, or a list of configuration keys", OneOf: []*jsonschema.Schema{
		{Type: "boolean"}, {Type: "array", Items: &jsonschema.Schema{Type: "string"}},
	}}
}
