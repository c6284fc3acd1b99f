// Package check holds the rules that concern the contract as a whole: names that must exist, values
// that must agree, texts that must be there. Each rule reports every place it finds.
package check

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/browserhive/browserhive/tools/contractgen/internal/goname"
	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
	"github.com/browserhive/browserhive/tools/contractgen/internal/nearest"
)

// Check returns all faults, in order of file and line.
func Check(m *model.Model) []model.Fault {
	c := &checker{m: m}
	m.EachField(c.field)
	c.types()
	c.errors()
	c.tools()
	c.keys()
	c.rules()
	c.commands()
	c.operations()
	c.ws()
	c.deprecations()
	return model.SortFaults(c.faults)
}

type checker struct {
	m      *model.Model
	faults []model.Fault
}

func (c *checker) fault(p model.Pos, msg string, args ...any) {
	c.faults = append(c.faults, model.Fault{Pos: p, Msg: fmt.Sprintf(msg, args...)})
}

// code asks for an error that is declared.
func (c *checker) code(p model.Pos, who, code string) {
	if c.m.ErrorNamed(code) != nil {
		return
	}
	var known []string
	for _, e := range c.m.Errors {
		known = append(known, e.Code)
	}
	c.fault(p, "%s: no error '%s' in contracts/errors%s", who, code, nearest.Hint(code, known))
}

// key asks for a configuration key that is declared, and returns it.
func (c *checker) key(p model.Pos, who, key string) *model.Key {
	if k := c.m.KeyNamed(key); k != nil {
		return k
	}
	var known []string
	for _, k := range c.m.Keys {
		known = append(known, k.Name)
	}
	c.fault(p, "%s: no configuration key '%s' in contracts/config%s", who, key, nearest.Hint(key, known))
	return nil
}

func (c *checker) scope(p model.Pos, who, scope string) {
	if scope != "" && !member(c.m.Scopes, scope) {
		c.fault(p, "%s: no scope '%s' in contracts/http/scopes.yaml%s", who, scope, nearest.Hint(scope, names(c.m.Scopes)))
	}
}

func (c *checker) doc(p model.Pos, who, doc string) {
	if strings.TrimSpace(doc) == "" {
		c.fault(p, "%s: has no description", who)
	}
}

// once finds names that are declared twice, and different names that Go could not tell apart.
type once struct {
	c    *checker
	what string
	seen map[string]model.Pos
	goes map[string]string
}

func (c *checker) once(what string) *once {
	return &once{c, what, map[string]model.Pos{}, map[string]string{}}
}

func (o *once) add(p model.Pos, name string) {
	if first, dup := o.seen[name]; dup {
		o.c.fault(p, "%s '%s' is declared twice; the first is at %s", o.what, name, first)
		return
	}
	o.seen[name] = p
	if other, dup := o.goes[goname.Of(name)]; dup {
		o.c.fault(p, "%s '%s' and '%s' have the same name in Go, %s", o.what, name, other, goname.Of(name))
		return
	}
	o.goes[goname.Of(name)] = name
}

// named holds a name to the spelling of its kind.
func (c *checker) named(p model.Pos, what, name string, re *regexp.Regexp, style string) {
	if !re.MatchString(name) {
		c.fault(p, "%s: %s is named in %s", name, what, style)
	}
}

var (
	identifier = regexp.MustCompile(`^[A-Za-z$][A-Za-z0-9_-]*$`)
	snake      = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	camel      = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)
	pascal     = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	capitals   = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`)
	dotted     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*([._][a-z0-9]+)*$`)
	spaced     = regexp.MustCompile(`^[a-z][a-z0-9-]*( [a-z][a-z0-9-]*)*$`)
)

func member(list []model.EnumValue, s string) bool {
	for _, v := range list {
		if v.Value == s {
			return true
		}
	}
	return false
}

func names(list []model.EnumValue) []string {
	var out []string
	for _, v := range list {
		out = append(out, v.Value)
	}
	return out
}
