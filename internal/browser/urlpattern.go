package browser

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// URLPattern says which addresses a wait is for. It is matched here and not in the driver, in time linear
// in the address, because the driver's one thread serves every session on it.
type URLPattern struct {
	expression *regexp.Regexp
	shown      string
}

const (
	// patternSize bounds a pattern, in instructions of the compiled expression: one a character, and one
	// for each of their repetitions.
	patternSize = 4096
	// matchedLength bounds the addresses that can match, in bytes; a data: address may have megabytes.
	// With patternSize it keeps a match under a second.
	matchedLength = 32 << 10
)

// wildcards are what a glob's stand for, once it is quoted. Between two slashes there may be no segment.
var wildcards = strings.NewReplacer(`/\*\*/`, "/(?:.*/)?", `\*\*`, ".*", `\*`, "[^/]*")

// ParseURLGlob makes a pattern of an address in which * stands for any characters of one path segment and
// ** for any at all. Errors: INVALID_ARGUMENTS when it is too large.
func ParseURLGlob(glob string) (URLPattern, error) {
	expression := wildcards.Replace(regexp.QuoteMeta(glob))
	return compileURLPattern("url", "(?s)^"+expression+"$", recorded(glob))
}

// ParseURLRegexp makes a pattern of a regular expression that an address has to contain a match of, in the
// syntax of RE2. Its flags are any of i, m and s. Errors: INVALID_ARGUMENTS.
func ParseURLRegexp(expression, flags string) (URLPattern, error) {
	seen := ""
	for _, flag := range flags {
		if !strings.ContainsRune("ims", flag) || strings.ContainsRune(seen, flag) {
			return URLPattern{}, invalidArgument("url.flags", "give any of i, m and s, each once", nil)
		}
		seen += string(flag)
	}
	if flags != "" {
		expression = "(?" + flags + ")" + expression
	}
	return compileURLPattern("url.pattern", expression, "the regular expression")
}

func compileURLPattern(path, expression, shown string) (URLPattern, error) {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return URLPattern{}, invalidArgument(path, err.Error()+"; use the syntax of RE2, which has no look-around and no back-references", nil)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(program.Inst) > patternSize {
		return URLPattern{}, invalidArgument(path, "the pattern is too large", err)
	}
	compiled, err := regexp.Compile(expression)
	if err != nil {
		return URLPattern{}, invalidArgument(path, err.Error(), nil)
	}
	return URLPattern{expression: compiled, shown: shown}, nil
}

// Match reports whether the address matches. One that is an origin alone also matches without its slash.
func (u URLPattern) Match(address string) bool {
	if len(address) > matchedLength {
		return false
	}
	if u.expression.MatchString(address) {
		return true
	}
	origin, isOrigin := strings.CutSuffix(address, "/")
	return isOrigin && strings.Count(origin, "/") == 2 && u.expression.MatchString(origin)
}

// String names the pattern in an error, in the form that records keep.
func (u URLPattern) String() string { return u.shown }
