package settings

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/secret"
)

// show is a value as people and shadow lines see it: text that the grammar of the key reads back, "" when
// unset, and secret.Redacted for a secret that is set.
func show(k *contract.Key, v any) string {
	text := render(k, v)
	if k.Secret && text != "" {
		return secret.Redacted
	}
	return text
}

func render(k *contract.Key, v any) string {
	switch v := v.(type) {
	case []string:
		return strings.Join(v, ",")
	case map[string]string:
		var list []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			list = append(list, name+"="+v[name])
		}
		return strings.Join(list, ",")
	case time.Duration:
		if v%time.Millisecond != 0 { // only a Go program can set that
			return v.String()
		}
		return withUnit(int64(v), durationUnits)
	case int64:
		return withUnit(v, byteUnits)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case int:
		if k.Grammar == "max_sessions" && v == unbounded {
			return "unbounded"
		}
	}
	return fmt.Sprint(v)
}

// withUnit writes a number with the largest unit that divides it.
func withUnit(n int64, units []unit) string {
	best := units[1]
	for _, u := range units[1:] {
		if n != 0 && n%u.size == 0 && u.size > best.size {
			best = u
		}
	}
	return strconv.FormatInt(n/best.size, 10) + best.suffix
}

// quote shows foreign text in a message: one line, no control characters, at most 80 characters.
func quote(s string) string {
	const maxQuoted = 80
	var b strings.Builder
	b.WriteByte('\'')
	count := 0
	for _, r := range s {
		if count++; count > maxQuoted {
			b.WriteString("…")
			break
		}
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	b.WriteByte('\'')
	return b.String()
}
