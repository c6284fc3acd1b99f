package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
)

// input checks the requests of one operation against the contract and applies the contract's defaults: a handler
// sees valid requests with every default filled in.
type input struct {
	op        contract.Operation
	validator *contract.Validator // nil for an operation that takes nothing
	parts     struct {
		Properties struct{ Path, Query, Body *shape }
	}
}

// shape is the part of an object's JSON Schema that is needed here.
type shape struct {
	Properties map[string]struct {
		Type    any // One, several for what may be null, or none for a choice of shapes.
		Default json.RawMessage
	}
}

// newInput fails on a schema that is not valid; a test compiles those of all operations.
func newInput(op contract.Operation) (*input, error) {
	in := &input{op: op}
	if op.Input == nil {
		return in, nil
	}
	if err := json.Unmarshal(op.Input, &in.parts); err != nil {
		return nil, fmt.Errorf("input of %s: %w", op.ID, err)
	}
	var err error
	in.validator, err = contract.Compile(op.ID, op.Input)
	return in, err
}

// check returns the request as the handler is to see it.
func (in *input) check(r *http.Request) (*http.Request, error) {
	if in.validator == nil {
		return r, nil
	}
	parts := in.parts.Properties
	given := map[string]any{}
	query := r.URL.Query()
	if parts.Path != nil {
		path := map[string]any{}
		for name := range parts.Path.Properties {
			path[name] = r.PathValue(name)
		}
		given["path"] = path
	}
	if parts.Query != nil {
		given["query"] = parts.Query.typed(query)
	}
	if parts.Body != nil {
		body, err := jsonBody(r)
		if err != nil {
			return nil, err
		}
		if body != nil {
			given["body"] = body
		}
	}
	raw, err := contract.Encode(given)
	if err != nil {
		return nil, invalid("body", "is not JSON", "json")
	}
	checked, issues := in.validator.Check(raw)
	if len(issues) > 0 {
		return nil, in.fault(issues)
	}
	return in.complete(r, query, checked)
}

// typed is a query as JSON. A value that does not have its type stays text, which the schema then reports.
func (s *shape) typed(query url.Values) map[string]any {
	out := map[string]any{}
	for name, values := range query {
		kind := s.Properties[name].Type
		if kind == "array" || len(values) > 1 {
			out[name] = values
			continue
		}
		var value any = values[0]
		switch kind {
		case "integer", "number":
			if _, err := strconv.ParseFloat(values[0], 64); err == nil && json.Valid([]byte(values[0])) {
				value = json.Number(values[0])
			}
		case "boolean":
			if b, err := strconv.ParseBool(values[0]); err == nil && strconv.FormatBool(b) == values[0] {
				value = b
			}
		}
		out[name] = value
	}
	return out
}

// jsonBody is the body of a request, nil for none.
func jsonBody(r *http.Request) (json.RawMessage, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	body, err := io.ReadAll(r.Body) // The guard has taken it in, within its bounds.
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, nil
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != jsonType {
		return nil, errcode.UnsupportedMediaType{Supported: []string{jsonType}}.Err()
	}
	if !json.Valid(body) {
		return nil, invalid("body", "is not JSON", "json")
	}
	return body, nil
}

const jsonType = "application/json"

// fault is the answer to a request with these faults.
func (in *input) fault(issues []contract.Issue) error {
	if len(issues) == 1 {
		if own := in.op.ConstraintErrors[issues[0].Path+"/"+issues[0].Rule]; own != nil {
			return own()
		}
	}
	var items []errcode.ValidationFailedIssuesItem
	for _, i := range issues {
		items = append(items, errcode.ValidationFailedIssuesItem{Path: i.Path, Message: i.Message, Code: i.Rule})
	}
	return errcode.ValidationFailed{Issues: items}.Err()
}

// invalid is the answer to a request with one fault.
func invalid(path, message, code string) error {
	return errcode.ValidationFailed{Issues: []errcode.ValidationFailedIssuesItem{{Path: path, Message: message, Code: code}}}.Err()
}

// complete fills in the defaults of a valid request.
func (in *input) complete(r *http.Request, query url.Values, given json.RawMessage) (*http.Request, error) {
	out := r.WithContext(r.Context())
	if q := in.parts.Properties.Query; q != nil {
		for name, p := range q.Properties {
			if p.Default != nil && !query.Has(name) {
				query[name] = words(p.Default)
			}
		}
		where := *r.URL
		where.RawQuery = query.Encode()
		out.URL = &where
	}
	if b := in.parts.Properties.Body; b != nil {
		var checked struct{ Body json.RawMessage }
		if err := json.Unmarshal(given, &checked); err != nil {
			return nil, err
		}
		for name, p := range b.Properties {
			if p.Default == nil {
				continue
			}
			var err error
			if checked.Body, err = contract.SetAbsent(checked.Body, name, p.Default); err != nil {
				return nil, err
			}
		}
		out.Body = io.NopCloser(bytes.NewReader(checked.Body))
	}
	return out, nil
}

// words are the values of a default as a query has them.
func words(value json.RawMessage) []string {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) != nil {
		list = []json.RawMessage{value}
	}
	var out []string
	for _, v := range list {
		var text string
		if json.Unmarshal(v, &text) != nil {
			text = strings.TrimSpace(string(v))
		}
		out = append(out, text)
	}
	return out
}
