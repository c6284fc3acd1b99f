package secret

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// segments say where the parts of an unescaped text come from.
type segments []segment

// segment is a run of unescaped text from out on. It stands for source.start to source.end: byte for byte if it is
// literal, else for an escape as one.
type segment struct {
	out     int
	source  span
	literal bool
}

// source is where a part of the unescaped text comes from, with all of each escape in it.
func (l segments) source(s span) span {
	// holding is the segment of the byte at i: the last that begins there, for the ones before are empty.
	holding := func(i int) segment {
		n, _ := slices.BinarySearchFunc(l, i, func(seg segment, at int) int {
			if seg.out <= at {
				return -1
			}
			return 1
		})
		return l[n-1]
	}
	first, last := holding(s.start), holding(s.end-1)
	out := span{first.source.start, last.source.end}
	if first.literal {
		out.start += s.start - first.out
	}
	if last.literal {
		out.end = last.source.start + s.end - last.out
	}
	return out
}

// layers are the segments of a text that was unescaped several times.
type layers []segments

func (l layers) source(s span) span {
	for _, one := range slices.Backward(l) {
		s = one.source(s)
	}
	return s
}

// maxLayers is how often a text is unescaped at most: a text in JSON in an address in JSON takes three.
const maxLayers = 4

// unescape is a text without its escapes: those of JSON at any depth, percent-encoding (a plus is a blank),
// and the entities of HTML. What an escaped secret becomes is what the secret becomes, which is what makes one
// find the other; it need not be the secret. A secret that its neighbour makes an escape of, such as 41 behind
// a percent sign, is missed if it is escaped itself, and so is one with a backslash before a percent-encoded
// byte, two escapes of which either may be the outer one.
func unescape(text string) string {
	for range maxLayers {
		plain, _ := unescapeOnce(text, false)
		if len(plain) == len(text) && plain == text {
			break
		}
		text = plain
	}
	return text
}

// locate is unescape with where everything comes from, which costs more than the rest.
func locate(text string) (string, layers) {
	var all layers
	for range maxLayers {
		plain, at := unescapeOnce(text, true)
		if at == nil {
			break
		}
		text, all = plain, append(all, at)
	}
	return text, all
}

func unescapeOnce(text string, located bool) (string, segments) {
	var out strings.Builder
	var at segments
	from := 0 // Of what is literal.
	for i := 0; i < len(text); {
		if !startsEscape[text[i]] {
			i++
			continue
		}
		var meant [utf8.UTFMax]byte
		taken, n := escape(text[i:], &meant)
		if taken == 0 {
			i++
			continue
		}
		if from == 0 {
			out.Grow(len(text))
		}
		if located {
			at = append(at, segment{out.Len(), span{from, i}, true}, segment{out.Len() + i - from, span{i, i + taken}, false})
		}
		out.WriteString(text[from:i])
		out.Write(meant[:n])
		i += taken
		from = i
	}
	if from == 0 {
		return text, nil
	}
	if located {
		at = append(at, segment{out.Len(), span{from, len(text)}, true})
	}
	out.WriteString(text[from:])
	return out.String(), at
}

// startsEscape has the bytes that an escape begins with.
var startsEscape = [256]bool{'\\': true, '%': true, '&': true, '+': true}

// escape reads the escape at the start of a text: how many bytes it takes, 0 for none, and the n bytes that
// it means.
func escape(text string, meant *[utf8.UTFMax]byte) (taken, n int) {
	switch text[0] {
	case '+':
		meant[0] = ' '
		return 1, 1
	case '%':
		i := 1
		for strings.HasPrefix(text[i:], "25") { // A percent sign that was encoded, once or more.
			i += 2
		}
		if b, ok := hexadecimal(text[i:], 2); ok {
			meant[0] = byte(b)
			return i + 2, 1
		}
		if i == 1 {
			return 0, 0
		}
		meant[0] = '%'
		return i, 1
	case '&':
		for _, e := range entities {
			if strings.HasPrefix(text[1:], e.name) {
				meant[0] = e.char
				return 1 + len(e.name), 1
			}
		}
		return 0, 0
	}
	return backslashes(text, meant)
}

