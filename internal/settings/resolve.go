package settings

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
)

// Resolve returns the configuration, or its first problem as a *contract.Error with the code
// CONFIG_INVALID, CONFIG_UNKNOWN_KEY, ADMIN_REQUIRES_HTTP or INSECURE_BIND_REFUSED. It reads nothing but
// in and the config file, and changes nothing.
func Resolve(in Input) (*Resolved, error) {
	res, errs := ResolveAll(in)
	if len(errs) > 0 {
		return nil, errs[0]
	}
	return res, nil
}

// ResolveAll is Resolve that goes on after a problem. It returns every problem, those of flags first, then
// variables, the file, and the rules between keys, and the configuration without the faulty settings,
// which is never nil.
func ResolveAll(in Input) (*Resolved, []error) {
	r := newResolver(in)
	res := r.merge()
	r.checkRules(res)
	return res, r.errs
}

// setting is the value of a key in one source.
type setting struct {
	value  any
	source Source
	origin string // flag, variable or path of the file
	where  string // how messages name the place
}

// layer is what one source sets, by key.
type layer map[string]setting

type resolver struct {
	in      Input
	errs    []error
	failed  map[string]bool   // keys with a faulty setting
	unread  bool              // the config file could not be read
	ignored map[string]string // notes about OTEL_ variables, by key
}

func newResolver(in Input) *resolver {
	return &resolver{in: in, failed: map[string]bool{}, ignored: map[string]string{}}
}

func (r *resolver) reject(key, where, reason string) {
	r.failed[key] = true
	r.errs = append(r.errs, errcode.ConfigInvalid{Key: key, Source: where, Reason: reason}.Err())
}

// key returns the descriptor of a key as this input needs it.
func (r *resolver) key(k *contract.Key) *contract.Key {
	if k.Grammar == "port" && r.in.AllowPortZero {
		free := *k
		free.Min = "0"
		return &free
	}
	return k
}

// put adds a parsed value to a layer; relative paths begin at base.
func (r *resolver) put(l layer, k *contract.Key, s setting, base string, f *fault) {
	if f != nil {
		r.reject(k.Name, s.where, f.reason(k))
		return
	}
	if path, ok := s.value.(string); ok && k.Grammar == "path" && !filepath.IsAbs(path) {
		s.value = filepath.Join(base, path)
	}
	l[k.Name] = s
}

// commandLine reads flags and programmatic options.
func (r *resolver) commandLine() layer {
	l := layer{}
	for _, name := range slices.Sorted(maps.Keys(r.in.Flags)) {
		k := byName[name]
		if k == nil {
			r.errs = append(r.errs, unknownKey("--"+name, "flag", flagNames()))
			continue
		}
		v, f := parseText(r.key(k), r.in.Flags[name])
		r.put(l, k, setting{v, FromCLI, k.Flag, k.Flag}, r.in.Dir, f)
	}
	for _, name := range slices.Sorted(maps.Keys(r.in.Options)) {
		k := byName[name]
		if k == nil {
			r.errs = append(r.errs, unknownKey(name, "option", keyNames()))
			continue
		}
		v, f := parseJSON(r.key(k), fromGo(r.in.Options[name]))
		r.put(l, k, setting{v, FromCLI, "option " + name, "option " + name}, r.in.Dir, f)
	}
	if file := r.in.ConfigFile; file != nil {
		const origin = "option configFile"
		k, s := byName[config.KeyConfig], setting{"", FromCLI, origin, origin}
		if *file == "" { // shadows the variable
			l[k.Name] = s
			return l
		}
		var f *fault
		s.value, f = parseText(k, *file)
		r.put(l, k, s, r.in.Dir, f)
	}
	return l
}

