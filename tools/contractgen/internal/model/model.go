// Package model is the contract as the emitters see it: resolved, ordered, and free of both YAML and
// Go. Every value knows where it was written, so that a check can point at it.
package model

// Stage says how far a declared thing is built.
type Stage string

// The stages of the contract.
const (
	Built   Stage = ""
	Planned Stage = "planned"
	Draft   Stage = "draft"
)

// Group is a file of the contract: a category, pack, config group or tag.
type Group struct {
	Name     string
	File     string // base name without extension
	Order    int
	Doc      string
	Requires string
	Pos      Pos
}

// Error is one code of the contract.
type Error struct {
	Code, Title string
	Pos         Pos
	HTTP        int
	Category    string
	Retryable   string
	Exit        *int
	Message     string
	Hint        string
	Cause       string
	Resolution  string
	Details     []*Field
	Deprecated  *Deprecation // told in Cause
}

// Value is a named constant with a unit, such as a limit.
type Value struct {
	Name string
	Pos  Pos
	Raw  string
	N    int64
	Doc  string
}

// Key is one configuration key.
type Key struct {
	Name, Doc, Grammar string
	Pos                Pos
	Group              *Group
	Default            any
	Min, Max           string
	Enum               []EnumValue
	Reserved           []EnumValue
	Secret             bool
	Runtime            bool
	File               bool
	DerivedFrom        []string
	DerivedDoc         string
	Alias              string
	Examples           []string
	Stage              Stage
	Deprecated         *Deprecation
}

// Cond is one condition of a cross-field rule.
type Cond struct {
	Key        string
	Pos        Pos
	Is         any
	In         []string
	Set        *bool
	Explicit   bool
	ExplicitBy []string
	Above      *float64
	BelowKey   string
	Loopback   *bool
}

// Rule is a cross-field rule of the configuration.
type Rule struct {
	Name    string
	Pos     Pos
	If      []Cond
	Need    []Cond
	NeedAny []Cond
	Code    string
	Reason  string
}

// Command is one command of the command line.
type Command struct {
	Name        string
	Pos         Pos
	Doc         string
	Stage       Stage
	AllKeys     bool
	Keys        []NameAt
	Args, Flags []*Field
	Deprecated  *Deprecation
}

// ExitCode is one exit status.
type ExitCode struct {
	Code int
	Pos  Pos
	Name string
	Doc  string
}

// List is how an operation pages.
type List struct {
	Of     string
	Pos    Pos
	Sort   []string
	Facets []string
	Total  bool
	Fields []*Field
}

// Response is one success answer of an operation.
type Response struct {
	Status  int
	Doc     string
	Content string // media type; "" when there is no body
	Body    *Field
	Headers []*Field
}

// Operation is one REST operation.
type Operation struct {
	ID, Method, Path, Scope, Doc string
	Pos                          Pos
	Tag                          *Group
	Auth                         []string
	Stage                        Stage
	PathParams, Query, Headers   []*Field
	IfMatch, Idempotency         bool
	// SeedPassword operations are answered while the operator still has to change the seed password.
	SeedPassword bool
	Body         *Field
	BodyContent  string
	Responses    []Response
	List         *List
	Errors       []string
	ErrorRefs    []NameAt
	Deprecated   *Deprecation
}

// Message is a WebSocket command, reply, event, stream message or live input.
type Message struct {
	Name, Doc  string
	Pos        Pos
	Scope      string
	Reply      string
	Fields     []*Field
	Deprecated *Deprecation
}

// Topic is what a WebSocket client subscribes to.
type Topic struct {
	Name, Address, Scope, Doc string
	Pos                       Pos
	Events                    []NameAt
	Stream                    []NameAt
}

// HeaderField is a field of the binary frame header.
type HeaderField struct {
	Name, Encoding, Doc string
	Offset              int
}

// CloseCode is a WebSocket close status.
type CloseCode struct {
	Name, Doc string
	Pos       Pos
	Code      int
}

