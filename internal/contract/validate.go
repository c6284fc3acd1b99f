package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/browserhive/browserhive/internal/secret"
)

// Issue is one fault in a value: where it is and what is wrong. Message never quotes the value, which
// may be a secret.
type Issue struct {
	Path    string `json:"path"`
	Message string `json:"message"`
	// Rule is the keyword of JSON Schema that the value breaks, such as required or maximum.
	Rule string `json:"-"`
}

// String is the form for people.
func (i Issue) String() string { return i.Path + ": " + i.Message }

// ValueError is a value that follows its schema, and that the type of generated code cannot hold.
type ValueError struct{ Issue Issue }

// Error never quotes the value.
func (e *ValueError) Error() string { return e.Issue.String() }

// Validator checks JSON values against one schema. It is safe for concurrent use.
type Validator struct{ schema *jsonschema.Schema }

// Compile makes a validator of a JSON Schema (2020-12). It is done once, at start.
func Compile(name string, schema json.RawMessage) (*Validator, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", name, err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	url := "contract:///" + name + ".json"
	if err := c.AddResource(url, doc); err != nil {
		return nil, fmt.Errorf("schema of %s: %w", name, err)
	}
	s, err := c.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", name, err)
	}
	return &Validator{s}, nil
}

// Check validates raw, an absent value being an empty object. It returns the value in the form that
// generated types decode: an integer written as 5.0 or 5e0 becomes 5. Issues are sorted by path.
func (v *Validator) Check(raw json.RawMessage) (json.RawMessage, []Issue) {
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, notJSON()
	}
	if issues := v.validate(doc); len(issues) > 0 {
		return nil, issues
	}
	if fixed, changed := integers(doc); changed {
		if raw, err = json.Marshal(fixed); err != nil {
			return nil, notJSON()
		}
	}
	return raw, nil
}

// Arguments validates arguments, and returns them with integers written as such, as Check does.
func (v *Validator) Arguments(a Arguments) (Arguments, []Issue) {
	if a.broken {
		return a, notJSON()
	}
	if issues := v.validate(a.value); len(issues) > 0 {
		return a, issues
	}
	a.value, _ = integers(a.value)
	return a, nil
}

func notJSON() []Issue { return []Issue{{Path: "", Message: "is not JSON", Rule: "json"}} }

func (v *Validator) validate(doc any) []Issue {
	err := v.schema.Validate(doc)
	if err == nil {
		return nil
	}
	var ve *jsonschema.ValidationError
	if !errors.As(err, &ve) {
		return []Issue{{Path: "", Message: "cannot be checked"}}
	}
	return issuesOf(ve)
}

// CheckValue validates a Go value as it will be encoded; for tests and for what the server answers.
func (v *Validator) CheckValue(value any) []Issue {
	raw, err := json.Marshal(value)
	if err != nil {
		return []Issue{{Message: "cannot be encoded: " + err.Error()}}
	}
	_, issues := v.Check(raw)
	return issues
}

// integers rewrites integers that are written as fractions or with an exponent.
func integers(v any) (any, bool) {
	changed := false
	switch x := v.(type) {
	case json.Number:
		if !strings.ContainsAny(string(x), ".eE") {
			return v, false
		}
		// A large exponent would make a number of that many digits.
		if f, err := x.Float64(); err != nil || f > 1<<62 || f < -1<<62 {
			return v, false
		}
		r, ok := new(big.Rat).SetString(string(x))
		if !ok || !r.IsInt() {
			return v, false
		}
		return json.Number(r.Num().String()), true
	case map[string]any:
		for k, e := range x {
			if n, c := integers(e); c {
				x[k], changed = n, true
			}
		}
	case []any:
		for i, e := range x {
			if n, c := integers(e); c {
				x[i], changed = n, true
			}
		}
	}
	return v, changed
}

// maxIssues bounds an answer: a hostile value can be wrong in more places than anyone reads.
const maxIssues = 20

func issuesOf(ve *jsonschema.ValidationError) []Issue {
	seen := map[Issue]bool{}
	var out []Issue
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		// Each branch of a union fails for its own reason. Together they would confuse, so the union is
		// reported as one issue.
		switch e.ErrorKind.(type) {
		case *kind.AnyOf, *kind.OneOf:
			out = addIssue(out, seen, Issue{pathOf(e.InstanceLocation), "has none of the allowed forms", "anyOf"})
			return
		}
		if len(e.Causes) > 0 {
			for _, c := range e.Causes {
				walk(c)
			}
			return
		}
		for _, i := range leaf(e) {
			out = addIssue(out, seen, i)
		}
	}
	walk(ve)
	sort.Slice(out, func(i, j int) bool {
		if out[i].Path != out[j].Path {
			return out[i].Path < out[j].Path
		}
		return out[i].Message < out[j].Message
	})
	if len(out) > maxIssues {
		out = out[:maxIssues]
	}
	return out
}

func addIssue(list []Issue, seen map[Issue]bool, i Issue) []Issue {
	if seen[i] {
		return list
	}
	seen[i] = true
	return append(list, i)
}

