// Package blocklist reads the operator's list of addresses that agents must not open, and says which rule
// an address meets. It knows nothing of browsers.
//
// A file has one rule per line; blank lines and what follows # at the start of a line are skipped. Rules
// ignore case, and * stands for any characters:
//
//	example.com                          the site, all its paths, any scheme and port
//	*.tracking.example                   its subdomains, not the site itself
//	https://intranet.example.org/admin/* one scheme and path
//	example.org/private/*                one path under any scheme
//	*doubleclick*                        the text anywhere in the address
package blocklist

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Bounds of a file. Each rule that is not a plain host costs every navigation a comparison; a hundred
// thousand hosts fit into some megabytes, and longer lines than any URL are mistakes.
const (
	MaxRules = 100_000
	maxGlobs = 5_000
	maxLine  = 2048
)

// Skipped is a line that does nothing, and why.
type Skipped struct {
	Line   int
	Text   string
	Reason string
}

// List is a set of rules. It does not change and is safe for concurrent use.
type List struct {
	hosts      map[string]string // host to rule
	subdomains map[string]string // domain to rule
	globs      []rule
	rules      []string
	skipped    []Skipped
}

type rule struct {
	text string
	// parts of the pattern between its asterisks, matched in order.
	parts []string
	// withScheme means that the pattern is compared with the address including its scheme.
	withScheme bool
}

var errTooMany = errors.New("the list has more rules than a blocklist may have")

// Parse reads a list. It fails when reading fails or the list has more than MaxRules rules; a line that
// makes no sense is skipped and reported.
func Parse(r io.Reader) (*List, error) {
	l := &List{hosts: map[string]string{}, subdomains: map[string]string{}}
	seen := map[string]int{}
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, long, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		text := strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		skip := func(reason string) { l.skipped = append(l.skipped, Skipped{n, text, reason}) }
		switch key := strings.ToLower(text); {
		case long:
			skip(fmt.Sprintf("longer than %d bytes", maxLine))
		case text == "" || text[0] == '#':
		case seen[key] > 0:
			skip(fmt.Sprintf("repeats line %d", seen[key]))
		default:
			if len(l.rules) == MaxRules {
				return nil, errTooMany
			}
			if reason := l.add(text); reason != "" {
				skip(reason)
				break
			}
			seen[key] = n
			l.rules = append(l.rules, text)
		}
		if errors.Is(err, io.EOF) {
			return l, nil
		}
	}
}

// readLine returns a line without its line break. Of a line that is too long it returns the beginning.
func readLine(in *bufio.Reader) (line string, long bool, err error) {
	var b strings.Builder
	for {
		part, err := in.ReadSlice('\n')
		if room := maxLine - b.Len(); len(part) > room+1 {
			long = true
			b.Write(part[:max(room, 0)])
		} else {
			b.Write(part)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return strings.TrimRight(b.String(), "\r\n"), long, err
	}
}

// add adds a rule to the table in which it will be looked up, or returns why it is not a rule.
func (l *List) add(text string) string {
	p := strings.ToLower(text)
	if strings.ContainsAny(p, " \t") {
		return "contains a blank"
	}
	if matchesAll(p) {
		return "would match every address"
	}
	scheme, rest, scoped := strings.Cut(p, "://")
	if !scoped {
		rest, scheme = p, ""
	}
	if !scoped && !strings.Contains(rest, "/") {
		if host, ok := plainHost(rest); ok {
			l.hosts[host] = text
			return ""
		}
		if domain, ok := strings.CutPrefix(rest, "*."); ok {
			if host, ok := plainHost(domain); ok {
				l.subdomains[host] = text
				return ""
			}
		}
	}
	if len(l.globs) == maxGlobs {
		return fmt.Sprintf("more than %d rules with wildcards or paths", maxGlobs)
	}
	if scoped {
		// A rule for a site alone means all its paths.
		if !strings.Contains(rest, "/") {
			rest += "/*"
		}
		l.globs = append(l.globs, rule{text: text, parts: strings.Split(scheme+"://"+rest, "*"), withScheme: true})
		return ""
	}
	if strings.HasPrefix(rest, "*") || !strings.Contains(rest, "/") {
		// What is not a host is looked for anywhere in the address.
		l.globs = append(l.globs, rule{text: text, parts: strings.Split(rest, "*"), withScheme: true})
		return ""
	}
	l.globs = append(l.globs, rule{text: text, parts: strings.Split(rest, "*")})
	return ""
}

// matchesAll reports whether a pattern would match every web address.
func matchesAll(p string) bool {
	for _, scheme := range []string{"https://", "http://", "*://", "http*://"} {
		p = strings.TrimPrefix(p, scheme)
	}
	return strings.Trim(p, "*./:?") == "" || p == "http*" || p == "https*"
}

// plainHost reads a host without wildcards, in the form that addresses are compared in.
func plainHost(s string) (string, bool) {
	if s == "" || strings.ContainsAny(s, "*?#@\\") {
		return "", false
	}
	a, ok := Normalise("http://" + s + "/")
	if !ok || a.Path != "/" {
		return "", false
	}
	if a.Port != "" {
		return a.Host + ":" + a.Port, true
	}
	return a.Host, true
}

// Match returns the rule that the address meets, and "" when it meets none. Addresses that are not of
// the web meet no rule.
func (l *List) Match(address string) (pattern string, blocked bool) {
	a, ok := Normalise(address)
	if !ok {
		return "", false
	}
	for _, host := range []string{a.Host, a.Host + ":" + a.portOrDefault()} {
		if text, hit := l.hosts[host]; hit {
			return text, true
		}
	}
	for rest := a.Host; ; {
		_, parent, more := strings.Cut(rest, ".")
		if !more {
			break
		}
		if text, hit := l.subdomains[parent]; hit {
			return text, true
		}
		rest = parent
	}
	full, bare := a.String(), a.withoutScheme()
	for _, r := range l.globs {
		in := bare
		if r.withScheme {
			in = full
		}
		if match(r.parts, in) {
			return r.text, true
		}
	}
	return "", false
}

// match reports whether the parts stand in s in order, the first at its start and the last at its end. It
// takes time proportional to the two lengths, whatever the pattern.
func match(parts []string, s string) bool {
	if len(parts) == 1 {
		return s == parts[0]
	}
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	last := len(parts) - 1
	for _, p := range parts[1:last] {
		i := strings.Index(s, p)
		if i < 0 {
			return false
		}
		s = s[i+len(p):]
	}
	return strings.HasSuffix(s, parts[last])
}

// Rules returns the rules in force, in the order of the file.
func (l *List) Rules() []string { return l.rules }

// Skipped returns the lines that do nothing.
func (l *List) Skipped() []Skipped { return l.skipped }
