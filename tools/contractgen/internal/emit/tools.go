package emit

import (
	"fmt"
	"strings"

	"github.com/browserhive/browserhive/tools/contractgen/internal/goname"
	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

func goTools(m *model.Model) (Files, error) {
	out := Files{}
	for _, pack := range m.Packs {
		b, err := goPack(m, pack)
		if err != nil {
			return nil, err
		}
		out["gen/tools/"+pack.File+".go"] = b
	}
	b, err := goCatalogue(m)
	if err != nil {
		return nil, err
	}
	out["gen/tools/catalogue.go"] = b
	return out, nil
}

func packTools(m *model.Model, pack *model.Group) []*model.Tool {
	var out []*model.Tool
	for _, t := range m.Tools {
		if t.Pack == pack {
			out = append(out, t)
		}
	}
	return out
}

// goPack writes the arguments, results and descriptors of a pack, and the interface that its handlers
// implement.
func goPack(m *model.Model, pack *model.Group) ([]byte, error) {
	s := newSource("tools", "contracts/tools/"+pack.File+".yaml", "")
	s.use(pathContract)
	g := newShapes(s, "types.")
	built := 0
	for _, t := range packTools(m, pack) {
		name := goname.Of(t.Name)
		if len(t.Args) > 0 {
			g.claim(name+"Args", &model.Type{})
			g.object(name+"Args", "the arguments of "+t.Name+".", &model.Type{Kind: model.Object, Fields: t.Args})
			g.flush()
			g.defaults(name+"Args", t.Args)
			g.flush()
		}
		if t.Result.Type.Kind == model.Object {
			g.claim(name+"Result", t.Result.Type)
			g.object(name+"Result", "what "+t.Name+" answers.", t.Result.Type)
			g.flush()
		}
		if t.Stage != model.Planned {
			built++
		}
	}
	for _, t := range packTools(m, pack) {
		if err := descriptor(s, m, t); err != nil {
			return nil, err
		}
	}
	if built > 0 {
		s.use("context")
		iface := goname.Of(pack.File)
		s.comment("", fmt.Sprintf("%s is implemented by the handlers of the %s pack. S is the session that a call names, and P its page.", iface, pack.Name))
		s.p("type %s[S, P any] interface {", iface)
		for _, t := range packTools(m, pack) {
			if t.Stage == model.Planned {
				continue
			}
			s.deprecated(t.Deprecated)
			s.p("\t%s(%s) (%s)", goname.Of(t.Name), strings.Join(params(t), ", "), strings.Join(results(g, t), ", "))
		}
		s.p("}\n")
		g.flush()
	}
	return s.bytes()
}

func params(t *model.Tool) []string {
	out := []string{"ctx context.Context"}
	if t.UsesSession() {
		out = append(out, "s S")
	}
	if t.UsesPage() {
		out = append(out, "p P")
	}
	if len(t.Args) > 0 {
		out = append(out, "args "+goname.Of(t.Name)+"Args")
	}
	return out
}

func results(g *shapes, t *model.Tool) []string {
	typ := "*" + goname.Of(t.Name) + "Result"
	if t.Result.Type.Kind != model.Object {
		typ = g.typeOf(t.Result, goname.Of(t.Name)+"Result")
		if t.Result.Type.Base().Kind == model.Object {
			typ = "*" + typ
		}
	}
	out := []string{typ}
	if t.Image {
		out = append(out, "*contract.Image")
	}
	return append(out, "error")
}

func descriptor(s *source, m *model.Model, t *model.Tool) error {
	in, err := encode(argsSchema(t))
	if err != nil {
		return err
	}
	outSchema, err := encode(resultSchema(t))
	if err != nil {
		return err
	}
	s.p("var tool%s = contract.Tool{", goname.Of(t.Name))
	s.p("\tName: %q, Title: %q, Pack: %q, Capability: %q, Since: %q,", t.Name, t.Title, t.Pack.Name, t.Capability, t.Since)
	s.p("\tDescription: %q,", t.Doc)
	s.p("\tReadOnly: %t, Destructive: %t, Idempotent: %t, OpenWorld: %t,", t.ReadOnly, t.Destructive, t.Idempotent, t.OpenWorld)
	if t.Stage == model.Planned {
		s.p("\tPlanned: true,")
	}
	if t.Pack.Requires != "" {
		s.p("\tRequires: %q,", t.Pack.Requires)
	}
	if t.UsesSession() {
		s.p("\tUsesSession: true,")
	}
	if t.UsesPage() {
		s.p("\tUsesPage: true,")
	}
	if t.ChangesTab() {
		s.p("\tChangesTab: true,")
	}
	for _, a := range t.Args {
		if a.Name == "timeout" {
			s.p("\tHasTimeout: true,")
		}
	}
	if t.ReadsOn() {
		s.p("\tReadsOn: true,")
	}
	if t.As != "" {
		s.p("\tListAs: %q,", t.As)
	}
	s.p("\tInput: []byte(%s),", quoteJSON(in))
	s.p("\tOutput: []byte(%s),", quoteJSON(outSchema))
	s.p("\tErrors: []contract.Code{%s},", codes(append(append([]string{}, t.Errors...), m.AnyErrors...)))
	if p := sensitive(t.Args, ""); len(p) > 0 {
		s.p("\tSensitiveArgs: []string{%s},", quoted(p))
	}
	if p := sensitive([]*model.Field{t.Result}, ""); len(p) > 0 {
		s.p("\tSensitiveResult: []string{%s},", quoted(trimFirst(p)))
	}
	for _, a := range t.Args {
		if a.Typed {
			s.p("\tTypedArg: %q,", a.Name)
		}
	}
	for _, a := range t.Args {
		if a.Follows != "" {
			s.p("\tFollows: map[string]string{%s},", follows(t.Args))
			break
		}
	}
	var constraint []string
	for _, a := range t.Args {
		if a.Code != "" {
			s.use(pathErrcode)
			constraint = append(constraint, fmt.Sprintf("\t\t%q: %s,", a.Name, constraintError(m.ErrorNamed(a.Code), a)))
		}
	}
	if len(constraint) > 0 {
		s.p("\tConstraintErrors: map[string]func(string) *contract.Error{\n%s\n\t},", strings.Join(constraint, "\n"))
	}
	s.p("}\n")
	return nil
}

// constraintError writes the function that answers a broken constraint of an argument with the code it
// names. The code's details are the argument itself, its pattern, and its values as supported.
func constraintError(e *model.Error, a *model.Field) string {
	var set []string
	for _, d := range e.Details {
		switch d.Name {
		case a.Name:
			set = append(set, goname.Of(d.Name)+": v")
		case "pattern":
			set = append(set, fmt.Sprintf("%s: %q", goname.Of(d.Name), patternOf(a.Type)))
		case "supported":
			set = append(set, fmt.Sprintf("%s: []string{%s}", goname.Of(d.Name), quoted(choiceNames(a.Type.Base().Enum))))
		}
	}
	return fmt.Sprintf("func(v string) *contract.Error { return errcode.%s{%s}.Err() }", goname.Of(e.Code), strings.Join(set, ", "))
}

func patternOf(t *model.Type) string {
	for ; t != nil; t = t.Target.Type {
		if t.Pattern != "" || t.Kind != model.Ref {
			return t.Pattern
		}
	}
	return ""
}

func quoteJSON(b []byte) string {
	if !strings.Contains(string(b), "`") {
		return "`" + string(b) + "`"
	}
	return fmt.Sprintf("%q", b)
}

func quoted(list []string) string {
	var out []string
	for _, x := range list {
		out = append(out, fmt.Sprintf("%q", x))
	}
	return strings.Join(out, ", ")
}

func codes(list []string) string {
	seen := map[string]bool{}
	var out []string
	for _, c := range list {
		if !seen[c] {
			seen[c] = true
			out = append(out, fmt.Sprintf("%q", c))
		}
	}
	return strings.Join(out, ", ")
}

func follows(args []*model.Field) string {
	var out []string
	for _, a := range args {
		if a.Follows != "" {
			out = append(out, fmt.Sprintf("%q: %q", a.Name, a.Follows))
		}
	}
	return strings.Join(out, ", ")
}

func trimFirst(paths []string) []string {
	var out []string
	for _, p := range paths {
		_, rest, _ := strings.Cut(p, "/")
		out = append(out, rest)
	}
	return out
}

// sensitive lists the paths of marked values: steps joined by a slash, * for every element or key.
func sensitive(fields []*model.Field, prefix string) []string {
	var out []string
	for _, f := range fields {
		out = append(out, sensitiveIn(f, prefix+f.Name)...)
	}
	return out
}

func sensitiveIn(f *model.Field, at string) []string {
	if f.Sensitive {
		return []string{at}
	}
	t := f.Type.Base()
	switch t.Kind {
	case model.Array:
		return sensitiveIn(t.Items, at+"/*")
	case model.Map:
		return sensitiveIn(t.Values, at+"/*")
	case model.Object:
		var out []string
		for _, x := range t.Fields {
			out = append(out, sensitiveIn(x, at+"/"+x.Name)...)
		}
		return out
	case model.Union:
		var out []string
		seen := map[string]bool{}
		for _, x := range t.AnyOf {
			for _, p := range sensitiveIn(x, at) {
				if !seen[p] {
					seen[p] = true
					out = append(out, p)
				}
			}
		}
		return out
	default:
		return nil
	}
}

// goCatalogue writes the table of all tools and the binding from descriptors to handlers.
func goCatalogue(m *model.Model) ([]byte, error) {
	s := newSource("tools", "contracts/tools", "Package tools holds the tools of the contract: their descriptors, argument and result shapes, and the interfaces that handlers implement.")
	s.use(pathContract)
	s.use("context")
	s.p("// Catalogue lists every tool in the order of the contract.")
	s.p("var Catalogue = []*contract.Tool{")
	for _, t := range m.Tools {
		s.p("\t&tool%s,", goname.Of(t.Name))
	}
	s.p("}\n")
	s.p("// Bounds of every call; durations are in milliseconds, sizes in bytes.\nconst (")
	for _, l := range m.CallLimits {
		s.comment("\t", l.Doc)
		s.p("\t%s = %d", goname.Of(l.Name), l.N)
	}
	s.p(")\n")
	s.p("// Capabilities that a tool may need.\nconst (")
	for _, c := range m.Capability {
		s.comment("\t", c.Doc)
		s.p("\tCapability%s = %q", goname.Of(c.Value), c.Value)
	}
	s.p(")\n")
	s.p("// Handlers is everything that is built; a tool that is declared and not planned must have its method.")
	s.p("type Handlers[S, P any] interface {")
	for _, p := range m.Packs {
		for _, t := range packTools(m, p) {
			if t.Stage != model.Planned {
				s.p("\t%s[S, P]", goname.Of(p.File))
				break
			}
		}
	}
	s.p("}\n")
	s.p("// Run gives a handler its typed arguments: the caller's over the contract's defaults.")
	s.p("type Run[S, P any] func(ctx context.Context, s S, p P, given contract.Arguments) (contract.Result, error)\n")
	s.p("// Bind connects the handlers to the names of the tools.")
	s.p("func Bind[S, P any](h Handlers[S, P]) map[string]Run[S, P] {")
	s.p("\treturn map[string]Run[S, P]{")
	for _, t := range m.Tools {
		if t.Stage == model.Planned {
			continue
		}
		name := goname.Of(t.Name)
		s.p("\t\t%q: func(ctx context.Context, s S, p P, given contract.Arguments) (contract.Result, error) {", t.Name)
		call := []string{"ctx"}
		if t.UsesSession() {
			call = append(call, "s")
		}
		if t.UsesPage() {
			call = append(call, "p")
		}
		if len(t.Args) > 0 {
			call = append(call, "args")
			s.p("\t\t\targs := New%sArgs()", name)
			s.p("\t\t\tif err := given.Decode(&args); err != nil {\n\t\t\t\treturn contract.Result{}, err\n\t\t\t}")
		}
		if t.Image {
			s.p("\t\t\tv, img, err := h.%s(%s)", name, strings.Join(call, ", "))
			s.p("\t\t\treturn contract.Result{Value: v, Image: img}, err")
		} else {
			s.p("\t\t\tv, err := h.%s(%s)", name, strings.Join(call, ", "))
			s.p("\t\t\treturn contract.Result{Value: v}, err")
		}
		s.p("\t\t},")
	}
	s.p("\t}\n}")
	return s.bytes()
}
