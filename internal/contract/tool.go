package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

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
	// UsesPage tools act on a page of that session: the one that their tab_id names, else the active one.
	UsesPage bool
	// ReadsOn tools go on in what an earlier call answered when they are given a cursor, and then use no page.
	ReadsOn bool
	// ChangesTab tools wait for earlier calls that change the same tab; the others do not.
	ChangesTab bool
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
	// TypedArg is the argument that is typed into a page, "" for none. It may be kept only where the field
	// shows it.
	TypedArg string
	// Follows maps an argument to the configuration key that replaces its advertised default.
	Follows map[string]string
	// ConstraintErrors maps an argument to the error answered when its constraint is the only fault.
	ConstraintErrors map[string]func(value string) *Error
}

// Result is what a handler answers: a value that encodes to the tool's output schema, and for some
// tools an image.
type Result struct {
	Value any
	Image *Image
}

// Image is a picture in an answer.
type Image struct {
	MIMEType      string
	Data          []byte
	Width, Height int // in pixels
}

// Encode is json.Marshal without the escaping of <, > and &, which are for HTML and cost a model tokens.
func Encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// Structured wraps a list result in the property that the output schema names.
func (t *Tool) Structured(result json.RawMessage) json.RawMessage {
	if t.ListAs == "" {
		return result
	}
	name, _ := json.Marshal(t.ListAs) // a string always encodes
	return slices.Concat([]byte("{"), name, []byte(":"), result, []byte("}"))
}

// SetDefault replaces the default that a property of an object schema advertises and keeps the order of
// everything else.
func SetDefault(schema json.RawMessage, property string, value json.RawMessage) (json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(schema))
	var path []string
	var expectKey []bool
	for {
		tok, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("the schema has no default at %s", property)
		}
		n := len(expectKey)
		if delim, ok := tok.(json.Delim); ok {
			switch delim {
			case '{':
				expectKey = append(expectKey, true)
				path = append(path, "")
			case '[':
				expectKey = append(expectKey, false)
				path = append(path, "")
			default:
				expectKey, path = expectKey[:n-1], path[:n-1]
				if len(expectKey) > 0 {
					resetKey(expectKey, path)
				}
			}
			continue
		}
		if n == 0 {
			continue
		}
		if expectKey[n-1] {
			path[n-1], _ = tok.(string)
			expectKey[n-1] = false
			if n == 3 && path[0] == "properties" && path[1] == property && path[2] == "default" {
				start := int(d.InputOffset())
				for schema[start] == ':' || schema[start] == ' ' || schema[start] == '\n' {
					start++
				}
				var old json.RawMessage
				if err := d.Decode(&old); err != nil {
					return nil, err
				}
				out := append([]byte{}, schema[:start]...)
				out = append(out, value...)
				return append(out, schema[int(d.InputOffset()):]...), nil
			}
			continue
		}
		resetKey(expectKey, path)
	}
}

// resetKey says that an object's next token is a key again; an array's never is.
func resetKey(expectKey []bool, path []string) {
	n := len(expectKey)
	if path[n-1] != "" {
		expectKey[n-1] = true
	}
}

// SetMember returns a JSON object in which a member has the value.
func SetMember(object json.RawMessage, name string, value any) (json.RawMessage, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(object, &m); err != nil {
		return nil, err
	}
	raw, err := Encode(value)
	if err != nil {
		return nil, err
	}
	m[name] = raw
	return Encode(m)
}

// SetAbsent is SetMember for a member that the object does not have.
func SetAbsent(object json.RawMessage, name string, value any) (json.RawMessage, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(object, &m); err != nil {
		return nil, err
	}
	if _, has := m[name]; has {
		return object, nil
	}
	return SetMember(object, name, value)
}