// pathOf is the dotted form of a JSON pointer: cookies.0.name.
func pathOf(at []string) string { return clip(strings.Join(at, ".")) }

func join(at []string, name string) string {
	if len(at) == 0 {
		return clip(name)
	}
	return clip(strings.Join(at, ".") + "." + name)
}

// maxPath bounds the names that a caller chose.
const maxPath = 200

func clip(s string) string {
	if utf8.RuneCountInString(s) <= maxPath {
		return s
	}
	return string([]rune(s)[:maxPath]) + "…"
}

func leaf(e *jsonschema.ValidationError) []Issue {
	at := e.InstanceLocation
	one := func(format string, args ...any) []Issue {
		return []Issue{{pathOf(at), fmt.Sprintf(format, args...), keyword(e)}}
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		var out []Issue
		for _, m := range k.Missing {
			out = append(out, Issue{join(at, m), "is required", keyword(e)})
		}
		return out
	case *kind.AdditionalProperties:
		var out []Issue
		for _, p := range k.Properties {
			out = append(out, Issue{join(at, p), "is not known", keyword(e)})
		}
		return out
	case *kind.Type:
		return one("must be %s, not %s", strings.Join(k.Want, " or "), k.Got)
	case *kind.Enum:
		return one("must be one of %s", list(k.Want))
	case *kind.Const:
		return one("must be %s", literalJSON(k.Want))
	case *kind.Pattern:
		return one("must match %s", k.Want)
	case *kind.Minimum:
		return one("must be at least %s", ratText(k.Want))
	case *kind.Maximum:
		return one("must be at most %s", ratText(k.Want))
	case *kind.MinLength:
		return one("must have at least %s", count(k.Want, "character"))
	case *kind.MaxLength:
		return one("must have at most %s", count(k.Want, "character"))
	case *kind.MinItems:
		return one("must have at least %s", count(k.Want, "item"))
	case *kind.MaxItems:
		return one("must have at most %s", count(k.Want, "item"))
	}
	return one("is not valid")
}

// keyword is the rule that a value breaks.
func keyword(e *jsonschema.ValidationError) string {
	if path := e.ErrorKind.KeywordPath(); len(path) > 0 {
		return path[len(path)-1]
	}
	return "schema"
}

func ratText(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func list(values []any) string {
	var out []string
	for _, v := range values {
		out = append(out, fmt.Sprint(v))
	}
	return strings.Join(out, ", ")
}

func literalJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "the one allowed value"
	}
	return string(b)
}

// Redact returns a copy of a JSON value in which the values at the paths are replaced. A path's steps
// are joined by a slash, * stands for every element or key. Text that is not JSON is replaced whole, because
// a secret may stand anywhere in it.
func Redact(raw json.RawMessage, paths []string) json.RawMessage {
	return ParseArguments(raw).Redacted(paths)
}

// redactedAt is the text of a decoded value without the values at the paths.
func redactedAt(v any, paths []string) json.RawMessage {
	for _, p := range paths {
		v = redact(v, strings.Split(p, "/"))
	}
	out, err := Encode(v)
	if err != nil {
		return redactedText()
	}
	return out
}

// redact returns a value without what is at a path, and leaves the one it was given as it is.
func redact(v any, steps []string) any {
	if len(steps) == 0 {
		if v == nil {
			return nil
		}
		return secret.Redacted
	}
	step, rest := steps[0], steps[1:]
	switch x := v.(type) {
	case map[string]any:
		out := maps.Clone(x)
		for k, e := range x {
			if step == "*" || step == k {
				out[k] = redact(e, rest)
			}
		}
		return out
	case []any:
		out := slices.Clone(x)
		for i, e := range x {
			if step == "*" || step == strconv.Itoa(i) {
				out[i] = redact(e, rest)
			}
		}
		return out
	}
	return v
}

// Strings returns the strings at the paths of a JSON value, as Redact would replace them.
func Strings(raw json.RawMessage, paths []string) []string {
	if len(paths) == 0 || len(raw) == 0 {
		return nil
	}
	return ParseArguments(raw).Strings(paths)
}

func stringsAt(v any, paths []string) (found []string) {
	for _, p := range paths {
		found = collect(found, v, strings.Split(p, "/"))
	}
	return found
}

// collect adds the strings at a path, and below it.
func collect(found []string, v any, steps []string) []string {
	switch x := v.(type) {
	case string:
		if len(steps) == 0 {
			found = append(found, x)
		}
	case map[string]any:
		for k, e := range x {
			switch {
			case len(steps) == 0:
				found = collect(found, e, nil)
			case steps[0] == "*" || steps[0] == k:
				found = collect(found, e, steps[1:])
			}
		}
	case []any:
		for i, e := range x {
			switch {
			case len(steps) == 0:
				found = collect(found, e, nil)
			case steps[0] == "*" || steps[0] == strconv.Itoa(i):
				found = collect(found, e, steps[1:])
			}
		}
	}
	return found
}
