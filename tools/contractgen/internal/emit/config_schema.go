package emit

import (
	"math"
	"strconv"
	"strings"

	"github.com/browserhive/browserhive/tools/contractgen/internal/load"
	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

// configSchemaURL identifies the schema of the config file; nothing has to be served there.
const configSchemaURL = "https://browserhive.ai/docs/config.schema.json"

// configSchema is the JSON Schema of browserhive.config.json. It refuses each value that the resolver
// refuses, as far as JSON Schema can say it: a test of internal/settings compares the two and lists the rest.
// Rules between keys are not in it, since flags and variables have a say in those.
func configSchema(m *model.Model) object {
	props := object{{"$schema", object{{"description", "Where this schema is; read by editors alone."}}}}
	for _, k := range m.Keys {
		if !k.File {
			continue
		}
		o := keySchema(k)
		o.set("description", k.Doc)
		if k.Default != nil {
			o.set("default", k.Default)
		} else if k.DerivedDoc != "" {
			o.set("x-derived", k.DerivedDoc)
		}
		var examples []any
		for _, e := range k.Examples {
			// That of a secret is a placeholder, which the server refuses so that nobody runs with it.
			if !k.Secret {
				examples = append(examples, fileForm(k, e))
			}
		}
		if len(examples) > 0 {
			o.set("examples", examples)
		}
		if k.Secret {
			o.set("x-secret", true)
		}
		if k.Runtime {
			o.set("x-runtime", true)
		}
		if k.Stage == model.Planned {
			o.set("x-stage", "planned")
		}
		props.set(k.Name, deprecated(o, k.Deprecated))
	}
	return object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"$id", configSchemaURL},
		{"title", "BrowserHive configuration"},
		{"description", "The contents of browserhive.config.json."},
		{"type", "object"},
		{"properties", props},
		{"additionalProperties", false},
		{"$defs", quantityForms()},
	}
}

// fileForm is a value that a flag would take as the file writes it.
func fileForm(k *model.Key, s string) any {
	switch k.Grammar {
	case "boolean":
		return s == "true"
	case "integer", "port", "max_sessions":
		if n, err := strconv.Atoi(s); err == nil {
			return n
		}
	case "number":
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			return num(f)
		}
	case "list", "tokens", "proxies":
		return strings.Split(s, ",")
	case "map":
		pairs := object{}
		for _, p := range strings.Split(s, ",") {
			key, value, _ := strings.Cut(p, "=")
			pairs.set(key, value)
		}
		return pairs
	}
	return s
}

// Patterns are written in what RE2 and ECMAScript have in common: no look-around, and \x for characters
// that JSON would hide. Each is anchored, because JSON Schema looks for a match anywhere.
const (
	space   = `[\t-\r\x85\p{Z}]`
	control = `\x00-\x1f\x7f`
	// line is text on one line that is not blank.
	line = `^[^` + control + `]*[^` + control + `\x85\p{Z}][^` + control + `]*$`

	octet  = `(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])`
	ipv4   = octet + `(?:\.` + octet + `){3}`
	hextet = `[0-9A-Fa-f]{1,4}`
	ipv6   = `(?:` +
		`(?:` + hextet + `:){7}` + hextet + `|` +
		`(?:` + hextet + `:){1,7}:|` +
		`(?:` + hextet + `:){1,6}:` + hextet + `|` +
		`(?:` + hextet + `:){1,5}(?::` + hextet + `){1,2}|` +
		`(?:` + hextet + `:){1,4}(?::` + hextet + `){1,3}|` +
		`(?:` + hextet + `:){1,3}(?::` + hextet + `){1,4}|` +
		`(?:` + hextet + `:){1,2}(?::` + hextet + `){1,5}|` +
		hextet + `:(?::` + hextet + `){1,6}|` +
		`:(?:(?::` + hextet + `){1,7}|:)|` +
		// The last two groups may be written as an IPv4 address.
		`(?:` + hextet + `:){6}` + ipv4 + `|` +
		`(?:` + hextet + `:){1,5}:` + ipv4 + `|` +
		`(?:` + hextet + `:){1,4}:` + hextet + `:` + ipv4 + `|` +
		`(?:` + hextet + `:){1,3}(?::` + hextet + `){1,2}:` + ipv4 + `|` +
		`(?:` + hextet + `:){1,2}(?::` + hextet + `){1,3}:` + ipv4 + `|` +
		hextet + `:(?::` + hextet + `){1,4}:` + ipv4 + `|` +
		`:(?::` + hextet + `){0,5}:` + ipv4 + `)`
	prefix4 = `(?:/(?:3[0-2]|[12]?[0-9]))?`
	prefix6 = `(?:/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9]))?`
	proxy   = `^(?:` + ipv4 + prefix4 + `|` + ipv6 + prefix6 + `)$`

	label    = `[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?`
	hostName = `^(?:` + label + `\.)*` + label + `$`
	address  = `^(?:` + ipv4 + `|` + ipv6 + `|\[` + ipv6 + `\])$`

	escaped = `%[0-9A-Fa-f][0-9A-Fa-f]`
	// A zone follows an escaped %.
	zone      = `(?:%25(?:[A-Za-z0-9_.~!$&'()*+,;=<>":-]|[^\x00-\x7f]|%20|%25)+)?`
	urlHost   = `(?:\[` + ipv6 + zone + `\]|(?:[A-Za-z0-9_.~!$&'()*+,;=<>"-]|[^\x00-\x7f]|%[89A-Fa-f][0-9A-Fa-f])+)`
	urlPath   = `(?:/(?:[^` + control + ` %?#]|` + escaped + `)*)?`
	urlQuery  = `(?:\?[^` + control + ` #]*)?`
	urlAnchor = `(?:#(?:[^` + control + ` %]|` + escaped + `)*)?`

	// token has to fit into a list and into an Authorization header.
	token = `^[A-Za-z0-9][A-Za-z0-9._-]{0,63}:[!-+\--~]{32,}$`

	level  = `(?:error|warn|info|debug|trace)`
	levels = `^` + space + `*` + level + space + `*(?:,` + space + `*[A-Za-z][A-Za-z0-9_.-]*=` + level + space + `*)*$`
)

