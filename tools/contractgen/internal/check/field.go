package check

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

// field holds a field of the contract to the rules that need no context.
func (c *checker) field(f *model.Field) {
	who := f.Name
	if who == "" {
		who = "element"
	}
	if f.Name != "" && f.About() == "" && !unnamed[f.Name] {
		c.fault(f.Pos, "%s: has no description", who)
	}
	c.shape(f.Pos, who, f.Type)
	if f.Default != nil {
		if f.Optional {
			c.fault(f.Pos, "%s: has a default, so 'optional' says nothing", who)
		}
		c.admits(f.Pos, who, "default", f.Type, f.Default)
		if !plain(f.Default) {
			c.fault(f.Pos, "%s: a default is a text, a number, true, false, a list of these, or {}", who)
		}
	}
	if f.Example != nil {
		c.admits(f.Pos, who, "example", f.Type, f.Example)
	}
	if f.Type.Const != nil {
		c.admits(f.Pos, who, "const", &model.Type{Kind: f.Type.Kind}, f.Type.Const)
	}
	if d := f.Deprecated; d != nil {
		c.deprecation(who, "field", d, family(d.Among, func(x *model.Field) (string, *model.Deprecation) { return x.Name, x.Deprecated }))
	}
	if f.Code != "" {
		c.code(f.Pos, who, f.Code)
	}
	if f.Follows != "" {
		c.key(f.Pos, who, f.Follows)
	}
}

// unnamed are the names that the compiler gives to values which have none in the contract.
var unnamed = map[string]bool{"result": true, "response": true, "body": true}

// shape holds a type, without those inside it, to the rules that need no context.
func (c *checker) shape(p model.Pos, who string, t *model.Type) {
	if t.Pattern != "" {
		if _, err := regexp.Compile(t.Pattern); err != nil {
			c.fault(p, "%s: the pattern does not compile: %v", who, err)
		}
	}
	if t.Min != nil && t.Max != nil && *t.Min > *t.Max {
		c.fault(p, "%s: min %v is above max %v", who, *t.Min, *t.Max)
	}
	for _, b := range []struct {
		what     string
		min, max *int
	}{{"length", t.MinLength, t.MaxLength}, {"items", t.MinItems, t.MaxItems}} {
		if b.min != nil && b.max != nil && *b.min > *b.max {
			c.fault(p, "%s: min_%s %d is above max_%s %d", who, b.what, *b.min, b.what, *b.max)
		}
	}
	if t.Kind == model.Ref && t.Target != nil {
		if bound := foreignBound(t); bound != "" {
			c.fault(p, "%s: '%s' does not go with %s, which is %s", who, bound, t.Ref, article(t.Base().Kind))
		}
	}
	values := c.once("value")
	for _, v := range t.Enum {
		values.add(p, v.Value)
	}
	fields := c.once("field")
	for _, f := range t.Fields {
		if !identifier.MatchString(f.Name) {
			c.fault(f.Pos, "'%s': a field is named in letters, digits, '_' and '-'", f.Name)
			continue
		}
		fields.add(f.Pos, f.Name)
	}
}

func article(k model.Kind) string {
	if strings.ContainsRune("aeiou", rune(k[0])) {
		return "an " + string(k)
	}
	return "a " + string(k)
}

// foreignBound finds a bound on a named type that its kind gives no meaning, or "".
func foreignBound(t *model.Type) string {
	kind := t.Base().Kind
	number := kind == model.Integer || kind == model.Number
	for _, b := range []struct {
		key      string
		set, fit bool
	}{
		{"min", t.Min != nil, number}, {"max", t.Max != nil, number},
		{"pattern", t.Pattern != "", kind == model.String},
		{"min_length", t.MinLength != nil, kind == model.String}, {"max_length", t.MaxLength != nil, kind == model.String},
		{"min_items", t.MinItems != nil, kind == model.Array}, {"max_items", t.MaxItems != nil, kind == model.Array},
	} {
		if b.set && !b.fit && kind != model.Ref {
			return b.key
		}
	}
	return ""
}

// admits reports a value that a type does not admit.
func (c *checker) admits(p model.Pos, who, what string, t *model.Type, v any) {
	if why := refusal(t, v); why != "" {
		c.fault(p, "%s: the %s %s %s", who, what, show(v), why)
	}
}

