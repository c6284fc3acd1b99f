// Package secret keeps the secrets that this process makes or handles out of what it writes and answers.
//
// A secret has owners: the server (tokens, passwords, settings) and the principals whose calls handed it
// over or whose sessions typed it. Two rules follow:
//
//   - What is kept or logged (rows, log lines, traces) holds no secret at all, whoever owns it: Scrub.
//   - An answer holds the secrets of its own caller alone: a script may read the field that it filled. The
//     server and every other principal are "other": ScrubFor. A token is the server's also for the principal
//     that it stands for, because the model that reads the answer never saw it. What an operator is shown
//     once, a new token or grant, is its own.
//
// A secret is found as it is, as base64 wherever it begins, as hexadecimal digits, percent-encoded in part
// or in whole, as a JSON string at any depth, and with the entities of HTML. Two bounds keep unrelated text
// as it is. Below six bytes a text is no secret here: it stands everywhere by chance. And in answers only what
// nobody guesses is looked for (see unguessable): one who may read the answer chose the text, so a word that
// comes back redacted would tell him that it is somebody's password, and a common word that one principal
// calls a secret would vanish from the pages of another.
//
// What is known is known while it is in use: a session's until it has ended and its last call is recorded. A
// trace that is finished after the session of somebody else has ended may show what that one had typed, if its
// page did.
//
// Exempt is what its owner asked to keep: saved logins and profiles, the profile of a session while it is
// kept, downloads, files written with save_path, and the generated password in its file. They are for the
// server's account alone (mode 0600), and no tool returns what a login holds. Pixels are not read.
package secret

import (
	"encoding/json"
	"strings"
	"sync"
)

// Redacted stands in the place of a secret, wherever one is left out.
const Redacted = "<redacted>"

// minLength is the length in bytes of the shortest secret that is looked for. Anything shorter stands in ordinary
// text by chance, and scrubbing it would shred that.
const minLength = 6

// server is the owner of what no principal owns, and no principal's name.
const server = "\x00"

// Redactor knows secrets and replaces them in text, in every spelling. Its methods may be called from
// several goroutines; a nil Redactor changes nothing.
type Redactor struct {
	mu    sync.RWMutex
	known map[string]*known
	index index
}

// known is a secret that is looked for.
type known struct {
	// owners says how often each holds it.
	owners map[string]int
	forms  []string
	// guessable ones are not looked for in answers.
	guessable bool
}

// Add makes secrets of the server known until forget is called, which may be never.
func (r *Redactor) Add(secrets ...string) (forget func()) { return r.AddFor(server, secrets...) }

// AddFor makes secrets of an owner known until forget is called, which may be never.
func (r *Redactor) AddFor(owner string, secrets ...string) (forget func()) {
	if r == nil {
		return func() {}
	}
	var all []string
	for _, s := range secrets {
		all = append(all, parts(s)...)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range all {
		r.hold(s, owner)
	}
	return sync.OnceFunc(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, s := range all {
			r.release(s, owner)
		}
	})
}

func (r *Redactor) hold(s, owner string) {
	k := r.known[s]
	if k == nil {
		if r.known == nil {
			r.known = map[string]*known{}
		}
		k = &known{owners: map[string]int{}, forms: forms(s), guessable: !unguessable(s)}
		r.known[s] = k
		for _, form := range k.forms {
			r.index.add(form, k)
		}
	}
	k.owners[owner]++
}

func (r *Redactor) release(s, owner string) {
	k := r.known[s]
	if k.owners[owner]--; k.owners[owner] == 0 {
		delete(k.owners, owner)
	}
	if len(k.owners) > 0 {
		return
	}
	delete(r.known, s)
	for _, form := range k.forms {
		r.index.remove(form, k)
	}
}

// Scrub returns the text with every known secret replaced.
func (r *Redactor) Scrub(text string) string {
	return r.replace(text, func(*known) bool { return true })
}

// ScrubFor returns the text, which answers a principal, with the secrets of all others replaced.
func (r *Redactor) ScrubFor(caller, text string) string { return r.replace(text, foreign(caller)) }

// foreign chooses what an answer to a principal must not hold.
func foreign(caller string) func(*known) bool {
	return func(k *known) bool { return !k.guessable && k.owners[caller] == 0 }
}

// ScrubJSONFor is ScrubFor within the strings of a JSON document, which stays one.
func (r *Redactor) ScrubJSONFor(caller string, doc json.RawMessage) json.RawMessage {
	wanted := foreign(caller)
	if len(r.find(string(doc), wanted)) == 0 { // As almost always.
		return doc
	}
	return eachString(doc, func(text string) string { return r.replace(text, wanted) })
}

func (r *Redactor) replace(text string, wanted func(*known) bool) string {
	found := r.find(text, wanted)
	if len(found) == 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	from := 0
	for _, s := range found {
		b.WriteString(text[from:s.start])
		b.WriteString(Redacted)
		from = s.end
	}
	b.WriteString(text[from:])
	return b.String()
}

// find returns where the wanted secrets stand, in order and apart.
func (r *Redactor) find(text string, wanted func(*known) bool) []span {
	if r == nil || len(text) < minLength {
		return nil
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	if len(r.known) == 0 {
		return nil
	}
	found := union(r.index.find(text, wanted))
	for i, s := range found {
		found[i] = coverEscapes(text, s)
	}
	if plain := unescape(text); plain != text && len(r.index.find(plain, wanted)) > 0 {
		plain, from := locate(text)
		for _, s := range r.index.find(plain, wanted) {
			found = append(found, from.source(s))
		}
	}
	return union(found)
}
