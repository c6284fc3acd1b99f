package emit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/browserhive/browserhive/tools/contractgen/internal/goname"
	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

func goErrors(m *model.Model) (Files, error) {
	s := newSource("errcode", "contracts/errors", "Package errcode holds one constructor per error code, and the catalogue of codes.")
	s.use(pathContract)
	g := newShapes(s, "types.")
	s.p("// The codes of the contract.\nconst (")
	for _, e := range m.Errors {
		s.deprecated(e.Deprecated)
		s.p("\tCode%s contract.Code = %q", goname.Of(e.Code), e.Code)
	}
	s.p(")\n")
	for _, e := range m.Errors {
		name := goname.Of(e.Code)
		g.claim(name, &model.Type{})
		s.comment("", fmt.Sprintf("%s (%s): %s", name, e.Code, e.Cause))
		if len(e.Details) == 0 {
			s.p("type %s struct{}\n", name)
			s.p("// Err builds the error.\nfunc (%s) Err() *contract.Error {", name)
			s.p("\treturn contract.NewError(Code%s, %q, nil)\n}\n", name, e.Message)
			continue
		}
		s.p("type %s struct {", name)
		for _, f := range e.Details {
			s.comment("\t", f.About())
			typ := g.typeOf(f, name+goname.Of(f.Name))
			if pointer(f) {
				typ = "*" + typ
			}
			tag := f.Name
			if f.Optional {
				tag += ",omitempty"
			}
			s.p("\t%s %s `json:%q`", goname.Of(f.Name), typ, tag)
		}
		s.p("}\n")
		s.p("// Err builds the error.\nfunc (d %s) Err() *contract.Error {", name)
		s.p("\treturn contract.NewError(Code%s, %s, d)\n}\n", name, message(s, e))
		g.flush()
		for _, f := range e.Details {
			if f.Type.Kind == model.Array && f.Type.Items.Type.Kind == model.Object {
				stringer(s, name+goname.Of(f.Name)+"Item", f.Type.Items.Type.Fields)
			}
		}
	}
	s.p("// Catalogue lists every code in the order of the contract.")
	s.p("var Catalogue = []contract.ErrorInfo{")
	for _, e := range m.Errors {
		exit := 1
		if e.Exit != nil {
			exit = *e.Exit
		}
		s.p("\t{Code: Code%s, Type: %q, Title: %q, HTTP: %d, Category: %q, Retryable: %q, Exit: %d, Hint: %q},",
			goname.Of(e.Code), errorURL(e.Code), e.Title, e.HTTP, e.Category, e.Retryable, exit, e.Hint)
	}
	s.p("}\n")
	s.p("var byCode = contract.IndexErrors(Catalogue)\n")
	s.p("// Info returns what the contract says of a code; ok is false for a code it does not know.")
	s.p("func Info(c contract.Code) (info contract.ErrorInfo, ok bool) {\n\tinfo, ok = byCode[c]\n\treturn\n}")
	b, err := s.bytes()
	return Files{"gen/errcode/errcode.go": b}, err
}

// message is the Go expression that fills a message template.
func message(s *source, e *model.Error) string {
	format, args := "", ""
	rest := e.Message
	for {
		i := indexPlaceholder(rest)
		if i < 0 {
			format += escapePercent(rest)
			break
		}
		end := i + 1
		for rest[end] != '}' {
			end++
		}
		name := rest[i+1 : end]
		format += escapePercent(rest[:i]) + "%v"
		for _, d := range e.Details {
			if d.Name == name {
				arg := "d." + goname.Of(name)
				switch {
				case pointer(d):
					arg = "contract.Deref(" + arg + ")"
				case d.Type.Base().Kind == model.Array:
					arg = "contract.Join(" + arg + ")"
				}
				args += ", " + arg
			}
		}
		rest = rest[end+1:]
	}
	if args == "" {
		return strconv.Quote(e.Message)
	}
	s.use("fmt")
	return fmt.Sprintf("fmt.Sprintf(%q%s)", format, args)
}

func indexPlaceholder(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] == '{' {
			for j := i + 1; j < len(s); j++ {
				if s[j] == '}' {
					return i
				}
			}
		}
	}
	return -1
}

func escapePercent(s string) string {
	out := ""
	for _, r := range s {
		if r == '%' {
			out += "%"
		}
		out += string(r)
	}
	return out
}

// stringer gives the elements of a list detail the form that a message prints: their texts in order.
func stringer(s *source, name string, fields []*model.Field) {
	var args []string
	for _, f := range fields {
		if f.Type.Base().Kind == model.String && f.Name != "code" {
			args = append(args, "v."+goname.Of(f.Name))
		}
	}
	if len(args) == 0 {
		return
	}
	s.use("strings")
	s.p("// String is the element as a message prints it.")
	s.p("func (v %s) String() string { return strings.TrimPrefix(strings.Join([]string{%s}, \": \"), \": \") }\n", name, strings.Join(args, ", "))
}
