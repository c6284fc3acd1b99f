package settings

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
)

// checkRules reports every rule between keys that the configuration breaks, in the order of the contract.
// It says nothing where a faulty setting or file leaves open what the values would be.
func (r *resolver) checkRules(res *Resolved) {
	if r.unread {
		return
	}
	for i := range config.Rules {
		rule := &config.Rules[i]
		keys := keysOf(rule)
		unsure := slices.ContainsFunc(keys, func(key string) bool { return r.failed[key] })
		if !unsure && res.breaks(rule) {
			r.errs = append(r.errs, res.violation(rule, keys))
		}
	}
}

func (r *Resolved) breaks(rule *contract.Rule) bool {
	for _, c := range rule.If {
		if !r.holds(c) {
			return false
		}
	}
	for _, c := range rule.Need {
		if !r.holds(c) {
			return true
		}
	}
	return len(rule.NeedAny) > 0 && !slices.ContainsFunc(rule.NeedAny, r.holds)
}

// holds reports whether every part of a condition is true.
func (r *Resolved) holds(c contract.Cond) bool {
	k, v := byName[c.Key], r.Config.Get(c.Key)
	if c.Is != nil && render(k, v) != fmt.Sprint(c.Is) {
		return false
	}
	if len(c.In) > 0 && !slices.Contains(c.In, render(k, v)) {
		return false
	}
	if c.Set != nil && isSet(v) != *c.Set {
		return false
	}
	if c.Explicit && !r.Explicit(c.Key) {
		return false
	}
	if len(c.ExplicitBy) > 0 && (!r.Explicit(c.Key) || !slices.Contains(c.ExplicitBy, string(r.settings[c.Key][0].source))) {
		return false
	}
	n, _ := number(v)
	if c.Above != nil && n <= *c.Above {
		return false
	}
	if c.BelowKey != "" {
		if limit, _ := number(r.Config.Get(c.BelowKey)); n >= limit {
			return false
		}
	}
	if c.Loopback != nil {
		if host, _ := v.(string); isLoopback(host) != *c.Loopback {
			return false
		}
	}
	return true
}

// isSet reports whether a value is neither zero nor an empty list or map.
func isSet(v any) bool {
	r := reflect.ValueOf(v)
	if k := r.Kind(); k == reflect.Slice || k == reflect.Map {
		return r.Len() > 0
	}
	return !r.IsZero()
}

func keysOf(rule *contract.Rule) []string {
	var keys []string
	for _, c := range slices.Concat(rule.If, rule.Need, rule.NeedAny) {
		for _, key := range []string{c.Key, c.BelowKey} {
			if key != "" && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// violation is the error for a broken rule. It blames the first key of the rule that somebody set, and
// shows all of them.
func (r *Resolved) violation(rule *contract.Rule, keys []string) error {
	switch rule.Code {
	case errcode.CodeAdminRequiresHTTP:
		return errcode.AdminRequiresHTTP{}.Err()
	case errcode.CodeInsecureBindRefused:
		return errcode.InsecureBindRefused{Host: r.Config.Host}.Err()
	}
	key, source := keys[0], "the defaults"
	if i := slices.IndexFunc(keys, r.Explicit); i >= 0 {
		key, source = keys[i], r.settings[keys[i]][0].where
	}
	var state []string
	for _, key := range keys {
		from := "by default"
		if r.Explicit(key) {
			from = "from " + r.settings[key][0].where
		}
		value := show(byName[key], r.Config.Get(key))
		if value == "" {
			state = append(state, key+" is not set")
			continue
		}
		state = append(state, fmt.Sprintf("%s=%s %s", key, value, from))
	}
	reason := fmt.Sprintf("%s (%s)", rule.Reason, strings.Join(state, ", "))
	return errcode.ConfigInvalid{Key: key, Source: source, Reason: reason}.Err()
}
