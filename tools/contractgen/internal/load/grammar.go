package load

import "go.yaml.in/yaml/v3"

// The structs below are the grammar of the contract files. Their JSON Schema, reflected from them,
// is what validates a file and what editors complete from.

// Field is an argument, property, detail or parameter.
type Field struct {
	Type       string         `yaml:"type" json:"type,omitempty" jsonschema:"minLength=1" jsonschema_description:"string integer number boolean object array map any, a named type, or X[]"`
	Doc        string         `yaml:"doc" json:"doc,omitempty" jsonschema:"minLength=1" jsonschema_description:"What the reader must know, in one or two sentences"`
	Optional   bool           `yaml:"optional" json:"optional,omitempty" jsonschema_description:"The field may be absent"`
	Nullable   bool           `yaml:"nullable" json:"nullable,omitempty" jsonschema_description:"The value may be null"`
	Default    any            `yaml:"default" json:"default,omitempty" jsonschema_description:"Filled in by the server when absent"`
	Enum       Enum           `yaml:"enum" json:"enum,omitempty" jsonschema_description:"Allowed values: a list, or a mapping from value to description"`
	Const      any            `yaml:"const" json:"const,omitempty" jsonschema_description:"The only allowed value"`
	Pattern    string         `yaml:"pattern" json:"pattern,omitempty" jsonschema:"minLength=1" jsonschema_description:"Regular expression (RE2) that must match somewhere in the value; anchor it with ^ and $"`
	Format     string         `yaml:"format" json:"format,omitempty" jsonschema:"minLength=1" jsonschema_description:"JSON Schema format, an annotation"`
	Min        *float64       `yaml:"min" json:"min,omitempty" jsonschema_description:"Smallest allowed number"`
	Max        *float64       `yaml:"max" json:"max,omitempty" jsonschema_description:"Largest allowed number"`
	MinLength  *int           `yaml:"min_length" json:"min_length,omitempty" jsonschema:"minimum=0,maximum=1000000000" jsonschema_description:"Fewest characters"`
	MaxLength  *int           `yaml:"max_length" json:"max_length,omitempty" jsonschema:"minimum=0,maximum=1000000000" jsonschema_description:"Most characters"`
	MinItems   *int           `yaml:"min_items" json:"min_items,omitempty" jsonschema:"minimum=0,maximum=1000000000" jsonschema_description:"Fewest elements"`
	MaxItems   *int           `yaml:"max_items" json:"max_items,omitempty" jsonschema:"minimum=0,maximum=1000000000" jsonschema_description:"Most elements"`
	Items      *Field         `yaml:"items" json:"items,omitempty" jsonschema_description:"Element of type array"`
	Values     *Field         `yaml:"values" json:"values,omitempty" jsonschema_description:"Value of type map"`
	Fields     Mapping[Field] `yaml:"fields" json:"fields,omitempty" jsonschema_description:"Properties of type object"`
	Open       bool           `yaml:"open" json:"open,omitempty" jsonschema_description:"Further keys are allowed"`
	AnyOf      []Field        `yaml:"any_of" json:"any_of,omitempty" jsonschema_description:"Alternatives"`
	Sensitive  bool           `yaml:"sensitive" json:"sensitive,omitempty" jsonschema_description:"The value never reaches a log, a row, an event or an error text"`
	Typed      bool           `yaml:"typed" json:"typed,omitempty" jsonschema_description:"The value is typed into a page; it is kept only where the field shows it"`
	Code       string         `yaml:"code" json:"code,omitempty" jsonschema:"minLength=1" jsonschema_description:"Error answered when this constraint is the only fault"`
	Follows    string         `yaml:"follows" json:"follows,omitempty" jsonschema:"minLength=1" jsonschema_description:"Configuration key whose value replaces the advertised default"`
	Example    any            `yaml:"example" json:"example,omitempty" jsonschema_description:"A value for documents"`
	Stage      string         `yaml:"stage" json:"stage,omitempty" jsonschema:"enum=planned,enum=draft" jsonschema_description:"planned: declared, not built. draft: the shape may still change"`
	Deprecated *DeprecatedY   `yaml:"deprecated" json:"deprecated,omitempty" jsonschema_description:"To be given up: since when, and for what"`

	node *yaml.Node
}