// environment reads the variables that are ours, and the standard ones that stand for some keys.
func (r *resolver) environment() (ours, otel layer) {
	ours, otel = layer{}, layer{}
	for _, name := range slices.Sorted(maps.Keys(r.in.Env)) {
		text := r.in.Env[name]
		if k := byEnv[name]; k != nil {
			v, f := parseText(r.key(k), text)
			r.put(ours, k, setting{v, FromEnv, name, name}, r.in.Dir, f)
			continue
		}
		if strings.HasPrefix(name, prefix) {
			r.errs = append(r.errs, unknownKey(name, "environment", envNames()))
			continue
		}
		k := byAlias[name]
		if k == nil || strings.TrimSpace(text) == "" { // in OpenTelemetry's specification an empty value is none
			continue
		}
		// Such a variable is often set for all programs of a host, some of which accept more values; the
		// specification asks to warn and go on.
		v, f := parseAlias(r.key(k), text)
		if f != nil {
			r.ignored[k.Name] = fmt.Sprintf("config: %s is ignored: %s", name, f.reason(k))
			continue
		}
		r.put(otel, k, setting{v, FromOTel, name, name}, r.in.Dir, nil)
	}
	return ours, otel
}

// merge reads all sources and lays them over each other.
func (r *resolver) merge() *Resolved {
	cli := r.commandLine()
	env, otel := r.environment()
	file, path := r.file(cli, env)

	res := &Resolved{File: path, settings: map[string][]setting{}}
	for i := range config.Keys {
		k := &config.Keys[i]
		for _, l := range []layer{cli, file, env, otel} {
			if s, ok := l[k.Name]; ok {
				res.settings[k.Name] = append(res.settings[k.Name], s)
			}
		}
		if set := res.settings[k.Name]; len(set) > 0 {
			res.Config.Set(k.Name, set[0].value)
		} else if k.Default != nil {
			res.Config.Set(k.Name, defaultValue(k))
		}
	}
	r.derive(res)
	res.record()
	res.note(r.ignored, config.Keys)
	return res
}

// defaultValue is the default of the contract, which its compiler has checked.
func defaultValue(k *contract.Key) any {
	v, f := parseJSON(k, fromGo(k.Default))
	if f != nil {
		panic("config: default of " + k.Name + ": " + f.reason(k))
	}
	return v
}

// record fills Provenance.
func (r *Resolved) record() {
	for i := range config.Keys {
		k := &config.Keys[i]
		p := Provenance{Key: k.Name, Value: show(k, r.Config.Get(k.Name)), Source: FromDefault}
		if len(k.DerivedFrom) > 0 {
			p.Source = FromDerived
		}
		for i, s := range r.settings[k.Name] {
			if i == 0 {
				p.Source, p.Origin = s.source, s.origin
				continue
			}
			p.Shadowed = append(p.Shadowed, Shadowed{s.source, show(k, s.value)})
		}
		r.Provenance = append(r.Provenance, p)
	}
}

// note fills Notes.
func (r *Resolved) note(ignored map[string]string, keys []contract.Key) {
	for _, p := range r.Provenance {
		var weaker []string
		for _, s := range p.Shadowed {
			weaker = append(weaker, fmt.Sprintf("%v=%s", s.Source, s.Value))
		}
		if len(weaker) > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("config: %s=%s (%v) shadows %s", p.Key, p.Value, p.Source, strings.Join(weaker, ", ")))
		}
	}
	for _, p := range r.Provenance {
		if note, ok := ignored[p.Key]; ok && !r.Explicit(p.Key) {
			r.Notes = append(r.Notes, note)
		}
	}
	r.Notes = append(r.Notes, r.deprecated(keys)...)
	for _, key := range r.Planned() {
		r.Notes = append(r.Notes, fmt.Sprintf("config: %s is set, but its feature is not built yet", key))
	}
}

// deprecated has a line for each of the keys that is set and to be given up.
func (r *Resolved) deprecated(keys []contract.Key) []string {
	var out []string
	for _, k := range keys {
		if k.DeprecatedSince != "" && r.Explicit(k.Name) {
			out = append(out, fmt.Sprintf("config: %s is set by %s, and deprecated since %s; use %s instead",
				k.Name, r.settings[k.Name][0].where, k.DeprecatedSince, k.Use))
		}
	}
	return out
}