// unit is a suffix and how many of the bare number it stands for.
type unit struct {
	suffix string
	size   int64
}

// Suffixes that values may have; the empty one is that of a bare number, milliseconds and bytes.
var (
	timeUnits = []unit{{"", 1}, {"ms", 1}, {"s", 1000}, {"m", 60_000}, {"h", 3_600_000}, {"d", 86_400_000}}
	sizeUnits = []unit{{"", 1}, {"B", 1}, {"KB", 1e3}, {"KiB", 1 << 10}, {"MB", 1e6}, {"MiB", 1 << 20}, {"GB", 1e9}, {"GiB", 1 << 30}}
)

// Largest values that fit: integers and sizes have 64 bits, durations count nanoseconds in as many.
const (
	largest     = math.MaxInt64
	longestTime = math.MaxInt64 / 1_000_000
)

func text(pattern string) object { return object{{"type", "string"}, {"pattern", pattern}} }

func anyOf(alternatives ...any) object { return object{{"anyOf", alternatives}} }

// bound reads a bound of a key, or returns what holds without one.
func bound(text string, otherwise int64) int64 {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	if n, err := load.Quantity(text); err == nil {
		return n
	}
	return otherwise
}

func integers(k *model.Key, low, high int64) object {
	return object{{"type", "integer"}, {"minimum", bound(k.Min, low)}, {"maximum", bound(k.Max, high)}}
}

// quantityForms are what durations and sizes look like as text, up to the largest that fits. They stand
// apart from the keys, whose own patterns are thus short enough to read.
func quantityForms() object {
	form := func(units []unit, most int64) object {
		return text(inUnits(units, func(size int64) string { return decimals(0, most/size) }))
	}
	return object{{"duration", form(timeUnits, longestTime)}, {"size", form(sizeUnits, largest)}}
}

func inUnits(units []unit, numbers func(size int64) string) string {
	var forms []string
	for _, u := range units {
		if n := numbers(u.size); n != "" {
			forms = append(forms, n+u.suffix)
		}
	}
	return `^0*(?:` + strings.Join(forms, "|") + `)$`
}

// quantity is a number with a unit, or a bare one.
func quantity(k *model.Key, form string, units []unit, most int64) object {
	o := object{{"type", "string"}, {"$ref", "#/$defs/" + form}}
	low := bound(k.Min, 0)
	if k.Min != "" || k.Max != "" {
		o.set("pattern", inUnits(units, func(size int64) string {
			// Rounded inwards: 64MiB is 67108.864KB, so 67109KB is the least.
			least := (low + size - 1) / size
			if k.Max == "" {
				return atLeast(least)
			}
			if last := bound(k.Max, most) / size; least <= last {
				return decimals(least, last)
			}
			return ""
		}))
	}
	return anyOf(o, integers(k, 0, most))
}

// keySchema is the schema of a key's value in the file.
func keySchema(k *model.Key) object {
	switch k.Grammar {
	case "boolean":
		return object{{"type", "boolean"}}
	case "integer", "port":
		return integers(k, math.MinInt64, largest)
	case "number":
		o := object{{"type", "number"}}
		for _, b := range [][2]string{{"minimum", k.Min}, {"maximum", k.Max}} {
			if f, err := strconv.ParseFloat(b[1], 64); err == nil {
				o.set(b[0], num(f))
			}
		}
		return o
	case "duration":
		return quantity(k, "duration", timeUnits, longestTime)
	case "bytes":
		return quantity(k, "size", sizeUnits, largest)
	case "enum":
		return object{{"type", "string"}, {"enum", choiceNames(k.Enum)}}
	case "list":
		if len(k.Enum) > 0 {
			return object{{"type", "array"}, {"items", object{{"type", "string"}, {"enum", choiceNames(k.Enum)}}}, {"uniqueItems", true}}
		}
		return object{{"type", "array"}, {"items", text(line)}}
	case "tokens":
		return object{{"type", "array"}, {"items", text(token)}, {"uniqueItems", true}}
	case "proxies":
		return object{{"type", "array"}, {"items", text(proxy)}}
	case "map":
		return object{{"type", "object"}, {"propertyNames", text(line)}, {"additionalProperties", text(line)}}
	case "max_sessions":
		return anyOf(integers(k, 1, largest), object{{"type", "string"}, {"const", "unbounded"}})
	case "url":
		return text(`^[Hh][Tt][Tt][Pp][Ss]?://` + urlHost + `(?::0*(?:` + decimals(1, math.MaxUint16) + `))?` + urlPath + urlQuery + urlAnchor + `$`)
	case "host":
		// A name that ends in digits is a mistyped address.
		name := append(text(hostName), object{{"maxLength", 253}, {"not", text(`(?:^|\.)[0-9]+$`)}}...)
		return anyOf(text(address), name)
	case "levels":
		return text(levels)
	case "path":
		// Only a shell knows ~.
		return append(text(`[^\t-\r\x85\p{Z}]`), member{"not", text(`^~(?:/|$)|\x00`)})
	}
	return text(line)
}
