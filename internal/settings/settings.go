// Package settings turns the command line, the config file, the environment and the defaults into one
// checked configuration, and remembers where each value came from. It is the only package that reads the
// environment of the process.
package settings

import (
	"os"
	"strings"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/internal/contract"
)

// FileName is the name of a config file that is found rather than named.
const FileName = "browserhive.config.json"

// Source says which kind of place a value came from.
type Source string

// Sources, strongest first. Programmatic options count as cli, because they take the place of flags.
const (
	FromCLI     Source = "cli"
	FromFile    Source = "file"
	FromEnv     Source = "env"       // a BROWSERHIVE_ variable
	FromOTel    Source = "env(otel)" // a standard OTEL_ variable
	FromDefault Source = "default"
	FromDerived Source = "derived" // from another key or from the host
)

// String is the source as shadow lines write it.
func (s Source) String() string {
	if s == FromFile {
		return "config-file"
	}
	return string(s)
}

// Shadowed is a value that a stronger source replaced.
type Shadowed struct {
	Source Source
	Value  string // as text; <redacted> for a secret
}

// Provenance is the value in force of one key, and where it came from.
type Provenance struct {
	Key    string
	Value  string // as text, "" when unset; <redacted> for a secret that is set
	Source Source
	// Origin is the flag, the variable or the path of the file; "" for defaults and derived values.
	Origin   string
	Shadowed []Shadowed // strongest first
}

// Resolved is a configuration and its history.
type Resolved struct {
	Config config.Config
	// File is the absolute path of the config file that was read, "" for none.
	File string
	// Provenance has one entry per key, in the order of the contract.
	Provenance []Provenance
	// Notes are lines for the operator, each beginning with "config: ": what shadows what, standard
	// variables that were ignored, settings that are deprecated and those whose feature is not built yet. No
	// secret is in them.
	Notes []string

	settings map[string][]setting // what was set, strongest first
}

// Explicit reports whether any source set the key.
func (r *Resolved) Explicit(key string) bool { return len(r.settings[key]) > 0 }

// Planned lists the keys whose feature is not built yet and that a flag, the file or a BROWSERHIVE_
// variable set, in the order of the contract. An OTEL_ variable was not written for BrowserHive and does
// not count.
func (r *Resolved) Planned() []string {
	var out []string
	for _, k := range config.Keys {
		if s := r.settings[k.Name]; k.Planned && len(s) > 0 && s[0].source != FromOTel {
			out = append(out, k.Name)
		}
	}
	return out
}

// Input is everything that a configuration depends on.
type Input struct {
	// Flags holds the text of settings from the command line by key, as Invocation.Settings has it.
	Flags map[string]string
	// Options holds settings of a Go program by key. They take the place of flags and have the types of
	// the config file, or the Go types of gen/config.
	Options map[string]any
	// ConfigFile, when not nil, takes the place of --config; "" means that no file is read.
	ConfigFile *string
	// Env is the environment, see Environ.
	Env map[string]string
	// Dir is the absolute working directory: relative paths of flags, options and variables begin there.
	Dir  string
	Host Host
	// AllowPortZero accepts port 0, for a free port.
	AllowPortZero bool
}

// Environ returns the environment of the process.
func Environ() map[string]string {
	env := map[string]string{}
	for _, pair := range os.Environ() {
		if name, value, ok := strings.Cut(pair, "="); ok && name != "" {
			env[name] = value
		}
	}
	return env
}

// prefix begins the name of every variable that is ours.
const prefix = "BROWSERHIVE_"

var (
	byName  = index(func(k *contract.Key) string { return k.Name })
	byEnv   = index(func(k *contract.Key) string { return k.Env })
	byAlias = index(func(k *contract.Key) string { return k.Alias })
)

func index(name func(*contract.Key) string) map[string]*contract.Key {
	m := map[string]*contract.Key{}
	for i := range config.Keys {
		if n := name(&config.Keys[i]); n != "" {
			m[n] = &config.Keys[i]
		}
	}
	return m
}
