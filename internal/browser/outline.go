package browser

import (
	"fmt"
	"slices"
	"strings"
)

// outline is the tree of a snapshot, read from the driver's YAML: one node for each line.
type outline struct {
	line       string // Without what indents it; "" at the root.
	role, name string // role is "" where the line is text or a property of its parent.
	ref        string // "" for what cannot be acted on.
	pointer    bool   // A click target by its cursor.
	children   []*outline
}

// indentation is what a level adds to a line.
const indentation = "  "

// parseOutline reads the YAML of a snapshot. What a page has written stands in quotes or after a colon, so
// it cannot pass for a role or a ref.
func parseOutline(tree string) *outline {
	root := &outline{}
	open := []*outline{root} // The last node of each level, the root first.
	for line := range strings.SplitSeq(tree, "\n") {
		rest := strings.TrimLeft(line, " ")
		if rest == "" {
			continue
		}
		level := min((len(line)-len(rest))/len(indentation), len(open)-1)
		node := parseLine(rest)
		parent := open[level]
		parent.children = append(parent.children, node)
		open = append(open[:level+1], node)
	}
	return root
}

// parseLine reads a line such as: - button "Send" [disabled] [ref=e4]: text
func parseLine(line string) *outline {
	node := &outline{line: line}
	key := strings.TrimPrefix(line, "- ")
	if strings.HasPrefix(key, "'") {
		key = unquoteKey(key)
	}
	end := strings.IndexAny(key, " :")
	if end < 0 {
		end = len(key)
	}
	if role := key[:end]; role != "text" && !strings.HasPrefix(role, "/") {
		node.role = role
	}
	if node.role == "" {
		return node
	}
	key = key[end:]
	if strings.HasPrefix(key, ` "`) {
		length := stringLength(key[1:])
		node.name, key = key[1:1+length], key[1+length:]
	}
	for strings.HasPrefix(key, " [") {
		attribute, after, closed := strings.Cut(key[2:], "]")
		if !closed {
			break
		}
		if ref, ok := strings.CutPrefix(attribute, "ref="); ok {
			node.ref = ref
		}
		node.pointer = node.pointer || attribute == "cursor=pointer"
		key = after
	}
	return node
}

// unquoteKey returns what stands in the single quotes that the text begins with.
func unquoteKey(text string) string {
	var key strings.Builder
	for i := 1; i < len(text); i++ {
		if text[i] == '\'' {
			if i+1 == len(text) || text[i+1] != '\'' {
				break
			}
			i++
		}
		key.WriteByte(text[i])
	}
	return key.String()
}

