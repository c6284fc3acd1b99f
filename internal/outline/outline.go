// Package outline reads the text of a snapshot, which is how an agent sees a page: as a tree whose elements have
// refs. It says which parts can be acted on, what has changed since an earlier one, and what a ref is as a selector.
package outline

import (
	"fmt"
	"slices"
	"strings"
)

// Node is a line of a snapshot and what stands below it, read from the driver's YAML. The root has no line.
type Node struct {
	line       string // Without what indents it; "" at the root.
	role, name string // role is "" where the line is text or a property of its parent.
	ref        string // "" for what cannot be acted on.
	pointer    bool   // A click target by its cursor.
	children   []*Node
}

// indentation is what a level adds to a line.
const indentation = "  "

// Parse reads the YAML of a snapshot. What a page has written stands in quotes or after a colon, so
// it cannot pass for a role or a ref.
func Parse(tree string) *Node {
	root := &Node{}
	open := []*Node{root} // The last node of each level, the root first.
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
func parseLine(line string) *Node {
	node := &Node{line: line}
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
func (n *Node) render(into *[]string, level int) {
	for _, child := range n.children {
		*into = append(*into, strings.Repeat(indentation, level)+child.line)
		child.render(into, level+1)
	}
}

func (n *Node) String() string {
	var lines []string
	n.render(&lines, 0)
	return strings.Join(lines, "\n")
}

// interactiveRoles are the roles of what takes input.
var interactiveRoles = []string{
	"button", "checkbox", "combobox", "link", "listbox", "menuitem", "menuitemcheckbox", "menuitemradio", "option",
	"radio", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox", "treeitem",
}

// Interactive returns the outline without what cannot be acted on. What an element is called stays, so a
// nameless one keeps what is in it; so do iframes and what has a name around it, such as a dialog.
func (n *Node) Interactive() *Node {
	kept := &Node{line: n.line, role: n.role, name: n.name, ref: n.ref, pointer: n.pointer}
	acts := n.ref != "" && (n.pointer || slices.Contains(interactiveRoles, n.role))
	for _, child := range n.children {
		switch {
		case acts && (child.role == "" && strings.HasPrefix(child.line, "- /") || n.name == ""):
			kept.children = append(kept.children, child)
		case child.role == "":
		default:
			inner := child.Interactive()
			switch {
			case inner.line != "":
				kept.children = append(kept.children, inner)
			default:
				kept.children = append(kept.children, inner.children...)
			}
		}
	}
	around := len(kept.children) > 0 && (n.name != "" || n.role == "iframe")
	if !acts && !around {
		kept.line = "" // Its children take its place.
	}
	return kept
}

// Changes returns what of the outline is not as it was in an older one, inside of what it stands in, and
// counts it. Elements are the same when their refs are; what has none counts as a part of what it is in.
func (n *Node) Changes(old *Node) string {
	d := &difference{was: places{}}
	is := places{}
	old.index(d.was, "")
	n.index(is, "")
	lines := d.inside(n, old, 0)
	gone := old.missing(is)
	summary := fmt.Sprintf("# since the last snapshot: %d new, %d changed, %d removed; the rest is as it was", d.added, d.changed, len(gone))
	return strings.Join(slices.Concat([]string{summary}, lines, gone), "\n")
}

// places tells by its ref which node an element has, and the ref of what it is in.
type places map[string]place

type place struct {
	*Node
	in string
}

// index notes the places of all nodes that have a ref, inside of an element.
func (n *Node) index(into places, in string) {
	if n.ref != "" {
		into[n.ref] = place{n, in}
		in = n.ref
	}
	for _, child := range n.children {
		child.index(into, in)
	}
}

// missing are lines about the outermost nodes whose refs are not among the others.
func (n *Node) missing(others places) (lines []string) {
	for _, child := range n.children {
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
func (n *Node) loose() string {
	var lines []string
	for _, child := range n.children {
		if child.ref == "" {
			lines = append(lines, child.line)
			child.render(&lines, 1)
		}
	}
	return strings.Join(lines, "\n")
}

// order is the refs of the children that the places have inside of the same element.
func (n *Node) order(others places) (refs []string) {
	for _, child := range n.children {
		if other, there := others[child.ref]; there && other.in == n.ref {
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
func (d *difference) inside(now, old *Node, level int) (lines []string) {
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
			inner := d.inside(child, before.Node, level+1)
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
func (n *Node) stillIn(now *Node) (refs []string) {
	has := map[string]bool{}
	for _, child := range now.children {
		has[child.ref] = child.ref != ""
	}
	for _, child := range n.children {
		if has[child.ref] {
			refs = append(refs, child.ref)
		}
	}
	return refs
}