var entities = []struct {
	name string
	char byte
}{{"amp;", '&'}, {"lt;", '<'}, {"gt;", '>'}, {"quot;", '"'}, {"#34;", '"'}, {"#39;", '\''}, {"apos;", '\''}}

var controls = [256]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f'}

// backslashes reads an escape of JSON, at whatever depth it was quoted.
func backslashes(text string, meant *[utf8.UTFMax]byte) (taken, n int) {
	i := 0
	for i < len(text) && text[i] == '\\' {
		i++
	}
	if i == len(text) {
		return i, 0
	}
	switch text[i] {
	case '"', '/':
		meant[0] = text[i]
		return i + 1, 1
	case 'n', 't', 'r', 'b', 'f':
		meant[0] = controls[text[i]]
		return i + 1, 1
	case 'u':
		r, ok := hexadecimal(text[i+1:], 4)
		if !ok {
			return i, 0
		}
		taken = i + 5
		if utf16.IsSurrogate(r) {
			rest := strings.TrimLeft(text[taken:], `\`)
			if low, ok := hexadecimal(strings.TrimPrefix(rest, "u"), 4); ok && strings.HasPrefix(rest, "u") {
				if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
					return len(text) - len(rest) + 5, utf8.EncodeRune(meant[:], pair)
				}
			}
		}
		return taken, utf8.EncodeRune(meant[:], r)
	}
	return i, 0
}

// hexadecimal reads so many digits.
func hexadecimal(text string, digits int) (v rune, ok bool) {
	if len(text) < digits {
		return 0, false
	}
	for i := range digits {
		digit := strings.IndexByte("0123456789abcdef", text[i]|0x20)
		if digit < 0 || text[i] < '0' { // The second would become a digit.
			return 0, false
		}
		v = v<<4 | rune(digit)
	}
	return v, true
}

// coverEscapes extends a part of a text that begins or ends within an escape of JSON to all of the escape, so that
// what is left of a document is valid.
func coverEscapes(text string, s span) span {
	for _, back := range []int{1, 2, 3, 4, 5} {
		if at := s.start - back; at >= 0 && text[at] == '\\' && escapes(text, at) && (back == 1 || text[at+1] == 'u') {
			s.start = at
			break
		}
	}
	if s.end < len(text) && text[s.end-1] == '\\' && escapes(text, s.end-1) && strings.IndexByte(`"\/bfnrtu`, text[s.end]) >= 0 {
		s.end++
	}
	return s
}

// escapes reports whether the backslash at i begins an escape, rather than being escaped itself.
func escapes(text string, i int) bool {
	before := len(text[:i]) - len(strings.TrimRight(text[:i], `\`))
	return before%2 == 0
}

// eachString changes the strings of a JSON document, names of members included.
func eachString(doc json.RawMessage, change func(string) string) json.RawMessage {
	out := make([]byte, 0, len(doc))
	for {
		start := bytes.IndexByte(doc, '"')
		if start < 0 {
			return append(out, doc...)
		}
		end := start + 1
		for end < len(doc) && doc[end] != '"' {
			if doc[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(doc))
		out = append(out, doc[:start]...)
		literal := doc[start:end]
		var text string
		if json.Unmarshal(literal, &text) == nil {
			if changed := change(text); changed != text {
				literal = quoted(changed, false)
			}
		}
		out = append(out, literal...)
		doc = doc[end:]
	}
}

// quoted is a text as a JSON string.
func quoted(s string, escapeHTML bool) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(escapeHTML)
	if err := e.Encode(s); err != nil {
		return []byte(`""`) // Never: a string always encodes.
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
