package load

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

func (b *builder) catalogue(f CatalogueFile) {
	b.m.Capability = docs(f.Capabilities)
	b.sets = map[string][]Ref{}
	for _, e := range f.ErrorSets {
		b.sets[e.Name] = e.Value
		for _, r := range e.Value {
			b.m.SetRefs = append(b.m.SetRefs, model.NameAt{Name: r.Value, Pos: posOf(b.file, r.Node)})
		}
	}
	for _, r := range b.sets["any"] {
		b.m.AnyErrors = append(b.m.AnyErrors, r.Value)
	}
	b.m.CallLimits = b.limits(f.Limits)
}

func (b *builder) limits(m Mapping[LimitY]) []model.Value {
	var out []model.Value
	for _, e := range m {
		n, err := Quantity(e.Value.Value.Value)
		if err != nil {
			b.fault(e.Value.Value.Node, "%s: %v", e.Name, err)
		}
		out = append(out, model.Value{Name: e.Name, Pos: posOf(b.file, e.Node), Raw: e.Value.Value.Value, N: n, Doc: text(e.Value.Doc)})
	}
	return out
}

// Quantity reads a count, a size in bytes or a duration in milliseconds.
func Quantity(s string) (int64, error) {
	i := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	num, unit := s, ""
	if i >= 0 {
		num, unit = s[:i], s[i:]
	}
	factor, ok := map[string]int64{
		"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
		"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000,
	}[unit]
	n, err := strconv.ParseInt(num, 10, 64)
	if err != nil || !ok {
		return 0, fmt.Errorf("'%s' is not a number with an optional unit (B KiB MiB GiB ms s m h d)", s)
	}
	if n > math.MaxInt64/factor {
		return 0, fmt.Errorf("'%s' is too large", s)
	}
	return n * factor, nil
}

func (b *builder) tools(g *model.Group, f ToolsFile) {
	b.m.Packs = append(b.m.Packs, g)
	for _, e := range f.Tools {
		y := e.Value
		t := &model.Tool{
			Name: e.Name, Pos: posOf(b.file, e.Node), Title: y.Title, Doc: text(y.Doc), Pack: g,
			Capability: y.Capability, Since: y.Since, Stage: model.Stage(y.Stage), ReadOnly: y.ReadOnly,
			Destructive: y.Destructive, Idempotent: y.Idempotent, OpenWorld: y.OpenWorld,
			Args: b.fields(y.Args), Result: b.element("result", y.Result), As: y.As, Image: y.Image, AtOnce: y.AtOnce,
		}
		t.Deprecated = b.deprecation(y.Deprecated)
		t.Doc = t.Deprecated.Describe(t.Doc)
		seen := map[string]bool{}
		add := func(r Ref) {
			t.ErrorRefs = append(t.ErrorRefs, model.NameAt{Name: r.Value, Pos: posOf(b.file, r.Node)})
			if !seen[r.Value] {
				seen[r.Value] = true
				t.Errors = append(t.Errors, r.Value)
			}
		}
		for _, r := range y.Errors {
			if r.Value != strings.ToLower(r.Value) {
				add(r)
				continue
			}
			set, ok := b.sets[r.Value]
			if !ok {
				b.fault(r.Node, "%s: no error set '%s' in contracts/tools/catalogue.yaml; a code is written in capitals", e.Name, r.Value)
			}
			for _, s := range set {
				if !seen[s.Value] {
					seen[s.Value] = true
					t.Errors = append(t.Errors, s.Value)
				}
			}
		}
		b.m.Tools = append(b.m.Tools, t)
	}
}