// UnmarshalYAML implements yaml.Unmarshaler, to remember the position.
func (f *Field) UnmarshalYAML(n *yaml.Node) error {
	type plain Field
	if err := n.Decode((*plain)(f)); err != nil {
		return err
	}
	f.node = n
	return nil
}

// DeprecatedY says that a thing is to be given up.
type DeprecatedY struct {
	Since Scalar `yaml:"since" json:"since" jsonschema_description:"First version in which it is deprecated"`
	Use   Ref    `yaml:"use" json:"use" jsonschema_description:"What to use instead: a thing of the same family, a field beside it"`

	node *yaml.Node
}

// UnmarshalYAML implements yaml.Unmarshaler, to remember the position.
func (d *DeprecatedY) UnmarshalYAML(n *yaml.Node) error {
	type plain DeprecatedY
	d.node = n
	return n.Decode((*plain)(d))
}

// TypesFile is contracts/types/*.yaml.
type TypesFile struct {
	Order int            `yaml:"order" json:"order,omitempty" jsonschema:"minimum=0,maximum=1000000000" jsonschema_description:"Place among the files of the family"`
	Doc   string         `yaml:"doc" json:"doc" jsonschema:"minLength=1" jsonschema_description:"What the shapes are about"`
	Types Mapping[Field] `yaml:"types" json:"types" jsonschema_description:"Shapes by PascalCase name"`
}

// ErrorsFile is contracts/errors/*.yaml.
type ErrorsFile struct {
	Order    int             `yaml:"order" json:"order,omitempty" jsonschema:"minimum=0,maximum=1000000000" jsonschema_description:"Place among the files of the family"`
	Category string          `yaml:"category" json:"category" jsonschema:"minLength=1" jsonschema_description:"Name of the category"`
	Doc      string          `yaml:"doc" json:"doc" jsonschema:"minLength=1" jsonschema_description:"When errors of the category occur"`
	Errors   Mapping[ErrorY] `yaml:"errors" json:"errors" jsonschema_description:"Errors by code"`
}

// ErrorY is one error.
type ErrorY struct {
	Title      string         `yaml:"title" json:"title" jsonschema:"minLength=1" jsonschema_description:"A few words"`
	HTTP       int            `yaml:"http" json:"http" jsonschema:"minimum=400,maximum=599" jsonschema_description:"HTTP status"`
	Retryable  string         `yaml:"retryable" json:"retryable" jsonschema:"enum=never,enum=immediate,enum=backoff,enum=after_operator,enum=different_args" jsonschema_description:"What a client may do"`
	Exit       *int           `yaml:"exit" json:"exit,omitempty" jsonschema:"minimum=1,maximum=125" jsonschema_description:"Exit code of boot errors"`
	Message    string         `yaml:"message" json:"message" jsonschema:"minLength=1" jsonschema_description:"Text for the client; {placeholders} are details"`
	Hint       string         `yaml:"hint" json:"hint" jsonschema:"minLength=1" jsonschema_description:"What the caller does next"`
	Cause      string         `yaml:"cause" json:"cause" jsonschema:"minLength=1" jsonschema_description:"Why it happens"`
	Resolution string         `yaml:"resolution" json:"resolution" jsonschema:"minLength=1" jsonschema_description:"How to end it"`
	Details    Mapping[Field] `yaml:"details" json:"details,omitempty" jsonschema_description:"Machine-readable details"`
	Deprecated *DeprecatedY   `yaml:"deprecated" json:"deprecated,omitempty" jsonschema_description:"To be given up: since when, and for what"`
}

// ToolsFile is contracts/tools/<pack>.yaml.
type ToolsFile struct {
	Order    int            `yaml:"order" json:"order,omitempty" jsonschema:"minimum=0,maximum=1000000000" jsonschema_description:"Place among the files of the family"`
	Pack     string         `yaml:"pack" json:"pack" jsonschema:"minLength=1" jsonschema_description:"Name of the pack"`
	Doc      string         `yaml:"doc" json:"doc" jsonschema:"minLength=1" jsonschema_description:"What the pack is for"`
	Requires string         `yaml:"requires" json:"requires,omitempty" jsonschema:"minLength=1" jsonschema_description:"What the pack needs from the server"`
	Tools    Mapping[ToolY] `yaml:"tools" json:"tools" jsonschema_description:"Tools by name"`
}

