package check

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/browserhive/browserhive/tools/contractgen/internal/load"
	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

func (c *checker) keys() {
	once := c.once("key")
	for _, k := range c.m.Keys {
		once.add(k.Pos, k.Name)
		c.named(k.Pos, "a key", k.Name, camel, "camelCase")
		c.choices(k)
		c.values(k)
		if k.Default != nil && len(k.DerivedFrom) > 0 {
			c.fault(k.Pos, "%s: has a default and is derived; keep one", k.Name)
		}
	}
	for _, r := range c.m.Reserved {
		if k := c.m.KeyNamed(r.Value); k != nil {
			c.fault(k.Pos, "%s: the key is reserved in contracts/config/reserved.yaml", r.Value)
		}
	}
}

// choices holds the members of a key to its grammar.
func (c *checker) choices(k *model.Key) {
	if k.Grammar == "enum" && len(k.Enum) == 0 {
		c.fault(k.Pos, "%s: an enum needs members", k.Name)
	}
	if k.Grammar != "enum" && k.Grammar != "list" && len(k.Enum)+len(k.Reserved) > 0 {
		c.fault(k.Pos, "%s: 'enum' and 'reserved' go with the types enum and list", k.Name)
	}
	once := c.once("value")
	for _, v := range k.Enum {
		once.add(k.Pos, v.Value)
	}
	for _, r := range k.Reserved {
		if member(k.Enum, r.Value) {
			c.fault(k.Pos, "%s: '%s' is both allowed and reserved", k.Name, r.Value)
		}
	}
}

// values holds the bounds and the default of a key to its grammar.
func (c *checker) values(k *model.Key) {
	for _, b := range []struct{ what, text string }{{"min", k.Min}, {"max", k.Max}} {
		if b.text == "" {
			continue
		}
		if _, ok := amount(k.Grammar, b.text); !ok {
			c.fault(k.Pos, "%s: %s '%s' is not %s", k.Name, b.what, b.text, orBounded(k.Grammar))
		}
	}
	if k.Default == nil {
		return
	}
	if why := refusedDefault(k); why != "" {
		c.fault(k.Pos, "%s: the default %s %s", k.Name, show(k.Default), why)
	}
}

func orBounded(grammar string) string {
	switch grammar {
	case "integer", "port", "number", "duration", "bytes", "max_sessions":
		return "a value of type " + grammar
	}
	return "a bound that type " + grammar + " has"
}

// amount reads a value of the grammars that have an order.
func amount(grammar, s string) (float64, bool) {
	switch grammar {
	case "integer", "port", "max_sessions":
		n, err := strconv.Atoi(s)
		return float64(n), err == nil
	case "number":
		f, err := strconv.ParseFloat(s, 64)
		return f, err == nil
	case "duration", "bytes":
		n, err := load.Quantity(s)
		return float64(n), err == nil && unitOf(grammar).MatchString(s)
	}
	return 0, false
}

var (
	inTime = regexp.MustCompile(`^[0-9]+(ms|s|m|h|d)?$`)
	inSize = regexp.MustCompile(`^[0-9]+(B|KiB|MiB|GiB)?$`)
)

func unitOf(grammar string) *regexp.Regexp {
	if grammar == "bytes" {
		return inSize
	}
	return inTime
}

