package contract

import "encoding/json"

// Tool is the descriptor of one MCP tool.
type Tool struct {
	Name, Title, Description string
	Pack, Capability, Since  string
	// Requires says what the pack needs from the server, for people.
	Requires                                     string
	ReadOnly, Destructive, Idempotent, OpenWorld bool
	// Planned tools are declared and not built: dispatch answers TOOL_NOT_AVAILABLE.
	Planned bool
	// UsesSession tools act on the session that their session_id names.
	UsesSession bool
	// HasTimeout tools take their deadline from an argument in milliseconds.
	HasTimeout bool
	// ListAs names the property that wraps a list in structured content, "" when the result is an object.
	ListAs string
	// Input and Output are JSON Schema (2020-12).
	Input, Output json.RawMessage
	// Errors are the codes the tool may answer.
	Errors []Code
	// SensitiveArgs and SensitiveResult are paths such as "cookies/*/value".
	SensitiveArgs, SensitiveResult []string
	// Follows maps an argument to the configuration key that replaces its advertised default.
	Follows map[string]string
	// ConstraintCodes maps an argument to the code answered when it is the only fault.
	ConstraintCodes map[string]Code
}

// Result is what a handler answers: a value that encodes to the tool's output schema, and for some
// tools an image.
type Result struct {
	Value any
	Image *Image
}

// Image is a picture in an answer.
type Image struct {
	MIMEType string
	Data     []byte
}