// ToolY is one tool.
type ToolY struct {
	Title       string         `yaml:"title" json:"title" jsonschema:"minLength=1" jsonschema_description:"Name for people"`
	Capability  string         `yaml:"capability" json:"capability" jsonschema:"minLength=1" jsonschema_description:"Capability of catalogue.yaml"`
	Since       string         `yaml:"since" json:"since" jsonschema:"minLength=1" jsonschema_description:"First version that has it"`
	Stage       string         `yaml:"stage" json:"stage,omitempty" jsonschema:"enum=planned,enum=draft" jsonschema_description:"planned: declared, not built"`
	ReadOnly    bool           `yaml:"read_only" json:"read_only" jsonschema_description:"MCP readOnlyHint"`
	Destructive bool           `yaml:"destructive" json:"destructive" jsonschema_description:"MCP destructiveHint"`
	Idempotent  bool           `yaml:"idempotent" json:"idempotent" jsonschema_description:"MCP idempotentHint"`
	OpenWorld   bool           `yaml:"open_world" json:"open_world" jsonschema_description:"MCP openWorldHint"`
	Doc         string         `yaml:"doc" json:"doc" jsonschema:"minLength=1" jsonschema_description:"The description an agent reads"`
	Args        Mapping[Field] `yaml:"args" json:"args,omitempty" jsonschema_description:"Arguments by name"`
	Result      Field          `yaml:"result" json:"result" jsonschema_description:"Shape of the result"`
	As          string         `yaml:"as" json:"as,omitempty" jsonschema:"minLength=1" jsonschema_description:"Property that wraps a list in structuredContent"`
	Image       bool           `yaml:"image" json:"image,omitempty" jsonschema_description:"The answer also carries an image block"`
	AtOnce      bool           `yaml:"at_once" json:"at_once,omitempty" jsonschema_description:"Does not wait for earlier calls that change the tab"`
	Errors      []Ref          `yaml:"errors" json:"errors,omitempty" jsonschema_description:"Codes, or lower-case names of error sets"`
	Deprecated  *DeprecatedY   `yaml:"deprecated" json:"deprecated,omitempty" jsonschema_description:"To be given up: since when, and for what"`
}

// CatalogueFile is contracts/tools/catalogue.yaml.
type CatalogueFile struct {
	Capabilities Mapping[string] `yaml:"capabilities" json:"capabilities" jsonschema_description:"Capability to description"`
	ErrorSets    Mapping[[]Ref]  `yaml:"error_sets" json:"error_sets" jsonschema_description:"Set name to codes; the set any belongs to every tool"`
	Limits       Mapping[LimitY] `yaml:"limits" json:"limits" jsonschema_description:"Bounds of every call"`
}

// LimitY is a bound with its unit and reason.
type LimitY struct {
	Value Scalar `yaml:"value" json:"value" jsonschema_description:"A number, with B KiB MiB GiB or ms s m h d"`
	Doc   string `yaml:"doc" json:"doc" jsonschema:"minLength=1" jsonschema_description:"What it bounds and why"`
}

// ConfigFile is contracts/config/<group>.yaml.
type ConfigFile struct {
	Order int           `yaml:"order" json:"order,omitempty" jsonschema:"minimum=0,maximum=1000000000" jsonschema_description:"Place among the files of the family"`
	Group string        `yaml:"group" json:"group" jsonschema:"minLength=1" jsonschema_description:"Name of the group"`
	Doc   string        `yaml:"doc" json:"doc" jsonschema:"minLength=1" jsonschema_description:"What the group is about"`
	Keys  Mapping[KeyY] `yaml:"keys" json:"keys" jsonschema_description:"Keys by camelCase name"`
}

