package settings

import (
	"maps"
	"math"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/browserhive/browserhive/internal/contract"
)

// Values have the Go types of gen/config: a parser either returns the exact value or a fault.

// fault describes why a value is refused.
type fault struct {
	got string // the offending text, "" to leave it out
	why string // what is wrong with it; "" when it does not have the accepted form
}

func wrong(got string) *fault { return &fault{got: got} }

// reason is the fault as a sentence without its full stop. It quotes nothing of a secret.
func (f *fault) reason(k *contract.Key) string {
	subject, why := "it", f.why
	switch {
	case f.got == "":
	case !k.Secret:
		subject = quote(f.got)
	case shapeOf(k.Grammar) == single:
		subject = "its value"
	default:
		subject = "one of its items"
	}
	if why == "" {
		why = "is not accepted; expected " + k.Expected
	}
	return subject + " " + why
}

const (
	whyEmpty     = "is empty; give it a value or leave it out"
	whyEmptyItem = "has an empty item"
	whyTwice     = "is there twice"
)

// shape is how a grammar breaks text up.
type shape int

const (
	single shape = iota
	several
	pairs
)

func shapeOf(grammar string) shape {
	switch grammar {
	case "list", "tokens", "proxies":
		return several
	case "map":
		return pairs
	}
	return single
}

// parseText reads the value of a flag or a variable.
func parseText(k *contract.Key, text string) (any, *fault) {
	if strings.TrimSpace(text) == "" {
		return nil, &fault{why: whyEmpty}
	}
	switch shapeOf(k.Grammar) {
	case several:
		return parseItems(k, splitTrimmed(text))
	case pairs:
		m, f := splitPairs(text)
		if f != nil {
			return nil, f
		}
		return parsePairs(k, m)
	}
	return parseSingle(k, text)
}

func splitTrimmed(text string) []string {
	items := strings.Split(text, ",")
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	return items
}

// splitPairs reads k=v,k2=v2, where the first = of a pair splits it.
func splitPairs(text string) (map[string]string, *fault) {
	m := map[string]string{}
	for _, item := range splitTrimmed(text) {
		name, value, ok := strings.Cut(item, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if item == "" {
			return nil, &fault{why: whyEmptyItem}
		}
		if !ok {
			return nil, wrong(item)
		}
		if _, again := m[name]; again {
			return nil, &fault{got: name, why: whyTwice}
		}
		m[name] = value
	}
	return m, nil
}

func parsePairs(k *contract.Key, m map[string]string) (any, *fault) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		value := m[name]
		switch {
		case strings.TrimSpace(name) == "" || strings.TrimSpace(value) == "":
			return nil, &fault{why: "has a pair without a name or without a value; expected " + k.Expected}
		case hasControl(name) || hasControl(value):
			return nil, &fault{why: "has a pair with a control character in it"}
		}
	}
	return m, nil
}

func parseItems(k *contract.Key, items []string) (any, *fault) {
	once := map[string]bool{}
	for _, item := range items {
		if strings.TrimSpace(item) == "" {
			return nil, &fault{why: whyEmptyItem}
		}
		var unique string
		switch {
		case k.Grammar == "tokens":
			m := tokenForm.FindStringSubmatch(item)
			if m == nil {
				return nil, wrong(item)
			}
			unique = m[1] // one token under two names would leave open who a caller is
		case k.Grammar == "proxies":
			if !isProxy(item) {
				return nil, wrong(item)
			}
		case len(k.Enum) > 0:
			if f := member(k, item); f != nil {
				return nil, f
			}
			unique = item
		case hasControl(item):
			return nil, wrong(item)
		}
		if unique != "" && once[unique] {
			return nil, &fault{got: item, why: whyTwice}
		}
		once[unique] = true
	}
	return items, nil
}

