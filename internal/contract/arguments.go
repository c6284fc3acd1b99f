package contract

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/browserhive/browserhive/internal/secret"
)

// Arguments are the arguments of a call, decoded once. Whoever needs to know them reads this value.
type Arguments struct {
	raw      json.RawMessage
	value    any  // as decoded, with numbers as json.Number
	broken   bool // raw is not JSON, and value is nil
	defaults map[string]any
}

// ParseArguments decodes the arguments of a call; an empty text counts as an empty object. Text that is not JSON
// yields arguments without members, which Validator.Arguments rejects.
func ParseArguments(raw json.RawMessage) Arguments {
	a := Arguments{raw: raw}
	if len(bytes.TrimSpace(raw)) == 0 {
		a.value = map[string]any{}
		return a
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if a.value, a.broken = v, err != nil; a.broken {
		a.value = nil
	}
	return a
}

// WithDefaults returns the arguments with values for members that the caller did not give.
func (a Arguments) WithDefaults(defaults map[string]any) Arguments {
	a.defaults = defaults
	return a
}

// Raw is the text as the caller gave it.
func (a Arguments) Raw() json.RawMessage { return a.raw }

// member is what the caller gave, else the default; nil for neither.
func (a Arguments) member(name string) any {
	object, _ := a.value.(map[string]any)
	if v, given := object[name]; given {
		return v
	}
	return a.defaults[name]
}

// String is the member of that name if it is a string, else "".
func (a Arguments) String(name string) string {
	s, _ := a.member(name).(string)
	return s
}

// IsString reports whether there is a string of that name.
func (a Arguments) IsString(name string) bool {
	_, ok := a.member(name).(string)
	return ok
}

// Int is the member of that name; ok is false when it is no integer of 64 bits.
func (a Arguments) Int(name string) (n int64, ok bool) {
	number, _ := a.member(name).(json.Number)
	n, err := number.Int64()
	return n, err == nil
}

// Decode sets into, a pointer to a struct of generated code that holds the contract's defaults, to the
// defaults and to what was given, which has to be validated. Errors: ValueError for a number that the
// type cannot hold.
func (a Arguments) Decode(into any) error {
	if len(a.defaults) > 0 {
		if err := decode(a.defaults, into); err != nil {
			return err
		}
	}
	return decode(a.value, into)
}

// Strings returns the strings at the paths, as Redacted would replace them.
func (a Arguments) Strings(paths []string) []string { return stringsAt(a.value, paths) }

// Redacted is the text as the caller gave it, with the values at the paths replaced as Redact does it.
func (a Arguments) Redacted(paths []string) json.RawMessage {
	switch {
	case len(paths) == 0 || len(a.raw) == 0:
		return a.raw
	case a.broken:
		return redactedText()
	}
	return redactedAt(a.value, paths)
}

// Only is the text with the values of all members replaced but those that are named.
func (a Arguments) Only(names map[string]bool) json.RawMessage {
	object, ok := a.value.(map[string]any)
	if !ok {
		return redactedText()
	}
	out := make(map[string]any, len(object))
	for name, v := range object {
		if out[name] = secret.Redacted; names[name] {
			out[name] = v
		}
	}
	raw, err := Encode(out)
	if err != nil {
		return redactedText()
	}
	return raw
}

// UnmarshalValue decodes JSON with numbers as json.Number, as arguments are decoded.
func UnmarshalValue(raw json.RawMessage) (any, error) {
	return jsonschema.UnmarshalJSON(bytes.NewReader(raw))
}

func redactedText() json.RawMessage { return json.RawMessage(strconv.Quote(secret.Redacted)) }