// KeyY is one configuration key.
type KeyY struct {
	Type       string       `yaml:"type" json:"type" jsonschema:"enum=string,enum=path,enum=host,enum=port,enum=url,enum=boolean,enum=integer,enum=number,enum=duration,enum=bytes,enum=enum,enum=list,enum=map,enum=levels,enum=tokens,enum=proxies,enum=max_sessions" jsonschema_description:"Value grammar"`
	Doc        string       `yaml:"doc" json:"doc" jsonschema:"minLength=1" jsonschema_description:"What the key does"`
	Default    any          `yaml:"default" json:"default,omitempty" jsonschema_description:"Value when no source sets it"`
	Min        Scalar       `yaml:"min" json:"min,omitempty" jsonschema_description:"Smallest value, with its unit"`
	Max        Scalar       `yaml:"max" json:"max,omitempty" jsonschema_description:"Largest value, with its unit"`
	Enum       Enum         `yaml:"enum" json:"enum,omitempty" jsonschema_description:"Members of an enum or list"`
	Reserved   Enum         `yaml:"reserved" json:"reserved,omitempty" jsonschema_description:"Members refused as reserved"`
	Secret     bool         `yaml:"secret" json:"secret,omitempty" jsonschema_description:"Shown as <redacted>"`
	Runtime    bool         `yaml:"runtime" json:"runtime,omitempty" jsonschema_description:"Can change while the server runs"`
	File       *bool        `yaml:"file" json:"file,omitempty" jsonschema_description:"false: not accepted in the config file"`
	Derived    *Derived     `yaml:"derived" json:"derived,omitempty" jsonschema_description:"How the default follows from something else"`
	Alias      string       `yaml:"alias" json:"alias,omitempty" jsonschema:"minLength=1" jsonschema_description:"Standard variable read just below BROWSERHIVE_*"`
	Examples   []Scalar     `yaml:"examples" json:"examples,omitempty" jsonschema_description:"Values for documents"`
	Stage      string       `yaml:"stage" json:"stage,omitempty" jsonschema:"enum=planned,enum=draft" jsonschema_description:"planned: validated, not built"`
	Deprecated *DeprecatedY `yaml:"deprecated" json:"deprecated,omitempty" jsonschema_description:"To be given up: since when, and for what"`
}

// Derived says where a default comes from.
type Derived struct {
	From []string `yaml:"from" json:"from" jsonschema_description:"Keys or facts of the host"`
	Doc  string   `yaml:"doc" json:"doc" jsonschema:"minLength=1" jsonschema_description:"How it follows"`
}

// RulesFile is contracts/config/rules.yaml.
type RulesFile struct {
	Rules Mapping[RuleY] `yaml:"rules" json:"rules" jsonschema_description:"Cross-field rules by name"`
}

// RuleY is one cross-field rule.
type RuleY struct {
	If      []CondY `yaml:"if" json:"if" jsonschema_description:"When the rule applies: all of these"`
	Need    []CondY `yaml:"need" json:"need,omitempty" jsonschema_description:"What must hold: all of these"`
	NeedAny []CondY `yaml:"need_any" json:"need_any,omitempty" jsonschema_description:"What must hold: one of these"`
	Code    Ref     `yaml:"code" json:"code" jsonschema_description:"Error of a violation"`
	Reason  string  `yaml:"reason" json:"reason" jsonschema:"minLength=1" jsonschema_description:"Said to the operator"`
}

// CondY is one condition.
type CondY struct {
	Key        Ref      `yaml:"key" json:"key" jsonschema_description:"Configuration key"`
	Is         any      `yaml:"is" json:"is,omitempty" jsonschema_description:"Equals this value"`
	In         []Scalar `yaml:"in" json:"in,omitempty" jsonschema_description:"Is one of these"`
	Set        *bool    `yaml:"set" json:"set,omitempty" jsonschema_description:"Has a value, or has none"`
	Explicit   bool     `yaml:"explicit" json:"explicit,omitempty" jsonschema_description:"Some source sets it"`
	ExplicitBy []string `yaml:"explicit_by" json:"explicit_by,omitempty" jsonschema:"enum=cli,enum=file,enum=env,enum=env(otel)" jsonschema_description:"One of these sources sets it"`
	Above      *float64 `yaml:"above" json:"above,omitempty" jsonschema_description:"Greater than this"`
	BelowKey   string   `yaml:"below_key" json:"below_key,omitempty" jsonschema_description:"Less than the value of this key"`
	Loopback   *bool    `yaml:"loopback" json:"loopback,omitempty" jsonschema_description:"Is a loopback host, or is not"`
}

