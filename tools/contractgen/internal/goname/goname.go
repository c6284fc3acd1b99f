// Package goname makes exported Go names of contract names.
package goname

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// initialisms are written in capitals in Go names, as the language's style asks.
var initialisms = map[string]string{
	"id": "ID", "url": "URL", "http": "HTTP", "json": "JSON", "api": "API", "ws": "WS", "html": "HTML",
	"ui": "UI", "db": "DB", "uri": "URI", "ip": "IP", "tls": "TLS", "mcp": "MCP", "cdp": "CDP", "dom": "DOM",
	"ids": "IDs", "urls": "URLs", "ua": "UA", "cpu": "CPU", "otel": "OTel", "byo": "BYO",
}

// words splits snake_case, kebab-case, dotted and camelCase names.
func words(s string) []string {
	var out []string
	cur := ""
	flush := func() {
		if cur != "" {
			out = append(out, cur)
			cur = ""
		}
	}
	prev := rune(0)
	for _, r := range s {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
		case unicode.IsUpper(r) && prev != 0 && unicode.IsLower(prev):
			flush()
			cur += string(r)
		default:
			cur += string(r)
		}
		prev = r
	}
	flush()
	return out
}

// Of is the exported Go name of a contract name: session_id becomes SessionID. Different contract names
// can make the same Go name, which package check refuses.
func Of(s string) string {
	var b strings.Builder
	for _, w := range words(s) {
		lower := strings.ToLower(w)
		if in, ok := initialisms[lower]; ok {
			b.WriteString(in)
			continue
		}
		if w == strings.ToUpper(w) {
			w = lower
		}
		first, n := utf8.DecodeRuneInString(w)
		b.WriteRune(unicode.ToUpper(first))
		b.WriteString(w[n:])
	}
	name := b.String()
	if first, _ := utf8.DecodeRuneInString(name); !unicode.IsUpper(first) {
		name = "V" + name
	}
	return name
}
