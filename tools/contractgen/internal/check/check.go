// Package check holds the rules that concern the contract as a whole: names that must exist, values
// that must agree, texts that must be there. Each rule reports every place it finds.
package check

import (
	"fmt"
	"regexp"
	"sort"
	"strings"

	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

// Check returns all faults, in order of file and line.
func Check(m *model.Model) []model.Fault {
	c := &checker{m: m}
	c.fields()
	c.types()
	c.errors()
	c.tools()
	c.config()
	c.cli()
	c.http()
	c.ws()
	sort.SliceStable(c.faults, func(i, j int) bool {
		a, b := c.faults[i].Pos, c.faults[j].Pos
		if a.File != b.File {
			return a.File < b.File
		}
		return a.Line < b.Line
	})
	return c.faults
}

type checker struct {
	m      *model.Model
	faults []model.Fault
}

func (c *checker) fault(p model.Pos, msg string, args ...any) {
	c.faults = append(c.faults, model.Fault{Pos: p, Msg: fmt.Sprintf(msg, args...)})
}

func (c *checker) code(p model.Pos, who, code string) {
	if c.m.ErrorNamed(code) == nil {
		c.fault(p, "%s: no error '%s' in contracts/errors%s", who, code, c.near(code))
	}
}

// near suggests the declared code that differs least.
func (c *checker) near(code string) string {
	for _, e := range c.m.Errors {
		if strings.Contains(e.Code, code) || strings.Contains(code, e.Code) {
			return "; did you mean '" + e.Code + "'?"
		}
	}
	return ""
}

func (c *checker) scope(p model.Pos, who, scope string) {
	if scope == "" {
		return
	}
	for _, s := range c.m.Scopes {
		if s.Value == scope {
			return
		}
	}
	c.fault(p, "%s: no scope '%s' in http/scopes.yaml", who, scope)
}

func (c *checker) doc(p model.Pos, who, doc string) {
	if strings.TrimSpace(doc) == "" {
		c.fault(p, "%s: has no description", who)
	}
}

var (
	snake  = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	camel  = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)
	pascal = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	upper  = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`)
	tool   = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
)

// fields holds every field of the contract to the rules that need no context.
func (c *checker) fields() {
	c.m.EachField(func(f *model.Field) {
		who := f.Name
		if who == "" {
			who = "element"
		}
		if f.Pos.Line == 0 {
			return
		}
		if f.Name != "" && f.About() == "" && !isAlternativeOrElement(f) {
			c.fault(f.Pos, "%s: has no description", who)
		}
		t := f.Type.Base()
		if f.Type.Pattern != "" {
			if _, err := regexp.Compile(f.Type.Pattern); err != nil {
				c.fault(f.Pos, "%s: the pattern does not compile: %v", who, err)
			}
		}
		if f.Type.Kind == model.Ref && (len(f.Type.Enum) > 0 || f.Type.Const != nil) {
			c.fault(f.Pos, "%s: a named type carries its own values; drop 'enum' and 'const'", who)
		}
		if f.Default != nil {
			if msg := admits(t, f.Default); msg != "" {
				c.fault(f.Pos, "%s: the default %v %s", who, f.Default, msg)
			}
			if f.Optional {
				c.fault(f.Pos, "%s: has a default, so 'optional' says nothing", who)
			}
		}
		if f.Example != nil {
			if msg := admits(t, f.Example); msg != "" {
				c.fault(f.Pos, "%s: the example %v %s", who, f.Example, msg)
			}
		}
		if f.Code != "" {
			c.code(f.Pos, who, f.Code)
		}
		if f.Follows != "" && c.m.KeyNamed(f.Follows) == nil {
			c.fault(f.Pos, "%s: follows '%s', which is no configuration key", who, f.Follows)
		}
		c.once(t.Fields)
	})
}

func isAlternativeOrElement(f *model.Field) bool {
	return f.Name == "" || f.Name == "result" || f.Name == "response" || f.Name == "body"
}

func (c *checker) once(fields []*model.Field) {
	seen := map[string]bool{}
	for _, f := range fields {
		if seen[f.Name] {
			c.fault(f.Pos, "%s: stands twice", f.Name)
		}
		seen[f.Name] = true
	}
}

// admits says why a type does not admit a value, or "".
func admits(t *model.Type, v any) string {
	num, isNum := number(v)
	switch t.Kind {
	case model.String:
		s, ok := v.(string)
		if !ok {
			return "is not a string"
		}
		if len(t.Enum) > 0 && !member(t.Enum, s) {
			return "is not one of " + values(t.Enum)
		}
		if t.Pattern != "" {
			if re, err := regexp.Compile(t.Pattern); err == nil && !re.MatchString(s) {
				return "does not match " + t.Pattern
			}
		}
		if t.MinLength != nil && len([]rune(s)) < *t.MinLength {
			return "is too short"
		}
		if t.MaxLength != nil && len([]rune(s)) > *t.MaxLength {
			return "is too long"
		}
	case model.Integer, model.Number:
		if !isNum {
			return "is not a number"
		}
		if t.Kind == model.Integer && num != float64(int64(num)) {
			return "is not an integer"
		}
		if t.Min != nil && num < *t.Min {
			return fmt.Sprintf("is below %v", *t.Min)
		}
		if t.Max != nil && num > *t.Max {
			return fmt.Sprintf("is above %v", *t.Max)
		}
	case model.Boolean:
		if _, ok := v.(bool); !ok {
			return "is not true or false"
		}
	case model.Array:
		if _, ok := v.([]any); !ok {
			return "is not a list"
		}
	case model.Object, model.Map:
		if _, ok := v.(map[string]any); !ok {
			return "is not an object"
		}
	}
	return ""
}

func number(v any) (float64, bool) {
	switch x := v.(type) {
	case int:
		return float64(x), true
	case int64:
		return float64(x), true
	case float64:
		return x, true
	}
	return 0, false
}

func member(vs []model.EnumValue, s string) bool {
	for _, v := range vs {
		if v.Value == s {
			return true
		}
	}
	return false
}

func values(vs []model.EnumValue) string {
	var out []string
	for _, v := range vs {
		out = append(out, v.Value)
	}
	return strings.Join(out, ", ")
}

func (c *checker) types() {
	for _, n := range c.m.Types {
		if !pascal.MatchString(n.Name) {
			c.fault(n.Pos, "%s: a type is named in PascalCase", n.Name)
		}
		if !n.Lifted {
			c.doc(n.Pos, n.Name, n.Doc)
		}
		if c.cyclicAlias(n) {
			c.fault(n.Pos, "%s: the type names itself", n.Name)
		}
	}
}

// cyclicAlias finds a chain of references that never reaches a shape.
func (c *checker) cyclicAlias(n *model.Named) bool {
	t := n.Type
	for i := 0; t.Kind == model.Ref && t.Target != nil; i++ {
		if t.Target == n || i > len(c.m.Types) {
			return true
		}
		t = t.Target.Type
	}
	return false
}

var placeholder = regexp.MustCompile(`\{([^{}]*)\}`)

func (c *checker) errors() {
	for _, e := range c.m.Errors {
		if !upper.MatchString(e.Code) {
			c.fault(e.Pos, "%s: a code is written in UPPER_CASE", e.Code)
		}
		for what, s := range map[string]string{"title": e.Title, "message": e.Message, "hint": e.Hint, "cause": e.Cause, "resolution": e.Resolution} {
			if strings.TrimSpace(s) == "" {
				c.fault(e.Pos, "%s: has no %s", e.Code, what)
			}
		}
		have := map[string]bool{}
		for _, d := range e.Details {
			have[d.Name] = true
			if !snake.MatchString(d.Name) {
				c.fault(d.Pos, "%s.%s: a detail is named in snake_case", e.Code, d.Name)
			}
		}
		for _, ph := range placeholder.FindAllStringSubmatch(e.Message, -1) {
			if !have[ph[1]] {
				c.fault(e.Pos, "%s: the message uses {%s}, which is no detail", e.Code, ph[1])
			}
		}
		if (e.Category == "boot") != (e.Exit != nil) {
			c.fault(e.Pos, "%s: boot errors have an exit code, others have none", e.Code)
		}
	}
}

func (c *checker) tools() {
	for _, r := range c.m.SetRefs {
		c.code(r.Pos, "error set", r.Name)
	}
	seen := map[string]model.Pos{}
	for _, t := range c.m.Tools {
		if first, dup := seen[t.Name]; dup {
			c.fault(t.Pos, "tool '%s' is declared twice; the first is at %s", t.Name, first)
		}
		seen[t.Name] = t.Pos
		if !tool.MatchString(t.Name) {
			c.fault(t.Pos, "%s: a tool is named in snake_case", t.Name)
		}
		c.doc(t.Pos, t.Name, t.Doc)
		if !member(c.m.Capability, t.Capability) {
			c.fault(t.Pos, "%s: no capability '%s' in tools/catalogue.yaml", t.Name, t.Capability)
		}
		for _, e := range t.ErrorRefs {
			c.code(e.Pos, t.Name, e.Name)
		}
		c.once(t.Args)
		base := t.Result.Type.Base()
		switch {
		case base.Kind == model.Array && t.As == "":
			c.fault(t.Pos, "%s: the result is a list, so 'as' must name the property that wraps it", t.Name)
		case base.Kind != model.Array && t.As != "":
			c.fault(t.Pos, "%s: 'as' is for lists", t.Name)
		case base.Kind != model.Array && base.Kind != model.Object:
			c.fault(t.Pos, "%s: the result is an object or a list", t.Name)
		}
		for _, ph := range placeholder.FindAllStringSubmatch(t.Doc, -1) {
			if key, ok := strings.CutPrefix(ph[1], "config:"); ok && c.m.KeyNamed(key) == nil {
				c.fault(t.Pos, "%s: the description prints '%s', which is no configuration key", t.Name, key)
			}
		}
	}
}

var sources = map[string]bool{"cli": true, "file": true, "env": true, "env(otel)": true}

func (c *checker) config() {
	for _, k := range c.m.Keys {
		if !camel.MatchString(k.Name) {
			c.fault(k.Pos, "%s: a key is named in camelCase", k.Name)
		}
		if k.Grammar == "enum" && len(k.Enum) == 0 {
			c.fault(k.Pos, "%s: an enum needs members", k.Name)
		}
		if d, ok := k.Default.(string); ok && k.Grammar == "enum" && !member(k.Enum, d) {
			c.fault(k.Pos, "%s: the default %s is not one of %s", k.Name, d, values(k.Enum))
		}
		if k.Default != nil && len(k.DerivedFrom) > 0 {
			c.fault(k.Pos, "%s: has a default and is derived; keep one", k.Name)
		}
		for _, r := range k.Reserved {
			if member(k.Enum, r.Value) {
				c.fault(k.Pos, "%s: '%s' is both allowed and reserved", k.Name, r.Value)
			}
		}
	}
	for _, r := range c.m.Reserved {
		if k := c.m.KeyNamed(r.Value); k != nil {
			c.fault(k.Pos, "%s: the key is reserved", r.Value)
		}
	}
	for _, r := range c.m.Rules {
		c.code(r.Pos, r.Name, r.Code)
		c.doc(r.Pos, r.Name, r.Reason)
		if len(r.Need)+len(r.NeedAny) == 0 {
			c.fault(r.Pos, "%s: has neither 'need' nor 'need_any'", r.Name)
		}
		for _, cond := range append(append(append([]model.Cond{}, r.If...), r.Need...), r.NeedAny...) {
			if c.m.KeyNamed(cond.Key) == nil {
				c.fault(cond.Pos, "%s: no configuration key '%s'", r.Name, cond.Key)
			}
			if cond.BelowKey != "" && c.m.KeyNamed(cond.BelowKey) == nil {
				c.fault(cond.Pos, "%s: no configuration key '%s'", r.Name, cond.BelowKey)
			}
			for _, s := range cond.ExplicitBy {
				if !sources[s] {
					c.fault(cond.Pos, "%s: no source '%s' (cli, file, env, env(otel))", r.Name, s)
				}
			}
		}
	}
}

func (c *checker) cli() {
	for _, cmd := range c.m.Commands {
		c.doc(cmd.Pos, cmd.Name, cmd.Doc)
		for _, k := range cmd.Keys {
			if c.m.KeyNamed(k) == nil {
				c.fault(cmd.Pos, "%s: takes '%s', which is no configuration key", cmd.Name, k)
			}
		}
		for _, f := range cmd.Flags {
			if c.m.KeyNamed(f.Name) != nil && (cmd.AllKeys || in(cmd.Keys, f.Name)) {
				c.fault(f.Pos, "%s: the flag '%s' is a configuration key already", cmd.Name, f.Name)
			}
		}
	}
}

func in(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

var pathParam = regexp.MustCompile(`\{(\w+)\}`)

func (c *checker) http() {
	seen := map[string]model.Pos{}
	for _, o := range c.m.Operations {
		for _, id := range []string{o.ID, o.Method + " " + o.Path} {
			if first, dup := seen[id]; dup {
				c.fault(o.Pos, "operation '%s' is declared twice; the first is at %s", id, first)
			}
			seen[id] = o.Pos
		}
		c.doc(o.Pos, o.ID, o.Doc)
		c.scope(o.Pos, o.ID, o.Scope)
		for _, a := range o.Auth {
			switch a {
			case "cookie", "bearer", "grant", "public":
			default:
				c.fault(o.Pos, "%s: no authentication '%s' (cookie, bearer, grant, public)", o.ID, a)
			}
		}
		if len(o.Auth) == 0 {
			c.fault(o.Pos, "%s: says nothing about authentication; write [public] when it needs none", o.ID)
		}
		want := map[string]bool{}
		for _, p := range pathParam.FindAllStringSubmatch(o.Path, -1) {
			want[p[1]] = true
		}
		for _, p := range o.PathParams {
			if !want[p.Name] {
				c.fault(p.Pos, "%s: '%s' is not in the path", o.ID, p.Name)
			}
			delete(want, p.Name)
		}
		for p := range want {
			c.fault(o.Pos, "%s: the path has {%s}, path_params does not", o.ID, p)
		}
		for _, e := range o.ErrorRefs {
			c.code(e.Pos, o.ID, e.Name)
		}
		if len(o.Responses) == 0 {
			c.fault(o.Pos, "%s: has no success response", o.ID)
		}
		if o.List != nil {
			for _, need := range []string{o.List.Of, "Page", "FacetValue", "Applied", "ListMeta"} {
				if c.m.TypeNamed(need) == nil {
					c.fault(o.List.Pos, "%s: no type '%s' in contracts/types", o.ID, need)
				}
			}
			for _, s := range o.List.Sort {
				if !snake.MatchString(s) {
					c.fault(o.List.Pos, "%s: sort column '%s' is not in snake_case", o.ID, s)
				}
			}
		}
		c.once(o.Query)
	}
}

func (c *checker) ws() {
	w := &c.m.WS
	names := func(list []*model.Message) map[string]bool {
		out := map[string]bool{}
		for _, x := range list {
			if out[x.Name] {
				c.fault(x.Pos, "%s: stands twice", x.Name)
			}
			out[x.Name] = true
			c.doc(x.Pos, x.Name, x.Doc)
		}
		return out
	}
	replies, events, stream := names(w.Replies), names(w.Events), names(w.Stream)
	names(w.Commands)
	names(w.Inputs)
	for _, cmd := range w.Commands {
		c.scope(cmd.Pos, cmd.Name, cmd.Scope)
		if cmd.Reply != "" && !replies[cmd.Reply] {
			c.fault(cmd.Pos, "%s: no reply '%s'", cmd.Name, cmd.Reply)
		}
	}
	carried := map[string]bool{}
	for _, t := range w.Topics {
		c.scope(t.Pos, t.Name, t.Scope)
		for _, e := range t.Events {
			carried[e.Name] = true
			if !events[e.Name] {
				c.fault(e.Pos, "%s: no event '%s'", t.Name, e.Name)
			}
		}
		for _, e := range t.Stream {
			if !stream[e.Name] {
				c.fault(e.Pos, "%s: no stream message '%s'", t.Name, e.Name)
			}
		}
	}
	for _, e := range w.Events {
		if !carried[e.Name] {
			c.fault(e.Pos, "%s: no topic carries it", e.Name)
		}
	}
}