// ReservedFile is contracts/config/reserved.yaml.
type ReservedFile struct {
	Reserved Mapping[string] `yaml:"reserved" json:"reserved" jsonschema_description:"Reserved key to what it will be"`
}

// CLIFile is contracts/cli/commands.yaml.
type CLIFile struct {
	Commands  Mapping[CommandY] `yaml:"commands" json:"commands" jsonschema_description:"Commands by name"`
	ExitCodes Mapping[ExitY]    `yaml:"exit_codes" json:"exit_codes" jsonschema_description:"Exit status to meaning"`
}

// CommandY is one command.
type CommandY struct {
	Doc         string         `yaml:"doc" json:"doc" jsonschema:"minLength=1" jsonschema_description:"What it does"`
	Stage       string         `yaml:"stage" json:"stage,omitempty" jsonschema:"enum=planned,enum=draft" jsonschema_description:"planned: declared, not built"`
	ServerFlags ServerFlags    `yaml:"server_flags" json:"server_flags,omitempty" jsonschema_description:"true, or the configuration keys it takes as flags"`
	Args        Mapping[Field] `yaml:"args" json:"args,omitempty" jsonschema_description:"Positional arguments"`
	Flags       Mapping[Field] `yaml:"flags" json:"flags,omitempty" jsonschema_description:"Flags of its own"`
	Deprecated  *DeprecatedY   `yaml:"deprecated" json:"deprecated,omitempty" jsonschema_description:"To be given up: since when, and for what"`
}

// ExitY is one exit status.
type ExitY struct {
	Name string `yaml:"name" json:"name" jsonschema:"minLength=1" jsonschema_description:"Short name"`
	Doc  string `yaml:"doc" json:"doc" jsonschema:"minLength=1" jsonschema_description:"When it is returned"`
}

// ScopesFile is contracts/http/scopes.yaml.
type ScopesFile struct {
	Scopes Mapping[string] `yaml:"scopes" json:"scopes" jsonschema_description:"Scope to description"`
}

// HTTPFile is contracts/http/<tag>.yaml.
type HTTPFile struct {
	Order      int                `yaml:"order" json:"order,omitempty" jsonschema:"minimum=0,maximum=1000000000" jsonschema_description:"Place among the files of the family"`
	Tag        string             `yaml:"tag" json:"tag" jsonschema:"minLength=1" jsonschema_description:"Name of the tag"`
	Doc        string             `yaml:"doc" json:"doc" jsonschema:"minLength=1" jsonschema_description:"What the operations are about"`
	Operations Mapping[Operation] `yaml:"operations" json:"operations" jsonschema_description:"Operations by operationId"`
}

// Operation is one REST operation.
type Operation struct {
	Method       string             `yaml:"method" json:"method" jsonschema:"enum=GET,enum=POST,enum=PUT,enum=PATCH,enum=DELETE,enum=HEAD" jsonschema_description:"HTTP method"`
	Path         string             `yaml:"path" json:"path" jsonschema:"minLength=1" jsonschema_description:"Path with {parameters}"`
	Scope        Ref                `yaml:"scope" json:"scope,omitempty" jsonschema_description:"Scope of scopes.yaml; none when absent"`
	Auth         []string           `yaml:"auth" json:"auth" jsonschema:"enum=cookie,enum=bearer,enum=grant,enum=public" jsonschema_description:"cookie bearer grant public"`
	Doc          string             `yaml:"doc" json:"doc" jsonschema:"minLength=1" jsonschema_description:"What it does"`
	Stage        string             `yaml:"stage" json:"stage,omitempty" jsonschema:"enum=planned,enum=draft" jsonschema_description:"planned: answers 501"`
	PathParams   Mapping[Field]     `yaml:"path_params" json:"path_params,omitempty" jsonschema_description:"Parameters of the path"`
	Query        Mapping[Field]     `yaml:"query" json:"query,omitempty" jsonschema_description:"Query parameters"`
	Headers      Mapping[Field]     `yaml:"headers" json:"headers,omitempty" jsonschema_description:"Request headers"`
	IfMatch      bool               `yaml:"if_match" json:"if_match,omitempty" jsonschema_description:"Takes If-Match: <version>"`
	Idempotency  bool               `yaml:"idempotency" json:"idempotency,omitempty" jsonschema_description:"Takes Idempotency-Key"`
	SeedPassword bool               `yaml:"seed_password" json:"seed_password,omitempty" jsonschema_description:"Answered even while the operator still has the seed password"`
	Body         *BodyY             `yaml:"body" json:"body,omitempty" jsonschema_description:"Request body"`
	List         *ListY             `yaml:"list" json:"list,omitempty" jsonschema_description:"The answer is a page of rows"`
	Responses    Mapping[ResponseY] `yaml:"responses" json:"responses,omitempty" jsonschema_description:"Success answers by status"`
	Errors       []Ref              `yaml:"errors" json:"errors,omitempty" jsonschema_description:"Codes it can answer"`
	Deprecated   *DeprecatedY       `yaml:"deprecated" json:"deprecated,omitempty" jsonschema_description:"To be given up: since when, and for what"`
}

