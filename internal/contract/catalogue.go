package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// ErrorInfo is what the contract says of a code.
type ErrorInfo struct {
	Code Code
	// Type is the URL of the code's entry in the error reference.
	Type      string
	Title     string
	HTTP      int
	Category  string
	Retryable Retry
	// Exit is the exit code of a process that ends with the error.
	Exit int
	Hint string
}

// IndexErrors makes a catalogue searchable by code.
func IndexErrors(list []ErrorInfo) map[Code]ErrorInfo {
	out := make(map[Code]ErrorInfo, len(list))
	for _, e := range list {
		out[e.Code] = e
	}
	return out
}

// Deref prints an optional detail: its value, or nothing.
func Deref[T any](p *T) any {
	if p == nil {
		return ""
	}
	return *p
}

// Join prints a list detail.
func Join[T any](list []T) string {
	var out []string
	for _, v := range list {
		out = append(out, fmt.Sprint(v))
	}
	return strings.Join(out, "; ")
}

// ExtraKeys returns the members of a JSON object that are not among known, or nil. A known member that is
// null counts as extra, because a pointer cannot tell it from one that is absent.
func ExtraKeys(object []byte, known ...string) (map[string]json.RawMessage, error) {
	if bytes.Equal(bytes.TrimSpace(object), []byte("null")) {
		return nil, nil
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(object, &all); err != nil {
		return nil, err
	}
	for _, k := range known {
		if string(all[k]) != "null" {
			delete(all, k)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all, nil
}

// WithExtra encodes v, a struct, together with further members.
func WithExtra(v any, extra map[string]json.RawMessage) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil || len(extra) == 0 {
		return b, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, err
	}
	for k, value := range extra {
		if _, named := all[k]; !named {
			all[k] = value
		}
	}
	return json.Marshal(all)
}
