package check

import (
	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
	"github.com/browserhive/browserhive/tools/contractgen/internal/nearest"
)

// candidate is a thing of the family of one that is deprecated.
type candidate struct {
	name string
	gone bool // deprecated itself
}

// family lists things that may take each other's place.
func family[T any](list []T, of func(T) (string, *model.Deprecation)) []candidate {
	var out []candidate
	for _, x := range list {
		name, d := of(x)
		out = append(out, candidate{name, d != nil})
	}
	return out
}

// deprecations holds everything deprecated outside of fields to its family.
func (c *checker) deprecations() {
	of := func(what string, among []candidate) func(who string, d *model.Deprecation) {
		return func(who string, d *model.Deprecation) { c.deprecation(who, what, d, among) }
	}
	m := c.m
	check := of("type", family(m.Types, func(x *model.Named) (string, *model.Deprecation) { return x.Name, x.Deprecated }))
	for _, x := range m.Types {
		check(x.Name, x.Deprecated)
	}
	check = of("error", family(m.Errors, func(x *model.Error) (string, *model.Deprecation) { return x.Code, x.Deprecated }))
	for _, x := range m.Errors {
		check(x.Code, x.Deprecated)
	}
	check = of("tool", family(m.Tools, func(x *model.Tool) (string, *model.Deprecation) { return x.Name, x.Deprecated }))
	for _, x := range m.Tools {
		check(x.Name, x.Deprecated)
	}
	check = of("configuration key", family(m.Keys, func(x *model.Key) (string, *model.Deprecation) { return x.Name, x.Deprecated }))
	for _, x := range m.Keys {
		check(x.Name, x.Deprecated)
	}
	check = of("command", family(m.Commands, func(x *model.Command) (string, *model.Deprecation) { return x.Name, x.Deprecated }))
	for _, x := range m.Commands {
		check(x.Name, x.Deprecated)
	}
	check = of("operation", family(m.Operations, func(x *model.Operation) (string, *model.Deprecation) { return x.ID, x.Deprecated }))
	for _, x := range m.Operations {
		check(x.ID, x.Deprecated)
	}
	w := &m.WS
	for _, list := range [][]*model.Message{w.Commands, w.Replies, w.Events, w.Stream, w.Inputs} {
		check = of("message", family(list, func(x *model.Message) (string, *model.Deprecation) { return x.Name, x.Deprecated }))
		for _, x := range list {
			check(x.Name, x.Deprecated)
		}
	}
	if e := w.Envelope; e != nil && e.Deprecated != nil {
		c.fault(e.Deprecated.Pos, "%s: there is no other envelope to use", e.Name)
	}
}

func (c *checker) deprecation(who, what string, d *model.Deprecation, among []candidate) {
	if d == nil {
		return
	}
	if !version.MatchString(d.Since) {
		c.fault(d.Pos, "%s: deprecated since '%s', which is not a version such as 0.1.0", who, d.Since)
	}
	var known []string
	for _, x := range among {
		switch {
		case x.name != d.Use:
			known = append(known, x.name)
		case x.gone:
			c.fault(d.Pos, "%s: is deprecated for '%s', which is deprecated itself", who, d.Use)
			return
		default:
			return
		}
	}
	c.fault(d.Pos, "%s: is deprecated for the %s '%s', which there is not%s", who, what, d.Use, nearest.Hint(d.Use, known))
}