// WS is the WebSocket family.
type WS struct {
	Commands, Replies, Events, Stream, Inputs []*Message
	Envelope                                  *Message
	Topics                                    []*Topic
	Limits                                    []Value
	CloseCodes                                []CloseCode
	BinaryDoc, BinaryEndian                   string
	Header                                    []HeaderField
}

// Model is the whole contract.
type Model struct {
	Types      []*Named // declared, then lifted
	TypeGroups []*Group
	Categories []*Group
	Errors     []*Error
	Packs      []*Group
	Tools      []*Tool
	AnyErrors  []string // codes that every tool may answer
	SetRefs    []NameAt // what the error sets name
	Capability []EnumValue
	CallLimits []Value
	KeyGroups  []*Group
	Keys       []*Key
	Rules      []*Rule
	Reserved   []EnumValue
	Commands   []*Command
	ExitCodes  []ExitCode
	Tags       []*Group
	Operations []*Operation
	Scopes     []EnumValue
	WS         WS

	types  map[string]*Named
	errors map[string]*Error
	keys   map[string]*Key
}

// TypeNamed finds a type.
func (m *Model) TypeNamed(name string) *Named { return m.types[name] }

// ErrorNamed finds a code.
func (m *Model) ErrorNamed(code string) *Error { return m.errors[code] }

// KeyNamed finds a configuration key.
func (m *Model) KeyNamed(name string) *Key { return m.keys[name] }

// AddType registers a type and reports whether the name was free.
func (m *Model) AddType(n *Named) bool {
	if m.types == nil {
		m.types = map[string]*Named{}
	}
	if m.types[n.Name] != nil {
		return false
	}
	m.types[n.Name] = n
	m.Types = append(m.Types, n)
	return true
}

// AddError registers a code and reports whether the name was free.
func (m *Model) AddError(e *Error) bool {
	if m.errors == nil {
		m.errors = map[string]*Error{}
	}
	if m.errors[e.Code] != nil {
		return false
	}
	m.errors[e.Code] = e
	m.Errors = append(m.Errors, e)
	return true
}

// AddKey registers a configuration key and reports whether the name was free.
func (m *Model) AddKey(k *Key) bool {
	if m.keys == nil {
		m.keys = map[string]*Key{}
	}
	if m.keys[k.Name] != nil {
		return false
	}
	m.keys[k.Name] = k
	m.Keys = append(m.Keys, k)
	return true
}

// Walk calls f for every field reachable from fields without following references.
func Walk(fields []*Field, f func(*Field)) {
	for _, x := range fields {
		walk(x, f)
	}
}

func walk(x *Field, f func(*Field)) {
	if x == nil || x.Type == nil {
		return
	}
	f(x)
	walk(x.Type.Items, f)
	walk(x.Type.Values, f)
	Walk(x.Type.Fields, f)
	Walk(x.Type.AnyOf, f)
}

// EachField calls f for every field of the contract, references not followed.
func (m *Model) EachField(f func(*Field)) {
	for _, n := range m.Types {
		walk(&Field{Name: n.Name, Pos: n.Pos, Doc: n.Doc, Type: n.Type, Example: n.Example}, f)
	}
	for _, e := range m.Errors {
		Walk(e.Details, f)
	}
	for _, t := range m.Tools {
		Walk(t.Args, f)
		walk(t.Result, f)
	}
	for _, c := range m.Commands {
		Walk(c.Args, f)
		Walk(c.Flags, f)
	}
	for _, o := range m.Operations {
		Walk(o.PathParams, f)
		Walk(o.Query, f)
		Walk(o.Headers, f)
		walk(o.Body, f)
		for _, r := range o.Responses {
			walk(r.Body, f)
			Walk(r.Headers, f)
		}
	}
	w := &m.WS
	for _, list := range [][]*Message{w.Commands, w.Replies, w.Events, w.Stream, w.Inputs} {
		for _, x := range list {
			Walk(x.Fields, f)
		}
	}
	if w.Envelope != nil {
		Walk(w.Envelope.Fields, f)
	}
}

// KeyNames are the names of the configuration keys that the command takes as flags.
func (c *Command) KeyNames() []string {
	var out []string
	for _, k := range c.Keys {
		out = append(out, k.Name)
	}
	return out
}
