package check

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
	"github.com/browserhive/browserhive/tools/contractgen/internal/nearest"
)

var addressForm = regexp.MustCompile(`^[a-z][a-z0-9.-]*(:\{[a-z_]+\})?$`)

func (c *checker) ws() {
	w := &c.m.WS
	c.messages("command", w.Commands)
	c.messages("input", w.Inputs)
	replies, events, stream := c.messages("reply", w.Replies), c.messages("event", w.Events), c.messages("stream message", w.Stream)
	for _, cmd := range w.Commands {
		c.scope(cmd.Pos, cmd.Name, cmd.Scope)
		if cmd.Reply != "" {
			c.known(cmd.Pos, cmd.Name, "reply", cmd.Reply, replies)
		}
	}
	for _, list := range [][]*model.Message{w.Replies, w.Events, w.Stream, w.Inputs} {
		for _, m := range list {
			if m.Scope != "" || m.Reply != "" {
				c.fault(m.Pos, "%s: 'scope' and 'reply' belong to commands", m.Name)
			}
		}
	}
	carried := map[string]bool{}
	topics := c.once("topic")
	for _, t := range w.Topics {
		topics.add(t.Pos, t.Name)
		c.scope(t.Pos, t.Name, t.Scope)
		c.doc(t.Pos, t.Name, t.Doc)
		if !addressForm.MatchString(t.Address) {
			c.fault(t.Pos, "%s: the address '%s' is not a word, or a word and one parameter such as session:{id}", t.Name, t.Address)
		}
		for _, e := range t.Events {
			carried[e.Name] = true
			c.known(e.Pos, t.Name, "event", e.Name, events)
		}
		for _, e := range t.Stream {
			carried[e.Name] = true
			c.known(e.Pos, t.Name, "stream message", e.Name, stream)
		}
	}
	for _, list := range [][]*model.Message{w.Events, w.Stream} {
		for _, e := range list {
			if !carried[e.Name] {
				c.fault(e.Pos, "%s: no topic carries it", e.Name)
			}
		}
	}
	c.numbers()
}

// numbers holds limits and close codes to being declared once, over all files.
func (c *checker) numbers() {
	limits := c.once("limit")
	for _, l := range c.m.WS.Limits {
		limits.add(l.Pos, l.Name)
	}
	names, codes := c.once("close code"), c.once("close code")
	for _, x := range c.m.WS.CloseCodes {
		names.add(x.Pos, x.Name)
		codes.add(x.Pos, strconv.Itoa(x.Code))
	}
}

// messages returns the names of a family.
func (c *checker) messages(what string, list []*model.Message) []string {
	var out []string
	once := c.once(what)
	for _, m := range list {
		once.add(m.Pos, m.Name)
		c.named(m.Pos, "a "+what, m.Name, dotted, "words joined by dots or '_'")
		c.doc(m.Pos, m.Name, m.Doc)
		fields := c.once("field")
		for _, f := range m.Fields {
			fields.add(f.Pos, f.Name)
			if f.Name == "type" {
				c.fault(f.Pos, "%s: every message has a 'type' already, its name", m.Name)
			}
		}
		out = append(out, m.Name)
	}
	return out
}

func (c *checker) known(p model.Pos, who, what, name string, list []string) {
	if !slices.Contains(list, name) {
		c.fault(p, "%s: no %s '%s' in contracts/ws%s", who, what, name, nearest.Hint(name, list))
	}
}
