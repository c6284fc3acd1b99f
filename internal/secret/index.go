package secret

import (
	"cmp"
	"slices"
	"strings"
)

// index finds many texts in one pass: the first six bytes at each place are looked up in a filter that fits
// the nearest cache, and what passes it in a table. One pass over a megabyte takes some two milliseconds,
// with ten texts or ten thousand.
type index struct {
	// filter has a bit for the hash of each beginning, with 1 in 30 set at ten thousand texts.
	filter *[1 << filterBits / 64]uint64
	// set counts the beginnings of each bit.
	set map[uint64]int
	// texts are those with the same beginning, sorted.
	texts map[uint64][]*form
}

// form is a spelling of secrets.
type form struct {
	text string
	of   []*known
}

const filterBits = 18

func bitOf(head uint64) uint64 { return head * 0x9E3779B97F4A7C15 >> (64 - filterBits) }

// headOf is the first six bytes of a text.
func headOf(text string) (head uint64) {
	for i := range minLength {
		head |= uint64(text[i]) << (8 * i)
	}
	return head
}

func compare(f *form, text string) int { return cmp.Compare(f.text, text) }

// add makes a text of at least six bytes stand for a secret.
func (x *index) add(text string, of *known) {
	if x.filter == nil {
		x.filter, x.set, x.texts = new([1 << filterBits / 64]uint64), map[uint64]int{}, map[uint64][]*form{}
	}
	head := headOf(text)
	list := x.texts[head]
	i, exists := slices.BinarySearchFunc(list, text, compare)
	if exists {
		list[i].of = append(list[i].of, of)
		return
	}
	if len(list) == 0 {
		bit := bitOf(head)
		x.set[bit]++
		x.filter[bit/64] |= 1 << (bit % 64)
	}
	x.texts[head] = slices.Insert(list, i, &form{text, []*known{of}})
}

func (x *index) remove(text string, of *known) {
	head := headOf(text)
	list := x.texts[head]
	i, exists := slices.BinarySearchFunc(list, text, compare)
	if !exists {
		return
	}
	f := list[i]
	if f.of = slices.DeleteFunc(f.of, func(k *known) bool { return k == of }); len(f.of) > 0 {
		return
	}
	if list = slices.Delete(list, i, i+1); len(list) > 0 {
		x.texts[head] = list
		return
	}
	delete(x.texts, head)
	bit := bitOf(head)
	if x.set[bit]--; x.set[bit] == 0 {
		delete(x.set, bit)
		x.filter[bit/64] &^= 1 << (bit % 64)
	}
}

// span is a part of a text, from start to before end.
type span struct{ start, end int }

// find returns where the wanted texts stand: at each place the longest.
func (x *index) find(text string, wanted func(*known) bool) (found []span) {
	if len(text) < minLength {
		return nil
	}
	head, filter := headOf(text)<<8, x.filter
	for last := minLength - 1; last < len(text); last++ {
		head = head>>8 | uint64(text[last])<<(8*(minLength-1))
		bit := bitOf(head)
		if filter[bit/64]&(1<<(bit%64)) == 0 {
			continue
		}
		i := last - minLength + 1
		if n := longest(x.texts[head], text[i:], wanted); n > 0 {
			found = append(found, span{i, i + n})
		}
	}
	return found
}

// longest is the length of the longest wanted text of a sorted list that the rest begins with, 0 for none.
func longest(list []*form, rest string, wanted func(*known) bool) int {
	for len(list) > 0 {
		// All texts that the rest begins with are beginnings of the last one that is not behind it.
		n, exists := slices.BinarySearchFunc(list, rest, compare)
		if exists {
			n++
		}
		if n == 0 {
			return 0
		}
		list = list[:n]
		last := list[n-1]
		if !strings.HasPrefix(rest, last.text) {
			rest = rest[:commonPrefix(rest, last.text)]
		} else if slices.ContainsFunc(last.of, wanted) {
			return len(last.text)
		}
		list = list[:n-1]
	}
	return 0
}

// commonPrefix is the length of what both texts begin with.
func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// union puts parts in order, and makes one of those that overlap.
func union(parts []span) []span {
	slices.SortFunc(parts, func(a, b span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	out := parts[:0]
	for _, s := range parts {
		if n := len(out); n > 0 && s.start < out[n-1].end {
			out[n-1].end = max(out[n-1].end, s.end)
			continue
		}
		out = append(out, s)
	}
	return out
}