// BodyY is a request body.
type BodyY struct {
	Field   `yaml:",inline"`
	Content string `yaml:"content" json:"content,omitempty" jsonschema:"minLength=1" jsonschema_description:"Media type when not JSON"`
}

// UnmarshalYAML implements yaml.Unmarshaler: the embedded field would otherwise take the whole node.
func (b *BodyY) UnmarshalYAML(n *yaml.Node) error {
	var c struct {
		Content string `yaml:"content"`
	}
	if err := n.Decode(&c); err != nil {
		return err
	}
	b.Content = c.Content
	return b.Field.UnmarshalYAML(n)
}

// ResponseY is a success answer.
type ResponseY struct {
	BodyY   `yaml:",inline"`
	Headers Mapping[Field] `yaml:"headers" json:"headers,omitempty" jsonschema_description:"Response headers"`
}

// UnmarshalYAML implements yaml.Unmarshaler, for the reason given at BodyY.
func (r *ResponseY) UnmarshalYAML(n *yaml.Node) error {
	var c struct {
		Headers Mapping[Field] `yaml:"headers"`
	}
	if err := n.Decode(&c); err != nil {
		return err
	}
	r.Headers = c.Headers
	return r.BodyY.UnmarshalYAML(n)
}

// ListY is how an operation pages.
type ListY struct {
	Of     string         `yaml:"of" json:"of" jsonschema:"minLength=1" jsonschema_description:"Row type"`
	Sort   []string       `yaml:"sort" json:"sort,omitempty" jsonschema_description:"Columns to sort by, the default first"`
	Facets []string       `yaml:"facets" json:"facets,omitempty" jsonschema_description:"Columns whose values are counted"`
	Total  bool           `yaml:"total" json:"total,omitempty" jsonschema_description:"The page says how many rows match"`
	Fields Mapping[Field] `yaml:"fields" json:"fields,omitempty" jsonschema_description:"Further members of the envelope"`
	Limit  *PageLimit     `yaml:"limit" json:"limit,omitempty" jsonschema_description:"Page size"`

	node *yaml.Node
}

// UnmarshalYAML implements yaml.Unmarshaler, to remember the position.
func (l *ListY) UnmarshalYAML(n *yaml.Node) error {
	type plain ListY
	l.node = n
	return n.Decode((*plain)(l))
}

// PageLimit is the page size of a list.
type PageLimit struct {
	Default int `yaml:"default" json:"default" jsonschema:"minimum=1,maximum=10000" jsonschema_description:"Rows when not asked"`
	Max     int `yaml:"max" json:"max" jsonschema:"minimum=1,maximum=10000" jsonschema_description:"Most rows"`
}

// MessageY is a WebSocket message.
type MessageY struct {
	Doc        string         `yaml:"doc" json:"doc" jsonschema:"minLength=1" jsonschema_description:"What it says"`
	Scope      Ref            `yaml:"scope" json:"scope,omitempty" jsonschema_description:"Scope a command needs"`
	Reply      Ref            `yaml:"reply" json:"reply,omitempty" jsonschema_description:"Reply of a command"`
	Fields     Mapping[Field] `yaml:"fields" json:"fields,omitempty" jsonschema_description:"Members beside type"`
	Deprecated *DeprecatedY   `yaml:"deprecated" json:"deprecated,omitempty" jsonschema_description:"To be given up: since when, and for what"`

	node *yaml.Node
}