// refusedDefault says why a key does not take its default, or "".
func refusedDefault(k *model.Key) string {
	switch k.Grammar {
	case "boolean":
		if _, ok := k.Default.(bool); !ok {
			return "is not true or false"
		}
	case "integer", "port", "number", "duration", "bytes":
		n, ok := amount(k.Grammar, fmt.Sprint(k.Default))
		if !ok {
			return "is not a value of type " + k.Grammar
		}
		if least, ok := amount(k.Grammar, k.Min); ok && n < least {
			return "is below " + k.Min
		}
		if most, ok := amount(k.Grammar, k.Max); ok && n > most {
			return "is above " + k.Max
		}
	case "list", "tokens", "proxies":
		list, ok := k.Default.([]any)
		if !ok {
			return "is not a list"
		}
		for _, v := range list {
			if s, ok := v.(string); !ok || len(k.Enum) > 0 && !member(k.Enum, s) {
				return fmt.Sprintf("has the element %s, which is not one of %s", show(v), strings.Join(names(k.Enum), ", "))
			}
		}
	case "map":
		if m, ok := k.Default.(map[string]any); !ok || len(m) > 0 {
			return "is not the empty mapping {}"
		}
	case "max_sessions":
		if n, ok := number(k.Default); k.Default != "unbounded" && (!ok || n < 1 || n != float64(int64(n))) {
			return "is neither a whole number from 1 nor unbounded"
		}
	default:
		s, ok := k.Default.(string)
		switch {
		case !ok:
			return "is not a text"
		case len(k.Enum) > 0 && !member(k.Enum, s):
			return "is not one of " + strings.Join(names(k.Enum), ", ")
		}
	}
	return ""
}

func (c *checker) rules() {
	for _, r := range c.m.Rules {
		c.code(r.Pos, r.Name, r.Code)
		if e := c.m.ErrorNamed(r.Code); e != nil && e.Exit == nil {
			c.fault(r.Pos, "%s: a rule stops the start, so %s must be an error of the category boot", r.Name, r.Code)
		}
		c.doc(r.Pos, r.Name, r.Reason)
		if len(r.Need)+len(r.NeedAny) == 0 {
			c.fault(r.Pos, "%s: has neither 'need' nor 'need_any'", r.Name)
		}
		for _, list := range [][]model.Cond{r.If, r.Need, r.NeedAny} {
			for _, cond := range list {
				c.condition(r, cond)
			}
		}
	}
}

func (c *checker) condition(r *model.Rule, cond model.Cond) {
	if cond.BelowKey != "" {
		c.key(cond.Pos, r.Name, cond.BelowKey)
	}
	if cond.Is == nil && cond.In == nil && cond.Set == nil && !cond.Explicit && cond.ExplicitBy == nil &&
		cond.Above == nil && cond.BelowKey == "" && cond.Loopback == nil {
		c.fault(cond.Pos, "%s: the condition on '%s' asks nothing", r.Name, cond.Key)
	}
	k := c.key(cond.Pos, r.Name, cond.Key)
	if k == nil || len(k.Enum) == 0 {
		return
	}
	asked := cond.In
	if cond.Is != nil {
		asked = append(asked[:len(asked):len(asked)], fmt.Sprint(cond.Is))
	}
	for _, v := range asked {
		if !member(k.Enum, v) {
			c.fault(cond.Pos, "%s: '%s' is never '%s'; it is one of %s", r.Name, k.Name, v, strings.Join(names(k.Enum), ", "))
		}
	}
}

func (c *checker) commands() {
	once := c.once("command")
	for _, cmd := range c.m.Commands {
		once.add(cmd.Pos, cmd.Name)
		c.named(cmd.Pos, "a command", cmd.Name, spaced, "lower-case words")
		c.doc(cmd.Pos, cmd.Name, cmd.Doc)
		for _, k := range cmd.Keys {
			c.key(k.Pos, cmd.Name, k.Name)
		}
		args, optional := c.once("argument"), ""
		for _, a := range cmd.Args {
			args.add(a.Pos, a.Name)
			if optional != "" && a.Required() {
				c.fault(a.Pos, "%s: '%s' must be given, so it cannot follow '%s', which may be left out", cmd.Name, a.Name, optional)
			}
			if !a.Required() {
				optional = a.Name
			}
		}
		flags := c.once("flag")
		for _, f := range cmd.Flags {
			flags.add(f.Pos, f.Name)
			c.named(f.Pos, "a flag", f.Name, camel, "camelCase")
			if c.m.KeyNamed(f.Name) != nil {
				c.fault(f.Pos, "%s: the flag '%s' is a configuration key; list it under server_flags", cmd.Name, f.Name)
			}
		}
	}
	names, codes := c.once("exit code"), c.once("exit code")
	for _, e := range c.m.ExitCodes {
		names.add(e.Pos, e.Name)
		codes.add(e.Pos, strconv.Itoa(e.Code))
	}
}
