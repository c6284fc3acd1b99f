// Package secret keeps the secrets that this process makes or handles out of what it writes: logs, rows,
// answers to others, exports.
package secret

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Hidden stands in the place of a secret.
const Hidden = "<redacted>"

// shortest is the length in bytes from which a secret is looked for. Anything shorter stands in ordinary
// text by chance, and scrubbing it would shred that.
const shortest = 6

// Redactor knows secrets and replaces them in text, as they are and as base64, hexadecimal digits, URL
// parts and JSON strings have them. Its methods may be called from several goroutines; a nil Redactor
// changes nothing.
type Redactor struct {
	mu    sync.Mutex
	known map[string]int // How often each was added.
	// replacer is made of known when it is first needed after a change; nil before.
	replacer atomic.Pointer[strings.Replacer]
}

// Add makes secrets known until forget is called, which may be never.
func (r *Redactor) Add(secrets ...string) (forget func()) {
	if r == nil {
		return func() {}
	}
	r.change(secrets, 1)
	return sync.OnceFunc(func() { r.change(secrets, -1) })
}

func (r *Redactor) change(secrets []string, by int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[string]int{}
	}
	for _, s := range secrets {
		if len(s) < shortest {
			continue
		}
		if r.known[s] += by; r.known[s] <= 0 {
			delete(r.known, s)
		}
	}
	r.replacer.Store(nil)
}

// Scrub returns the text with every known secret replaced.
func (r *Redactor) Scrub(text string) string {
	if r == nil || len(text) < shortest {
		return text
	}
	replacer := r.replacer.Load()
	if replacer == nil {
		replacer = r.build()
	}
	return replacer.Replace(text)
}

func (r *Redactor) build() *strings.Replacer {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := map[string]bool{}
	for s := range r.known {
		for _, form := range forms(s) {
			if len(form) >= shortest {
				found[form] = true
			}
		}
	}
	list := make([]string, 0, len(found))
	for form := range found {
		list = append(list, form)
	}
	// The longest first: of two that begin alike, the shorter would leave the rest of the other.
	slices.SortFunc(list, func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	pairs := make([]string, 0, 2*len(list))
	for _, form := range list {
		pairs = append(pairs, form, Hidden)
	}
	replacer := strings.NewReplacer(pairs...)
	r.replacer.Store(replacer)
	return replacer
}

// forms are the spellings in which a secret may stand in a text.
func forms(s string) []string {
	digits := hex.EncodeToString([]byte(s))
	out := []string{s, url.QueryEscape(s), url.PathEscape(s), strings.ReplaceAll(url.QueryEscape(s), "+", "%20"), digits, strings.ToUpper(digits)}
	inJSON := []string{s}
	for range 2 { // JSON, and JSON within JSON.
		var next []string
		for _, text := range inJSON {
			next = append(next, quoted(text, true), quoted(text, false))
		}
		out, inJSON = append(out, next...), next
	}
	return append(out, inBase64(s)...)
}

// quoted is the text as it stands between the quotes of a JSON string.
func quoted(s string, escapeHTML bool) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(escapeHTML)
	if err := e.Encode(s); err != nil {
		return s
	}
	text := strings.TrimSuffix(b.String(), "\n")
	return text[1 : len(text)-1]
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
