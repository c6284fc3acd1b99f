package check

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

var (
	pathParam = regexp.MustCompile(`\{([^{}]*)\}`)
	pathForm  = regexp.MustCompile(`^(/([A-Za-z0-9._-]+|\{[a-z][a-z0-9_]*\}))+$`)
)

func (c *checker) operations() {
	ids := c.once("operation")
	routes := map[string]*model.Operation{}
	for _, o := range c.m.Operations {
		ids.add(o.Pos, o.ID)
		c.named(o.Pos, "an operation", o.ID, camel, "camelCase")
		// Two paths that differ in the names of their parameters alone are one route.
		route := o.Method + " " + pathParam.ReplaceAllString(o.Path, "{}")
		if first := routes[route]; first != nil {
			c.fault(o.Pos, "%s: %s %s is served by %s already, at %s", o.ID, o.Method, o.Path, first.ID, first.Pos)
		}
		routes[route] = o
		c.doc(o.Pos, o.ID, o.Doc)
		c.access(o)
		c.parameters(o)
		c.bodies(o)
		for _, e := range o.ErrorRefs {
			c.code(e.Pos, o.ID, e.Name)
		}
		if o.List != nil {
			c.page(o)
		}
	}
}

func (c *checker) access(o *model.Operation) {
	c.scope(o.Pos, o.ID, o.Scope)
	switch public := slices.Contains(o.Auth, "public"); {
	case len(o.Auth) == 0:
		c.fault(o.Pos, "%s: says nothing about authentication; write [public] when it needs none", o.ID)
	case public && len(o.Auth) > 1:
		c.fault(o.Pos, "%s: public stands alone, since nobody has to prove anything", o.ID)
	case public && o.Scope != "":
		c.fault(o.Pos, "%s: is public, so nobody has the scope '%s'", o.ID, o.Scope)
	}
}

func (c *checker) parameters(o *model.Operation) {
	if !pathForm.MatchString(o.Path) {
		c.fault(o.Pos, "%s: the path %s is not made of /words and /{snake_case} parameters", o.ID, o.Path)
	}
	missing := map[string]bool{}
	for _, p := range pathParam.FindAllStringSubmatch(o.Path, -1) {
		missing[p[1]] = true
	}
	for _, p := range o.PathParams {
		if !strings.Contains(o.Path, "{"+p.Name+"}") {
			c.fault(p.Pos, "%s: '%s' is not in the path %s", o.ID, p.Name, o.Path)
		}
		if !p.Required() || p.Nullable {
			c.fault(p.Pos, "%s: '%s' is a part of the path, so it is always there", o.ID, p.Name)
		}
		delete(missing, p.Name)
	}
	for p := range missing {
		c.fault(o.Pos, "%s: the path has {%s}, path_params does not", o.ID, p)
	}
	query := c.once("query parameter")
	for _, q := range o.Query {
		query.add(q.Pos, q.Name)
		switch q.Type.Base().Kind {
		case model.Object, model.Map, model.Union, model.Any:
			c.fault(q.Pos, "%s: '%s' is %s, which a query cannot hold", o.ID, q.Name, article(q.Type.Base().Kind))
		default:
		}
	}
}

func (c *checker) bodies(o *model.Operation) {
	if o.BodyContent != "" && (o.Method == http.MethodGet || o.Method == http.MethodHead) {
		c.fault(o.Pos, "%s: %s has no body", o.ID, o.Method)
	}
	if len(o.Responses) == 0 {
		c.fault(o.Pos, "%s: has no success response", o.ID)
	}
	for _, r := range o.Responses {
		if (r.Status == 204 || r.Status == 304) && r.Content != "" {
			c.fault(o.Pos, "%s: an answer %d has no body", o.ID, r.Status)
		}
	}
}

// page holds a list to its rows.
func (c *checker) page(o *model.Operation) {
	l := o.List
	row := c.m.TypeNamed(l.Of)
	if row == nil {
		return // said where references resolve
	}
	if row.Type.Base().Kind != model.Object {
		c.fault(l.Pos, "%s: a row is an object, and %s is %s", o.ID, l.Of, article(row.Type.Base().Kind))
	}
	for _, s := range l.Sort {
		c.named(l.Pos, "a sort column", s, snake, "snake_case")
	}
	for _, s := range l.Facets {
		if !holds(row.Type.Base(), s) {
			c.fault(l.Pos, "%s: the facet '%s' is not a field of %s, nor of an object in it", o.ID, s, l.Of)
		}
	}
}

// holds finds a field of a row, or of an object that is a field of it.
func holds(row *model.Type, name string) bool {
	return slices.ContainsFunc(row.Fields, func(f *model.Field) bool {
		return f.Name == name || slices.ContainsFunc(f.Type.Base().Fields, func(g *model.Field) bool { return g.Name == name })
	})
}
