package settings

import (
	"fmt"
	"math"
	"strings"
	"unicode"

	"github.com/hbollon/go-edlib"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
)

// unknownKey is the error for a name that does not exist; where is flag, option, environment or the file.
// A reserved name is refused as such.
func unknownKey(name, where string, names []string) *contract.Error {
	name = printable(name)
	for key, doc := range config.Reserved {
		if plain(key) == plain(name) {
			return errcode.ConfigInvalid{Key: key, Source: placeOf(name, where), Reason: "it " + reserved(doc)}.Err()
		}
	}
	detail := errcode.ConfigUnknownKey{Key: name, Source: where}
	near := suggest(name, names)
	if near != "" {
		detail.Suggestion = &near
	}
	err := detail.Err()
	if near != "" {
		err.Message += fmt.Sprintf(" Did you mean '%s'?", near)
	}
	return err
}

// placeOf names a setting like the sources of valid keys are named.
func placeOf(name, where string) string {
	switch where {
	case "flag", "environment":
		return name
	case "option":
		return "option " + name
	}
	return where + ": " + name
}

// printable keeps as much of a name as can belong to one, so that a mistyped --key:value does not put the
// value into a message.
func printable(name string) string {
	const maxPrinted = 60
	end := strings.IndexFunc(name, func(r rune) bool {
		return !(r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune("-_.$", r))
	})
	if end >= 0 || len(name) > maxPrinted {
		if end < 0 || end > maxPrinted {
			end = maxPrinted
		}
		return name[:end] + "…"
	}
	return name
}

// suggest returns the candidate that name was probably meant to be, or "".
func suggest(name string, candidates []string) string {
	typed := plain(name)
	if typed == "" {
		return ""
	}
	// The same letters in another style, such as --max-sessions.
	for _, c := range candidates {
		if plain(c) == typed {
			return c
		}
	}
	near, distance := nearest(typed, candidates)
	if distance <= 1+len(typed)/6 {
		return near
	}
	// Some words of a longer name, such as BROWSERHIVE_TOKEN for BROWSERHIVE_AUTH_TOKENS.
	var partial []string
	for _, c := range candidates {
		if containsWords(words(c), words(name)) {
			partial = append(partial, c)
		}
	}
	if len(partial) > 0 {
		near, _ = nearest(typed, partial)
		return near
	}
	if distance <= len(typed)/3 {
		return near
	}
	return ""
}

// nearest returns the candidate at the smallest edit distance, in which two letters exchanged are one slip as
// a letter too many, missing or wrong is; the first of several.
func nearest(typed string, candidates []string) (near string, distance int) {
	distance = math.MaxInt
	for _, c := range candidates {
		if d := edlib.OSADamerauLevenshteinDistance(typed, plain(c)); d < distance {
			near, distance = c, d
		}
	}
	return near, distance
}

// plain reduces the spellings of a name to its letters: --maxSessions and BROWSERHIVE_MAX_SESSIONS to
// maxsessions.
func plain(name string) string { return strings.Join(words(name), "") }

// words are the words of a name in lower case, without the prefix of our variables.
func words(name string) []string {
	name = strings.TrimPrefix(name, prefix)
	var out []string
	start := true
	for i, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			start = true
			continue
		case unicode.IsUpper(r) && i > 0 && unicode.IsLower(rune(name[i-1])):
			start = true
		}
		if start {
			out = append(out, "")
			start = false
		}
		out[len(out)-1] += string(unicode.ToLower(r))
	}
	return out
}

// containsWords reports whether each typed word is the beginning of a word of the name, or begins with one, so
// that singular and plural match.
func containsWords(name, typed []string) bool {
	const shortest = 3
	for _, t := range typed {
		found := false
		for _, n := range name {
			found = found || min(len(n), len(t)) >= shortest && (strings.HasPrefix(n, t) || strings.HasPrefix(t, n))
		}
		if !found {
			return false
		}
	}
	return len(typed) > 0
}

func names(of func(*contract.Key) string) []string {
	var out []string
	for i := range config.Keys {
		out = append(out, of(&config.Keys[i]))
	}
	return out
}

func keyNames() []string  { return names(func(k *contract.Key) string { return k.Name }) }
func flagNames() []string { return names(func(k *contract.Key) string { return k.Flag }) }
func envNames() []string  { return names(func(k *contract.Key) string { return k.Env }) }