// tokenForm is name:token. The token has to fit into a list and into an Authorization header.
var tokenForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}:([!-+\--~]{32,})$`)

func member(k *contract.Key, s string) *fault {
	is := func(c contract.Choice) bool { return c.Value == s }
	if slices.ContainsFunc(k.Enum, is) {
		return nil
	}
	if i := slices.IndexFunc(k.Reserved, is); i >= 0 {
		return &fault{got: s, why: reserved(k.Reserved[i].Doc)}
	}
	return wrong(s)
}

// reserved says that a name is taken and what for; doc is a sentence.
func reserved(doc string) string {
	return "is reserved for a later release: " + strings.TrimSuffix(doc, ".")
}

// parseSingle reads a value that is neither a list nor a map.
func parseSingle(k *contract.Key, s string) (any, *fault) {
	v, f := parseUnbounded(k, s)
	if f != nil {
		return nil, f
	}
	if !within(k, v) {
		return nil, wrong(s)
	}
	return v, nil
}

// within checks the bounds of the contract.
func within(k *contract.Key, v any) bool {
	n, ok := number(v)
	if !ok || k.Grammar == "max_sessions" && v == unbounded {
		return true
	}
	bound := func(text string) float64 {
		b, _ := parseUnbounded(k, text)
		n, _ := number(b)
		return n
	}
	return (k.Min == "" || n >= bound(k.Min)) && (k.Max == "" || n <= bound(k.Max))
}

// number is a value in the unit of a bare number: milliseconds, bytes.
func number(v any) (n float64, ok bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case time.Duration:
		return float64(v) / float64(time.Millisecond), true
	}
	return 0, false
}

// unbounded is maxSessions=unbounded.
const unbounded = 0

var (
	wholeForm  = regexp.MustCompile(`^-?[0-9]+$`)
	numberForm = regexp.MustCompile(`^-?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$`)
	unitForm   = regexp.MustCompile(`^([0-9]+)([A-Za-z]*)$`)
)

func parseUnbounded(k *contract.Key, s string) (any, *fault) {
	switch k.Grammar {
	case "boolean":
		if b, ok := parseBoolean(s); ok {
			return b, nil
		}
	case "integer", "port":
		return parseWhole(s)
	case "max_sessions":
		if s == "unbounded" {
			return unbounded, nil
		}
		v, f := parseWhole(s)
		if v == unbounded {
			return nil, wrong(s)
		}
		return v, f
	case "number":
		if n, err := strconv.ParseFloat(s, 64); err == nil && numberForm.MatchString(s) {
			return n, nil
		}
	case "duration":
		n, f := parseUnits(s, durationUnits)
		return time.Duration(n), f
	case "bytes":
		n, f := parseUnits(s, byteUnits)
		return n, f
	case "enum":
		return s, member(k, s)
	case "host":
		return parseHost(s)
	case "url":
		return s, checkURL(s)
	case "levels":
		return parseLevels(s)
	case "path":
		return s, checkPath(s)
	case "string":
		if !hasControl(s) {
			return s, nil
		}
	default:
		panic("config: no grammar " + k.Grammar)
	}
	return nil, wrong(s)
}

func parseBoolean(s string) (value, ok bool) {
	switch strings.ToLower(s) {
	case "true", "1", "yes":
		return true, true
	case "false", "0", "no":
		return false, true
	}
	return false, false
}

func parseWhole(s string) (any, *fault) {
	if !wholeForm.MatchString(s) {
		return nil, wrong(s)
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return nil, &fault{got: s, why: whyLarge}
	}
	return n, nil
}

const whyLarge = "is too large"

// unit is a suffix and its size; the bare number comes first.
type unit struct {
	suffix string
	size   int64
}

var (
	durationUnits = []unit{
		{"", int64(time.Millisecond)}, {"ms", int64(time.Millisecond)}, {"s", int64(time.Second)},
		{"m", int64(time.Minute)}, {"h", int64(time.Hour)}, {"d", int64(24 * time.Hour)},
	}
	byteUnits = []unit{
		{"", 1}, {"B", 1}, {"KB", 1e3}, {"KiB", 1 << 10}, {"MB", 1e6}, {"MiB", 1 << 20}, {"GB", 1e9}, {"GiB", 1 << 30},
	}
)

func parseUnits(s string, units []unit) (int64, *fault) {
	m := unitForm.FindStringSubmatch(s)
	if m == nil {
		return 0, wrong(s)
	}
	i := slices.IndexFunc(units, func(u unit) bool { return u.suffix == m[2] })
	if i < 0 {
		return 0, wrong(s)
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil || n > math.MaxInt64/units[i].size {
		return 0, &fault{got: s, why: whyLarge}
	}
	return n * units[i].size, nil
}

// levels are those of logLevel, most severe first.
var levels = []string{"error", "warn", "info", "debug", "trace"}

var moduleForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`)

// parseLevels reads a level and levels of single modules, and returns them without spaces.
func parseLevels(s string) (any, *fault) {
	items := splitTrimmed(s)
	seen := map[string]bool{}
	for i, item := range items {
		module, level, scoped := strings.Cut(item, "=")
		if !scoped {
			module, level = "", item
		}
		if scoped == (i == 0) || scoped && !moduleForm.MatchString(module) || !slices.Contains(levels, level) {
			return nil, wrong(s)
		}
		if seen[module] {
			return nil, &fault{got: module, why: whyTwice}
		}
		seen[module] = true
	}
	return strings.Join(items, ","), nil
}

func checkPath(s string) *fault {
	if strings.ContainsRune(s, 0) {
		return wrong(s)
	}
	// Only a shell knows ~, and not in --flag=~/x; a directory of that name is never what was meant.
	if s == "~" || strings.HasPrefix(s, "~/") {
		return &fault{got: s, why: "begins with ~, which only a shell expands; write the home directory out"}
	}
	return nil
}

func isProxy(s string) bool {
	if p, err := netip.ParsePrefix(s); err == nil {
		return p.IsValid()
	}
	a, err := netip.ParseAddr(s)
	return err == nil && a.Zone() == ""
}

func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}
