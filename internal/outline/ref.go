package outline

import (
	"regexp"
	"strings"
)

// refPattern matches the forms in which an agent may write an element ref of a snapshot: e12 and,
// inside an iframe, f1e12, each also as ref=e12, aria-ref=e12, @e12 and [ref=e12].
var refPattern = regexp.MustCompile(`^(?:@|(?:aria-)?ref=|\[ref=)?((?:f[0-9]+)?e[0-9]+)(\]?)$`)

// Selector turns a selector as an agent writes it into one of the driver's, and reports whether it is a ref. A
// ref means an element of the last snapshot and nothing else: once that element is gone, the ref matches none.
func Selector(selector string) (resolved string, isRef bool) {
	selector = strings.TrimSpace(selector)
	match := refPattern.FindStringSubmatch(selector)
	if match == nil || strings.HasPrefix(selector, "[") != (match[2] != "") {
		return selector, false
	}
	return "aria-ref=" + match[1], true
}