// UnmarshalYAML implements yaml.Unmarshaler, to remember the position.
func (m *MessageY) UnmarshalYAML(n *yaml.Node) error {
	type plain MessageY
	m.node = n
	return n.Decode((*plain)(m))
}

// TopicY is a WebSocket topic.
type TopicY struct {
	Address string `yaml:"address" json:"address" jsonschema:"minLength=1" jsonschema_description:"What clients subscribe to, such as session:{id}"`
	Scope   Ref    `yaml:"scope" json:"scope" jsonschema_description:"Scope a subscriber needs"`
	Doc     string `yaml:"doc" json:"doc" jsonschema:"minLength=1" jsonschema_description:"What it carries"`
	Events  []Ref  `yaml:"events" json:"events,omitempty" jsonschema_description:"Events"`
	Stream  []Ref  `yaml:"stream" json:"stream,omitempty" jsonschema_description:"Stream messages"`
}

// CloseY is a close code.
type CloseY struct {
	Code int    `yaml:"code" json:"code" jsonschema:"minimum=1000,maximum=4999" jsonschema_description:"Close status"`
	Doc  string `yaml:"doc" json:"doc" jsonschema:"minLength=1" jsonschema_description:"Why the socket closes"`
}

// BinaryY is the binary frame.
type BinaryY struct {
	Doc    string           `yaml:"doc" json:"doc" jsonschema:"minLength=1" jsonschema_description:"What follows the header"`
	Endian string           `yaml:"endian" json:"endian" jsonschema:"enum=big,enum=little" jsonschema_description:"Byte order"`
	Header Mapping[HeaderY] `yaml:"header" json:"header" jsonschema_description:"Fields in order"`

	node *yaml.Node
}

// UnmarshalYAML implements yaml.Unmarshaler, to remember the position.
func (b *BinaryY) UnmarshalYAML(n *yaml.Node) error {
	type plain BinaryY
	b.node = n
	return n.Decode((*plain)(b))
}

// HeaderY is one field of the binary header.
type HeaderY struct {
	Offset   int    `yaml:"offset" json:"offset" jsonschema:"minimum=0,maximum=1000000000" jsonschema_description:"First byte"`
	Encoding string `yaml:"encoding" json:"encoding" jsonschema:"minLength=1" jsonschema_description:"Type, such as u32"`
	Doc      string `yaml:"doc" json:"doc" jsonschema:"minLength=1" jsonschema_description:"Meaning"`
}

// WSFile is any of contracts/ws/*.yaml; each file holds one or two of the mappings.
type WSFile struct {
	Commands   Mapping[MessageY] `yaml:"commands" json:"commands,omitempty" jsonschema_description:"Client commands"`
	Replies    Mapping[MessageY] `yaml:"replies" json:"replies,omitempty" jsonschema_description:"Server replies"`
	Events     Mapping[MessageY] `yaml:"events" json:"events,omitempty" jsonschema_description:"Feed events"`
	Stream     Mapping[MessageY] `yaml:"stream" json:"stream,omitempty" jsonschema_description:"Screencast control messages"`
	Inputs     Mapping[MessageY] `yaml:"inputs" json:"inputs,omitempty" jsonschema_description:"Kinds of live input"`
	Envelope   *MessageY         `yaml:"envelope" json:"envelope,omitempty" jsonschema_description:"The frame around every server message"`
	Topics     Mapping[TopicY]   `yaml:"topics" json:"topics,omitempty" jsonschema_description:"Topics by name"`
	Limits     Mapping[LimitY]   `yaml:"limits" json:"limits,omitempty" jsonschema_description:"Limits by name"`
	CloseCodes Mapping[CloseY]   `yaml:"close_codes" json:"close_codes,omitempty" jsonschema_description:"Close codes by name"`
	Binary     *BinaryY          `yaml:"binary" json:"binary,omitempty" jsonschema_description:"The binary frame"`
}
