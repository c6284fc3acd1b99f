package check

import (
	"regexp"
	"slices"
	"strings"

	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
	"github.com/browserhive/browserhive/tools/contractgen/internal/nearest"
)

var placeholder = regexp.MustCompile(`\{([^{}]*)\}`)

func (c *checker) errors() {
	once := c.once("error")
	for _, e := range c.m.Errors {
		once.add(e.Pos, e.Code)
		c.named(e.Pos, "an error", e.Code, capitals, "UPPER_CASE")
		for _, t := range []struct{ what, text string }{
			{"title", e.Title}, {"message", e.Message}, {"hint", e.Hint}, {"cause", e.Cause}, {"resolution", e.Resolution},
		} {
			if t.text == "" {
				c.fault(e.Pos, "%s: has no %s", e.Code, t.what)
			}
		}
		c.details(e)
		if (e.Category == "boot") != (e.Exit != nil) {
			c.fault(e.Pos, "%s: errors of the category boot have 'exit', others have none", e.Code)
		}
	}
}

// details holds the message of an error to its details.
func (c *checker) details(e *model.Error) {
	details := map[string]*model.Field{}
	unique := c.once("detail")
	for _, d := range e.Details {
		unique.add(d.Pos, d.Name)
		c.named(d.Pos, "a detail", d.Name, snake, "snake_case")
		details[d.Name] = d
	}
	for _, ph := range placeholder.FindAllStringSubmatch(e.Message, -1) {
		switch d := details[ph[1]]; {
		case d == nil:
			c.fault(e.Pos, "%s: the message uses {%s}, which is no detail", e.Code, ph[1])
		case d.Sensitive:
			c.fault(d.Pos, "%s: the message shows {%s}, which is sensitive", e.Code, ph[1])
		case !printable(d.Type.Base()):
			c.fault(d.Pos, "%s: the message shows {%s}, which is %s; only texts, numbers and lists can be shown", e.Code, ph[1], article(d.Type.Base().Kind))
		}
	}
}

// printable reports whether a message can show a value of the type.
func printable(t *model.Type) bool {
	switch t.Kind {
	case model.Object, model.Map, model.Any, model.Union:
		return false
	default:
		return true
	}
}

var version = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+$`)

func (c *checker) tools() {
	for _, r := range c.m.SetRefs {
		c.code(r.Pos, "error set", r.Name)
	}
	packs := c.once("pack")
	for _, p := range c.m.Packs {
		packs.add(p.Pos, p.File)
		c.named(p.Pos, "the file of a pack", p.File, snake, "snake_case")
		if p.File == "test" || strings.HasSuffix(p.File, "_test") {
			c.fault(p.Pos, "%s: Go takes a file of this name for a test", p.File)
		}
	}
	once := c.once("tool")
	for _, t := range c.m.Tools {
		once.add(t.Pos, t.Name)
		c.named(t.Pos, "a tool", t.Name, snake, "snake_case")
		c.doc(t.Pos, t.Name, t.Doc)
		if !member(c.m.Capability, t.Capability) {
			c.fault(t.Pos, "%s: no capability '%s' in contracts/tools/catalogue.yaml%s", t.Name, t.Capability,
				nearest.Hint(t.Capability, names(c.m.Capability)))
		}
		if !version.MatchString(t.Since) {
			c.fault(t.Pos, "%s: since '%s' is not a version such as 0.1.0", t.Name, t.Since)
		}
		for _, e := range t.ErrorRefs {
			c.code(e.Pos, t.Name, e.Name)
		}
		c.arguments(t)
		c.result(t)
		for _, ph := range placeholder.FindAllStringSubmatch(t.Doc, -1) {
			if key, ok := strings.CutPrefix(ph[1], "config:"); ok {
				c.key(t.Pos, t.Name, key)
			}
		}
	}
}

func (c *checker) arguments(t *model.Tool) {
	unique := c.once("argument")
	for _, a := range t.Args {
		unique.add(a.Pos, a.Name)
		c.named(a.Pos, "an argument", a.Name, snake, "snake_case")
		c.constraint(t, a)
	}
}

// constraint holds the error that an argument names to what the generated code can fill in.
func (c *checker) constraint(t *model.Tool, a *model.Field) {
	e := c.m.ErrorNamed(a.Code)
	if e == nil {
		return
	}
	if !slices.Contains(t.Errors, a.Code) {
		c.fault(a.Pos, "%s: the constraint of '%s' answers %s, which is not among the tool's errors", t.Name, a.Name, a.Code)
	}
	if base := a.Type.Base(); base.Kind != model.String && base.Kind != model.Ref {
		c.fault(a.Pos, "%s: '%s' is %s; only a text has a constraint with an error of its own", t.Name, a.Name, article(base.Kind))
	}
	for _, d := range e.Details {
		if d.Required() && d.Name != a.Name && d.Name != "pattern" && d.Name != "supported" {
			c.fault(a.Pos, "%s: %s wants the detail '%s'; a constraint fills in '%s', 'pattern' and 'supported'", t.Name, a.Code, d.Name, a.Name)
		}
	}
}

func (c *checker) result(t *model.Tool) {
	base := t.Result.Type.Base()
	switch {
	case base.Kind == model.Ref: // said elsewhere
	case base.Kind != model.Array && base.Kind != model.Object:
		c.fault(t.Pos, "%s: the result is an object or a list", t.Name)
	case base.Kind == model.Array && t.As == "":
		c.fault(t.Pos, "%s: the result is a list, so 'as' must name the property that wraps it", t.Name)
	case base.Kind != model.Array && t.As != "":
		c.fault(t.Pos, "%s: 'as' is for lists", t.Name)
	case base.Kind == model.Array && base.Items.Type.Base().Kind != model.Object && base.Items.Type.Base().Kind != model.Ref:
		c.fault(t.Pos, "%s: the elements of a result are objects, so that they can gain fields", t.Name)
	case t.As != "":
		c.named(t.Pos, "the property of 'as'", t.As, snake, "snake_case")
	}
}
