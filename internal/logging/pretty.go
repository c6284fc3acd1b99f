package logging

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
)

// pretty renders records as lines for people: time, level, module, message, attributes.
type pretty struct {
	mu     *sync.Mutex
	w      io.Writer
	color  bool
	module string
	attrs  []byte
	group  string
}

func newPretty(w io.Writer, color bool) *pretty {
	return &pretty{mu: &sync.Mutex{}, w: w, color: color}
}

func (p *pretty) Enabled(context.Context, slog.Level) bool { return true }

func (p *pretty) WithAttrs(attrs []slog.Attr) slog.Handler {
	next := *p
	b := bytes.NewBuffer(append([]byte{}, p.attrs...))
	for _, a := range attrs {
		if a.Key == ModuleKey && p.group == "" {
			next.module = a.Value.String()
			continue
		}
		appendAttr(b, p.group, a)
	}
	next.attrs = b.Bytes()
	return &next
}

func (p *pretty) WithGroup(name string) slog.Handler {
	next := *p
	next.group = p.group + name + "."
	return &next
}

func (p *pretty) Handle(_ context.Context, r slog.Record) error {
	var b bytes.Buffer
	b.WriteString(r.Time.Format("15:04:05.000 "))
	name := levelName(r.Level)
	if p.color {
		b.WriteString(map[string]string{"error": "\x1b[31m", "warn": "\x1b[33m", "info": "\x1b[32m"}[name])
	}
	b.WriteString(strings.ToUpper(name))
	if p.color {
		b.WriteString("\x1b[0m")
	}
	b.WriteString(strings.Repeat(" ", 6-len(name)))
	if p.module != "" {
		b.WriteString(p.module + ": ")
	}
	// A message may quote what a page or client sent, which must not make lines of its own.
	b.WriteString(strings.NewReplacer("\n", `\n`, "\r", `\r`, "\x1b", `\e`).Replace(r.Message))
	b.Write(p.attrs)
	r.Attrs(func(a slog.Attr) bool {
		appendAttr(&b, p.group, a)
		return true
	})
	b.WriteByte('\n')
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := p.w.Write(b.Bytes())
	return err
}

func appendAttr(b *bytes.Buffer, group string, a slog.Attr) {
	v := a.Value.Resolve()
	if v.Kind() == slog.KindGroup {
		for _, g := range v.Group() {
			appendAttr(b, group+a.Key+".", g)
		}
		return
	}
	s := v.String()
	if strings.ContainsAny(s, " \t\n\r\"=\x1b") || s == "" {
		s = strconv.Quote(s)
	}
	b.WriteString(" " + group + a.Key + "=" + s)
}
