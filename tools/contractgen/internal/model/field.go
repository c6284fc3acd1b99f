package model

import "strings"

// Kind is the shape of a type.
type Kind string

// The kinds of types; Ref stands for the kind of a named type.
const (
	String  Kind = "string"
	Integer Kind = "integer"
	Number  Kind = "number"
	Boolean Kind = "boolean"
	Object  Kind = "object"
	Array   Kind = "array"
	Map     Kind = "map"
	Any     Kind = "any"
	Union   Kind = "union"
	Ref     Kind = "ref"
)

// EnumValue is one allowed value and what it means.
type EnumValue struct {
	Value string
	Doc   string
}

// Type is what a field may hold.
type Type struct {
	Kind Kind
	Pos  Pos
	// Ref names a type of contracts/types; Target is what it resolves to.
	Ref    string
	Target *Named

	Enum                 []EnumValue
	Const                any
	Pattern              string
	Format               string
	Min, Max             *float64
	MinLength, MaxLength *int
	MinItems, MaxItems   *int

	Items  *Field   // Array
	Values *Field   // Map
	Fields []*Field // Object
	Open   bool     // Object: further keys are allowed
	AnyOf  []*Field // Union
}

// Base follows references to the type that says something itself. It stays a reference when there is
// none: the target is unknown, or the references go in a circle.
func (t *Type) Base() *Type {
	const longest = 64
	for range longest {
		if t.Kind != Ref || t.Target == nil {
			break
		}
		t = t.Target.Type
	}
	return t
}

// Field is a named value: an argument, a property, a detail, a parameter.
type Field struct {
	Name      string
	Pos       Pos
	Doc       string
	Type      *Type
	Optional  bool
	Nullable  bool
	Default   any
	Sensitive bool
	Typed     bool   // entered into a page
	Code      string // the error that this field's constraint answers
	Follows   string // the configuration key that replaces the default
	Example   any
	Stage     Stage
	// Deprecated is nil unless the field is to be given up.
	Deprecated *Deprecation
}

// Deprecation says since when a thing is to be given up, and for what. The text that Doc has of it, its last
// paragraph, has the form that Go tools know.
type Deprecation struct {
	Since, Use string
	Pos        Pos
	// Among are the fields beside a field that is deprecated.
	Among []*Field
}

// Text is the paragraph about the deprecation.
func (d *Deprecation) Text() string { return "Deprecated: " + d.Reason() }

// Reason is the paragraph without its first word.
func (d *Deprecation) Reason() string { return "Use " + d.Use + " instead; since " + d.Since + "." }

// Describe adds the paragraph to a description.
func (d *Deprecation) Describe(doc string) string {
	if d == nil {
		return doc
	}
	return strings.TrimSpace(doc + "\n\n" + d.Text())
}

// HasDefault reports whether the server fills the field in.
func (f *Field) HasDefault() bool { return f.Default != nil }

// Required reports whether the field must be present.
func (f *Field) Required() bool { return !f.Optional && f.Default == nil }

// About is the field's own doc, or that of its named type.
func (f *Field) About() string {
	if f.Doc == "" && f.Type != nil && f.Type.Kind == Ref && f.Type.Target != nil {
		return f.Type.Target.Doc
	}
	return f.Doc
}

// Named is a shape that stands once in contracts/types, or one that an operation lifts out.
type Named struct {
	Name  string
	Pos   Pos
	Doc   string
	Type  *Type
	Stage Stage
	// Example is a value for documents.
	Example    any
	Deprecated *Deprecation
	// Lifted types come from an operation's body or response.
	Lifted bool
}
