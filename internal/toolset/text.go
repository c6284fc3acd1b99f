package toolset

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/internal/contract"
)

// maxTextBytes bounds the long texts that are kept for a session, in bytes: room for two of the largest results
// of a script. The oldest go first; of a single text that is longer, the end is lost.
const maxTextBytes = 32 << 20

// textLifetime is how long a text is kept after it was last read. An agent reads on in one of its next calls,
// and a model may think for minutes between them.
const textLifetime = 10 * time.Minute

// maxNote bounds the note at the end of a part that says how to read on, in bytes.
const maxNote = 300

// texts keeps the results that are longer than an answer may be, so that what follows is of the same text
// and not of a page that has moved on. A cursor names a text and the place where to go on.
type texts struct {
	mu       sync.Mutex
	sessions map[owner][]*text // The newest last.
}

// owner is what texts are kept for: a session.
type owner interface {
	// Context ends when the session does.
	Context() context.Context
}

// text is a result of any length.
type text struct {
	kind   *textKind
	id     string
	url    string
	body   string // At most maxTextBytes.
	length int    // Of all of it, in characters.
	forget *time.Timer
}

// textKind is what the results of a tool are.
type textKind struct {
	tool string
	// note is how a part says what is missing.
	note string
	// lines has it cut between lines, unless a line alone is too long.
	lines bool
}

var (
	outlineText = &textKind{"snapshot", "\n# %s", true}
	htmlText    = &textKind{"get_content", "\n<!-- %s -->", false}
	jsonText    = &textKind{"evaluate", "\n[%s]", false}
)

// part is a piece of a text, as much as an answer may hold.
type part struct {
	url, text string
	truncated *bool   // true when something is missing after it
	cursor    *string // what reads on; nil when nothing follows that could be read
}

// read returns the part of a kept text that a cursor names, or without one the beginning of a fresh text.
// maxChars bounds the part, in addition to the limit of the contract. Errors: those of fresh, and
// INVALID_ARGUMENTS for a cursor of no text.
func (t *texts) read(s owner, kind *textKind, cursor *string, maxChars *int64, fresh func() (body, url string, err error)) (part, error) {
	if cursor != nil {
		return t.next(s, kind, *cursor, maxChars)
	}
	body, url, err := fresh()
	if err != nil {
		return part{}, err
	}
	x := &text{kind: kind, url: url, body: body}
	if x.end(0, maxChars) == len(body) {
		return part{url: url, text: body}, nil
	}
	x.id, x.length = rand.Text()[:8], utf8.RuneCountInString(body)
	if len(body) > maxTextBytes {
		x.body = body[:runeStart(body, maxTextBytes)]
	}
	t.keep(s, x)
	return x.part(0, maxChars), nil
}

func (t *texts) next(s owner, kind *textKind, cursor string, maxChars *int64) (part, error) {
	id, place, _ := strings.Cut(cursor, ".")
	from, err := strconv.Atoi(place)
	if x := t.find(s, kind, id); x != nil && err == nil && from > 0 && from < len(x.body) && utf8.RuneStart(x.body[from]) {
		return x.part(from, maxChars), nil
	}
	return part{}, invalid("cursor", fmt.Sprintf(
		"leads nowhere: %s gave no such cursor in this session, or its text is gone, because %.0f minutes have passed or newer long texts took its place; call %s without cursor",
		kind.tool, textLifetime.Minutes(), kind.tool,
	))
}

// find returns a text that is kept, and keeps it for longer, or nil.
func (t *texts) find(s owner, kind *textKind, id string) *text {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, x := range t.sessions[s] {
		if x.id == id && x.kind == kind {
			x.forget.Reset(textLifetime)
			return x
		}
	}
	return nil
}

// keep holds on to a text until its time has passed, the session ends, or newer ones need the room.
func (t *texts) keep(s owner, x *text) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sessions == nil {
		t.sessions = map[owner][]*text{}
	}
	kept, known := t.sessions[s]
	if !known {
		context.AfterFunc(s.Context(), func() { t.leave(s) })
	}
	x.forget = time.AfterFunc(textLifetime, func() { t.drop(s, x) })
	kept = append(kept, x)
	for size := sizeOf(kept); size > maxTextBytes; size = sizeOf(kept) {
		kept[0].forget.Stop()
		kept = slices.Delete(kept, 0, 1)
	}
	t.sessions[s] = kept
}

func sizeOf(list []*text) (size int) {
	for _, x := range list {
		size += len(x.body)
	}
	return size
}

// drop forgets a text of a session.
func (t *texts) drop(s owner, x *text) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if kept, known := t.sessions[s]; known {
		t.sessions[s] = slices.DeleteFunc(kept, func(other *text) bool { return other == x })
	}
}

// leave forgets a session that has ended.
func (t *texts) leave(s owner) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, x := range t.sessions[s] {
		x.forget.Stop()
	}
	delete(t.sessions, s)
}

// part cuts the piece of the text that begins at an offset.
func (x *text) part(from int, maxChars *int64) part {
	end := x.end(from, maxChars)
	p := part{url: x.url, text: x.body[from:end]}
	missing := x.length - utf8.RuneCountInString(x.body[:end])
	if missing == 0 {
		return p
	}
	p.truncated = contract.To(true)
	how := "they were too many to keep"
	if end < len(x.body) {
		if x.kind.lines && x.body[end] == '\n' {
			end++ // It stands between the parts.
		}
		p.cursor = contract.To(fmt.Sprintf("%s.%d", x.id, end))
		how = fmt.Sprintf("call %s with cursor %s to read on", x.kind.tool, *p.cursor)
	}
	p.text += fmt.Sprintf(x.kind.note, fmt.Sprintf("truncated: the last %d of %d characters are missing; %s", missing, x.length, how))
	return p
}

// end is where the piece that begins at an offset ends.
func (x *text) end(from int, maxChars *int64) int {
	rest := x.body[from:]
	length := len(rest)
	if length > tools.TextLimit {
		length = runeStart(rest, tools.TextLimit-maxNote)
	}
	if maxChars != nil {
		length = min(length, offset(rest, *maxChars))
	}
	if length == len(rest) {
		return len(x.body)
	}
	if i := strings.LastIndexByte(rest[:length+1], '\n'); x.kind.lines && i > 0 {
		length = i
	}
	return from + length
}

// offset is where a number of characters ends.
func offset(s string, characters int64) int {
	if int64(len(s)) <= characters {
		return len(s)
	}
	for i := range s {
		if characters == 0 {
			return i
		}
		characters--
	}
	return len(s)
}

// runeStart is the last offset at which a character begins, up to one.
func runeStart(s string, at int) int {
	for at > 0 && !utf8.RuneStart(s[at]) {
		at--
	}
	return at
}