// stringLength is the length of the JSON string that the text begins with.
func stringLength(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// render writes the lines of the node's children.
func (o *outline) render(into *[]string, level int) {
	for _, child := range o.children {
		*into = append(*into, strings.Repeat(indentation, level)+child.line)
		child.render(into, level+1)
	}
}

func (o *outline) String() string {
	var lines []string
	o.render(&lines, 0)
	return strings.Join(lines, "\n")
}

// interactiveRoles are the roles of what takes input.
var interactiveRoles = []string{
	"button", "checkbox", "combobox", "link", "listbox", "menuitem", "menuitemcheckbox", "menuitemradio", "option",
	"radio", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox", "treeitem",
}

// interactive returns the outline without what cannot be acted on. What an element is called stays, so a
// nameless one keeps what is in it; so do iframes and what has a name around it, such as a dialog.
func (o *outline) interactive() *outline {
	kept := &outline{line: o.line, role: o.role, name: o.name, ref: o.ref, pointer: o.pointer}
	acts := o.ref != "" && (o.pointer || slices.Contains(interactiveRoles, o.role))
	for _, child := range o.children {
		switch {
		case acts && (child.role == "" && strings.HasPrefix(child.line, "- /") || o.name == ""):
			kept.children = append(kept.children, child)
		case child.role == "":
		default:
			inner := child.interactive()
			switch {
			case inner.line != "":
				kept.children = append(kept.children, inner)
			default:
				kept.children = append(kept.children, inner.children...)
			}
		}
	}
	around := len(kept.children) > 0 && (o.name != "" || o.role == "iframe")
	if !acts && !around {
		kept.line = "" // Its children take its place.
	}
	return kept
}

// changes returns what of the outline is not as it was in an older one, inside of what it stands in, and
// counts it. Elements are the same when their refs are; what has none counts as a part of what it is in.
func (o *outline) changes(old *outline) string {
	d := &difference{was: places{}}
	is := places{}
	old.index(d.was, "")
	o.index(is, "")
	lines := d.inside(o, old, 0)
	gone := old.missing(is)
	summary := fmt.Sprintf("# since the last snapshot: %d new, %d changed, %d removed; the rest is as it was", d.added, d.changed, len(gone))
	return strings.Join(slices.Concat([]string{summary}, lines, gone), "\n")
}

// places tells by its ref which node an element has, and the ref of what it is in.
type places map[string]place

type place struct {
	*outline
	in string
}

// index notes the places of all nodes that have a ref, inside of an element.
func (o *outline) index(into places, in string) {
	if o.ref != "" {
		into[o.ref] = place{o, in}
		in = o.ref
	}
	for _, child := range o.children {
		child.index(into, in)
	}
}

// missing are lines about the outermost nodes whose refs are not among the others.
func (o *outline) missing(others places) (lines []string) {
	for _, child := range o.children {
		_, there := others[child.ref]
		if child.ref == "" || there {
			lines = append(lines, child.missing(others)...)
			continue
		}
		what := child.role
		if child.name != "" {
			what += " " + child.name
		}
		lines = append(lines, fmt.Sprintf("# removed: %s [ref=%s]", what, child.ref))
	}
	return lines
}

// loose is what a node holds that has no ref.
func (o *outline) loose() string {
	var lines []string
	for _, child := range o.children {
		if child.ref == "" {
			lines = append(lines, child.line)
			child.render(&lines, 1)
		}
	}
	return strings.Join(lines, "\n")
}

// order is the refs of the children that the places have inside of the same element.
func (o *outline) order(others places) (refs []string) {
	for _, child := range o.children {
		if other, there := others[child.ref]; there && other.in == o.ref {
			refs = append(refs, child.ref)
		}
	}
	return refs
}

type difference struct {
	was            places
	added, changed int
}

// inside returns the lines about what a node holds.
func (d *difference) inside(now, old *outline, level int) (lines []string) {
	margin := strings.Repeat(indentation, level)
	loose := now.loose() != old.loose()
	for _, child := range now.children {
		before, known := d.was[child.ref]
		switch {
		case child.ref == "" && loose:
			lines = append(lines, margin+child.line)
			child.render(&lines, level+1)
		case child.ref == "":
		case !known:
			d.added++
			lines = append(lines, margin+child.line+" # new")
			child.render(&lines, level+1)
		case before.in != now.ref || !slices.Equal(child.order(d.was), before.stillIn(child)):
			d.changed++
			lines = append(lines, margin+child.line+" # moved")
			child.render(&lines, level+1)
		default:
			inner := d.inside(child, before.outline, level+1)
			switch {
			case child.line != before.line || child.loose() != before.loose():
				d.changed++
				lines = append(lines, margin+child.line+" # changed")
			case len(inner) > 0:
				lines = append(lines, margin+child.line)
			}
			lines = append(lines, inner...)
		}
	}
	return lines
}

// stillIn is the refs of the children that now, the same node later, has too.
func (o *outline) stillIn(now *outline) (refs []string) {
	has := map[string]bool{}
	for _, child := range now.children {
		has[child.ref] = child.ref != ""
	}
	for _, child := range o.children {
		if has[child.ref] {
			refs = append(refs, child.ref)
		}
	}
	return refs
}
