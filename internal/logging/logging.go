// Package logging renders log records and decides which are kept. Records go to stderr, or to the
// terminal when the server has one; never to the stdout of a stdio transport.
package logging

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/browserhive/browserhive/internal/secret"
)

// LevelTrace is below debug: what is worth seeing only when a fault is being hunted.
const LevelTrace = slog.Level(-8)

// ModuleKey is the attribute that names the part of the server a record comes from.
const ModuleKey = "module"

var levels = map[string]slog.Level{
	"error": slog.LevelError, "warn": slog.LevelWarn, "info": slog.LevelInfo, "debug": slog.LevelDebug, "trace": LevelTrace,
}

// LevelOf is the level of a name of the configuration, such as "warn"; of an unknown one it is that of info.
func LevelOf(name string) slog.Level { return levels[name] }

// Levels decides which records are kept. It can change while the server runs.
type Levels struct{ spec atomic.Pointer[spec] }

type spec struct {
	text    string
	base    slog.Level
	modules map[string]slog.Level
	lowest  slog.Level
}

// ParseLevels reads a level spec such as "info,sessions=debug".
func ParseLevels(s string) (*Levels, error) {
	l := &Levels{}
	return l, l.Set(s)
}

// String is the spec in force.
func (l *Levels) String() string { return l.spec.Load().text }

// Set replaces the spec. A spec that does not parse changes nothing.
func (l *Levels) Set(s string) error { _, err := l.Swap(s); return err }

// Swap is Set that returns the spec that was in force until then.
func (l *Levels) Swap(s string) (before string, err error) {
	p, err := parseSpec(s)
	if err != nil {
		return "", err
	}
	if old := l.spec.Swap(p); old != nil {
		before = old.text
	}
	return before, nil
}

func parseSpec(s string) (*spec, error) {
	p := &spec{text: s, base: slog.LevelInfo, modules: map[string]slog.Level{}}
	for i, part := range strings.Split(s, ",") {
		module, name, scoped := strings.Cut(strings.TrimSpace(part), "=")
		if !scoped {
			name = module
		}
		level, ok := levels[name]
		if !ok || (!scoped && i > 0) || (scoped && module == "") {
			return nil, fmt.Errorf("%q is not a level", part)
		}
		if scoped {
			p.modules[module] = level
		} else {
			p.base = level
		}
	}
	p.lowest = p.base
	for _, v := range p.modules {
		p.lowest = min(p.lowest, v)
	}
	return p, nil
}

func (l *Levels) of(module string) slog.Level {
	p := l.spec.Load()
	if v, ok := p.modules[module]; ok {
		return v
	}
	return p.base
}

// Options say how records look.
type Options struct {
	Levels *Levels
	// JSON renders one object per line; otherwise lines are for people.
	JSON  bool
	Color bool
	// Secrets are kept out of every line; nil knows none.
	Secrets *secret.Redactor
	// Ring gets every record too; nil keeps none.
	Ring *Ring
}

// New returns a logger that writes to w.
func New(w io.Writer, o Options) *slog.Logger {
	w = scrubbed{w, o.Secrets}
	var h slog.Handler
	if o.JSON {
		h = slog.NewJSONHandler(w, &slog.HandlerOptions{Level: LevelTrace, ReplaceAttr: names})
	} else {
		h = newPretty(w, o.Color)
	}
	if o.Ring != nil {
		h = slog.NewMultiHandler(h, &keeper{ring: o.Ring, secrets: o.Secrets})
	}
	return slog.New(&filter{Handler: h, levels: o.Levels})
}

// scrubbed writes lines without secrets. It sees whole lines: a handler writes one at a time.
type scrubbed struct {
	w       io.Writer
	secrets *secret.Redactor
}

func (s scrubbed) Write(line []byte) (int, error) {
	if _, err := io.WriteString(s.w, s.secrets.Scrub(string(line))); err != nil {
		return 0, err
	}
	return len(line), nil
}

// names writes levels the way the configuration spells them.
func names(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.LevelKey {
		if l, ok := a.Value.Any().(slog.Level); ok {
			a.Value = slog.StringValue(levelName(l))
		}
	}
	return a
}

func levelName(l slog.Level) string {
	switch {
	case l >= slog.LevelError:
		return "error"
	case l >= slog.LevelWarn:
		return "warn"
	case l >= slog.LevelInfo:
		return "info"
	case l >= slog.LevelDebug:
		return "debug"
	}
	return "trace"
}

// filter drops records below the level of their module.
type filter struct {
	slog.Handler
	levels *Levels
	module string
}

func (f *filter) Enabled(_ context.Context, l slog.Level) bool { return l >= f.levels.of(f.module) }

func (f *filter) WithAttrs(attrs []slog.Attr) slog.Handler {
	next := &filter{Handler: f.Handler.WithAttrs(attrs), levels: f.levels, module: f.module}
	for _, a := range attrs {
		if a.Key == ModuleKey {
			next.module = a.Value.String()
		}
	}
	return next
}

func (f *filter) WithGroup(name string) slog.Handler {
	return &filter{Handler: f.Handler.WithGroup(name), levels: f.levels, module: f.module}
}
