package load

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

// parse reads the one document of a file.
func parse(file string, raw []byte) (*yaml.Node, []model.Fault) {
	fault := func(line, column int, msg string, args ...any) []model.Fault {
		return []model.Fault{{Pos: model.Pos{File: file, Line: line, Column: column}, Msg: fmt.Sprintf(msg, args...)}}
	}
	if line, column, what := strangeText(raw); what != "" {
		return nil, fault(line, column, "the text holds %s", what)
	}
	d := yaml.NewDecoder(bytes.NewReader(raw))
	var doc, next yaml.Node
	err := d.Decode(&doc)
	if err == nil {
		if err = d.Decode(&next); err == nil {
			return nil, fault(next.Line, next.Column, "a second document begins here; a file holds one")
		}
	}
	switch {
	case errors.Is(err, io.EOF) && len(doc.Content) == 0:
		return nil, fault(1, 1, "the file is empty")
	case !errors.Is(err, io.EOF):
		line, msg := lineOf(err.Error())
		return nil, fault(min(line, 1+bytes.Count(raw, []byte("\n"))), 1, "not YAML: %s", msg)
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Value == "" {
		return nil, fault(1, 1, "the file is empty")
	}
	return root, nil
}

// strangeText finds what would make the lines that YAML counts differ from those that an editor shows.
func strangeText(raw []byte) (line, column int, what string) {
	line, column = 1, 1
	for i := 0; i < len(raw); {
		r, n := utf8.DecodeRune(raw[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			return line, column, "a byte that is not UTF-8"
		case r == '\r' && !bytes.HasPrefix(raw[i+1:], []byte("\n")), r == '\u0085', r == '\u2028', r == '\u2029':
			return line, column, fmt.Sprintf("the line break %U; end lines with a newline", r)
		}
		i, column = i+n, column+1
		if r == '\n' {
			line, column = line+1, 1
		}
	}
	return 0, 0, ""
}

// lineOf takes the line out of the parser's own message.
func lineOf(msg string) (int, string) {
	msg = strings.TrimPrefix(msg, "yaml: ")
	if rest, ok := strings.CutPrefix(msg, "line "); ok {
		if num, text, ok := strings.Cut(rest, ": "); ok {
			if n, err := strconv.Atoi(num); err == nil && n > 0 {
				return n, text
			}
		}
	}
	return 1, msg
}

// maxDepth bounds nesting: the deepest honest contract has a dozen levels, and recursion over a
// hostile file must end.
const maxDepth = 64

// plain turns a node into JSON values and refuses what YAML allows beyond them, since it would mean
// one thing to a reader and another to a program.
func plain(file string, root *yaml.Node) (any, []model.Fault) {
	p := &plainer{file: file}
	return p.value("", root, root, 0), p.faults
}

type plainer struct {
	file   string
	faults []model.Fault
}

func (p *plainer) fault(n *yaml.Node, msg string, args ...any) {
	p.faults = append(p.faults, model.Fault{Pos: posOf(p.file, n), Msg: fmt.Sprintf(msg, args...)})
}

// value converts n, the value of the key name. holder is what to point at when there is nothing: an
// absent value may stand behind the end of the file.
func (p *plainer) value(name string, holder, n *yaml.Node, depth int) any {
	switch {
	case depth > maxDepth:
		p.fault(n, "%s: nested deeper than %d levels", orFile(name), maxDepth)
		return nil
	case n.Kind == yaml.AliasNode || n.Anchor != "" || n.Tag == "!!merge":
		p.fault(n, "%s: anchors and aliases are not used in contracts; write the value out", orFile(name))
		return nil
	case n.Style&yaml.TaggedStyle != 0:
		p.fault(n, "%s: tags such as %s are not used in contracts", orFile(name), n.Tag)
		return nil
	}
	switch n.Kind {
	case yaml.MappingNode:
		out, first := map[string]any{}, map[string]*yaml.Node{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, v := n.Content[i], n.Content[i+1]
			if k.Kind != yaml.ScalarNode || k.Value == "" || strings.ContainsAny(k.Value, "\n") {
				p.fault(k, "a key is a word or a number")
				continue
			}
			if prev := first[k.Value]; prev != nil {
				p.fault(k, "'%s' stands twice; the first is on line %d", k.Value, prev.Line)
				continue
			}
			first[k.Value] = k
			p.value(k.Value, n, k, depth+1)
			out[k.Value] = p.value(k.Value, k, v, depth+1)
		}
		return out
	case yaml.SequenceNode:
		out := []any{}
		for _, c := range n.Content {
			out = append(out, p.value(name, n, c, depth+1))
		}
		return out
	default:
		return p.scalar(name, holder, n)
	}
}

func (p *plainer) scalar(name string, holder, n *yaml.Node) any {
	var v any
	if err := n.Decode(&v); err != nil {
		_, msg := lineOf(err.Error())
		p.fault(n, "%s: cannot be read: %s", orFile(name), msg)
		return nil
	}
	switch x := v.(type) {
	case nil:
		p.fault(holder, "%s: has no value; leave it out", orFile(name))
	case int:
		return float64(x)
	case int64:
		return float64(x)
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			p.fault(n, "%s: %s is not a number that JSON can write", orFile(name), n.Value)
			return nil
		}
		return x
	case bool, string:
		return x
	default:
		// A date, or an integer too large for any field.
		p.fault(n, "%s: YAML reads %s as something other than text; put it in quotes", orFile(name), n.Value)
	}
	return nil
}

func posOf(file string, n *yaml.Node) model.Pos {
	if n == nil {
		return model.Pos{File: file, Line: 1, Column: 1}
	}
	return model.Pos{File: file, Line: n.Line, Column: n.Column}
}

// place is where a path of keys leads.
type place struct {
	key, value *yaml.Node // key is the last mapping key on the way, nil at the root
	name       string     // of key
}

// node is what a message about the whole value points at: its key, or the element of a list.
func (p place) node() *yaml.Node {
	if p.key != nil {
		return p.key
	}
	return p.value
}

// locate follows a JSON path through a document.
func locate(root *yaml.Node, path []string) place {
	at := place{value: root}
	for _, step := range path {
		switch at.value.Kind {
		case yaml.MappingNode:
			k, v := member(at.value, step)
			if v == nil {
				return at
			}
			at = place{k, v, step}
		case yaml.SequenceNode:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(at.value.Content) {
				return at
			}
			at.key, at.value = nil, at.value.Content[i]
		default:
			return at
		}
	}
	return at
}

// member finds a key of a mapping; both are nil when there is none.
func member(n *yaml.Node, key string) (k, v *yaml.Node) {
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				return n.Content[i], n.Content[i+1]
			}
		}
	}
	return nil, nil
}

// orFile names the root of a file, which has no key.
func orFile(name string) string {
	if name == "" {
		return "the file"
	}
	return name
}