// refusal says why a type does not admit a value, or "".
func refusal(t *model.Type, v any) string {
	if t.Kind == model.Ref {
		if t.Target == nil || t.Base().Kind == model.Ref {
			return "" // said elsewhere
		}
		if why := bounds(t, v); why != "" {
			return why
		}
		return refusal(t.Target.Type, v)
	}
	switch t.Kind {
	case model.String:
		if _, ok := v.(string); !ok {
			return "is not a text"
		}
	case model.Integer, model.Number:
		n, ok := number(v)
		if !ok {
			return "is not a number"
		}
		if t.Kind == model.Integer && n != float64(int64(n)) {
			return "is not a whole number"
		}
	case model.Boolean:
		if _, ok := v.(bool); !ok {
			return "is not true or false"
		}
	case model.Array:
		list, ok := v.([]any)
		if !ok {
			return "is not a list"
		}
		for _, e := range list {
			if t.Items == nil {
				break
			}
			if why := refusal(t.Items.Type, e); why != "" {
				return fmt.Sprintf("has the element %s, which %s", show(e), why)
			}
		}
	case model.Object, model.Map:
		if _, ok := v.(map[string]any); !ok {
			return "is not a mapping"
		}
	case model.Union:
		for _, a := range t.AnyOf {
			if refusal(a.Type, v) == "" {
				return ""
			}
		}
		return "has none of the allowed forms"
	default: // anything
	}
	if s, ok := v.(string); ok && len(t.Enum) > 0 && !member(t.Enum, s) {
		return "is not one of " + strings.Join(names(t.Enum), ", ")
	}
	return bounds(t, v)
}

// bounds says which bound of a type a value breaks, or "".
func bounds(t *model.Type, v any) string {
	if n, ok := number(v); ok {
		if t.Min != nil && n < *t.Min {
			return fmt.Sprintf("is below %v", *t.Min)
		}
		if t.Max != nil && n > *t.Max {
			return fmt.Sprintf("is above %v", *t.Max)
		}
	}
	if list, ok := v.([]any); ok {
		if t.MinItems != nil && len(list) < *t.MinItems {
			return fmt.Sprintf("has fewer than %d items", *t.MinItems)
		}
		if t.MaxItems != nil && len(list) > *t.MaxItems {
			return fmt.Sprintf("has more than %d items", *t.MaxItems)
		}
	}
	s, ok := v.(string)
	if !ok {
		return ""
	}
	if re, err := regexp.Compile(t.Pattern); err == nil && !re.MatchString(s) {
		return "does not match " + t.Pattern
	}
	if t.MinLength != nil && len([]rune(s)) < *t.MinLength {
		return fmt.Sprintf("is shorter than %d characters", *t.MinLength)
	}
	if t.MaxLength != nil && len([]rune(s)) > *t.MaxLength {
		return fmt.Sprintf("is longer than %d characters", *t.MaxLength)
	}
	return ""
}

// show writes a value as JSON, which is YAML too.
func show(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSpace(b.String())
}

// plain reports whether a default can be written as a literal in every language.
func plain(v any) bool {
	switch x := v.(type) {
	case []any:
		return !slices.ContainsFunc(x, func(e any) bool { return !plain(e) })
	case map[string]any:
		return len(x) == 0
	}
	return true
}

func number(v any) (float64, bool) {
	switch x := v.(type) {
	case int:
		return float64(x), true
	case float64:
		return x, true
	}
	return 0, false
}

func (c *checker) types() {
	once := c.once("type")
	for _, n := range c.m.Types {
		once.add(n.Pos, n.Name)
		c.named(n.Pos, "a type", n.Name, pascal, "PascalCase")
		if !n.Lifted {
			c.doc(n.Pos, n.Name, n.Doc)
		}
	}
	c.cycles()
}

// cycles finds types that hold themselves: tools and errors write shapes out in place, and a Go struct
// cannot hold itself.
func (c *checker) cycles() {
	const entered, left = 1, 2
	state := map[*model.Named]int{}
	var path []string
	var visit func(n *model.Named)
	visit = func(n *model.Named) {
		state[n] = entered
		path = append(path, n.Name)
		model.Walk([]*model.Field{{Type: n.Type}}, func(f *model.Field) {
			to := f.Type.Target
			switch {
			case to == nil || state[to] == left:
			case state[to] == entered:
				c.fault(f.Type.Pos, "%s: the type holds itself (%s)", to.Name, strings.Join(append(path, to.Name), " → "))
			default:
				visit(to)
			}
		})
		path = path[:len(path)-1]
		state[n] = left
	}
	for _, n := range c.m.Types {
		if state[n] == 0 {
			visit(n)
		}
	}
}
