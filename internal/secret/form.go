package secret

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// minUnguessable is the length in bytes of the shortest text that nobody guesses, if it is not made of words.
const minUnguessable = 16

// unguessable reports whether a text may be looked for in answers: it is long, has a digit, and no blank.
// Sentences, media types and names of languages, which requests carry too, are not.
func unguessable(s string) bool {
	return len(s) >= minUnguessable && strings.ContainsAny(s, "0123456789") && !strings.ContainsAny(s, " \t\n")
}

// maxParts bounds how many parts of one secret are looked for by themselves: a Cookie header has some.
const maxParts = 8

// parts are a secret and those parts of it that are secrets by themselves: the token behind Bearer, the password
// within the digits behind Basic, the values of a Cookie header.
func parts(s string) (out []string) {
	if len(s) < minLength {
		return nil
	}
	out = append(out, s)
	for piece := range strings.FieldsFuncSeq(s, func(c rune) bool { return strings.ContainsRune(" \t\n,;=", c) }) {
		if len(out) <= maxParts && len(piece) < len(s) && unguessable(piece) {
			out = append(out, piece)
		}
	}
	if scheme, digits, ok := strings.Cut(s, " "); ok && strings.EqualFold(scheme, "basic") {
		if raw, err := base64.StdEncoding.DecodeString(digits); err == nil {
			if _, password, ok := strings.Cut(string(raw), ":"); ok && len(password) >= minLength {
				out = append(out, password)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// withUser finds addresses that have more than a host before their path.
var withUser = regexp.MustCompile(`://([^/?#\s"'<>@]+)@`)

// InAddresses are the passwords of the addresses within a text, or what stands alone in their place, such as
// a token, as they are and decoded.
func InAddresses(text string) (out []string) {
	if !strings.Contains(text, "@") {
		return nil
	}
	for _, found := range withUser.FindAllStringSubmatch(text, maxParts) {
		user, password, ok := strings.Cut(found[1], ":")
		if !ok {
			password = user
		}
		out = append(out, password)
		if plain, err := url.PathUnescape(password); err == nil && plain != password {
			out = append(out, plain)
		}
	}
	return out
}

// forms are the spellings of a secret that a text is searched for. Those that escape some of its characters
// are not among them, because the text is searched without its escapes, too; unless the secret is made of
// escapes itself, and too little would be left of it.
func forms(s string) []string {
	digits := hex.EncodeToString([]byte(s))
	out := append(inBase64(s), s, digits, strings.ToUpper(digits))
	if len(unescape(s)) < minLength {
		texts := []string{s}
		for range 2 { // JSON, and JSON within JSON.
			for _, text := range texts {
				texts = append(texts, inJSON(text, false), inJSON(text, true))
			}
		}
		for _, text := range texts {
			out = append(out, text, url.QueryEscape(text), url.PathEscape(text), html.EscapeString(text))
		}
	}
	for _, form := range slices.Clone(out) {
		out = append(out, unescape(form))
	}
	out = slices.DeleteFunc(out, func(form string) bool { return len(form) < minLength })
	slices.Sort(out)
	return slices.Compact(out)
}

// inJSON is a text as it stands between the quotes of a JSON string.
func inJSON(s string, escapeHTML bool) string {
	text := quoted(s, escapeHTML)
	return string(text[1 : len(text)-1])
}

// inBase64 are the digits that stand for a secret wherever it begins within what was encoded, such as
// behind the user name of Basic credentials. Digits that its neighbours have a part in are left out.
func inBase64(s string) (out []string) {
	for before := range 3 {
		data := append(make([]byte, before), s...)
		from, to := (before*8+5)/6, len(data)*8/6
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			out = append(out, encoding.EncodeToString(data)[from:to])
		}
	}
	return out
}
