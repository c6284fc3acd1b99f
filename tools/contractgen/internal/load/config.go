package load

import (
	"strconv"

	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

func (b *builder) keys(g *model.Group, f ConfigFile) {
	b.m.KeyGroups = append(b.m.KeyGroups, g)
	for _, e := range f.Keys {
		y := e.Value
		k := &model.Key{
			Name: e.Name, Pos: posOf(b.file, e.Node), Doc: text(y.Doc), Grammar: y.Type, Group: g,
			Default: y.Default, Min: y.Min.Value, Max: y.Max.Value, Enum: enum(y.Enum), Reserved: enum(y.Reserved),
			Secret: y.Secret, Runtime: y.Runtime, File: y.File == nil || *y.File, Alias: y.Alias,
			Examples: values(y.Examples), Stage: model.Stage(y.Stage),
		}
		k.Deprecated = b.deprecation(y.Deprecated)
		k.Doc = k.Deprecated.Describe(k.Doc)
		if y.Derived != nil {
			k.DerivedFrom, k.DerivedDoc = y.Derived.From, text(y.Derived.Doc)
		}
		if !b.m.AddKey(k) {
			b.fault(e.Node, "key '%s' is declared twice; the first is at %s", e.Name, b.m.KeyNamed(e.Name).Pos)
		}
	}
}

func values(list []Scalar) []string {
	var out []string
	for _, s := range list {
		out = append(out, s.Value)
	}
	return out
}

func (b *builder) rules(f RulesFile) {
	conds := func(in []CondY) []model.Cond {
		var out []model.Cond
		for _, c := range in {
			out = append(out, model.Cond{
				Key: c.Key.Value, Pos: posOf(b.file, c.Key.Node), Is: c.Is, In: values(c.In), Set: c.Set, Explicit: c.Explicit,
				ExplicitBy: c.ExplicitBy, Above: c.Above, BelowKey: c.BelowKey, Loopback: c.Loopback,
			})
		}
		return out
	}
	for _, e := range f.Rules {
		y := e.Value
		b.m.Rules = append(b.m.Rules, &model.Rule{
			Name: e.Name, Pos: posOf(b.file, e.Node), If: conds(y.If), Need: conds(y.Need), NeedAny: conds(y.NeedAny),
			Code: y.Code.Value, Reason: text(y.Reason),
		})
	}
}

func (b *builder) cli(f CLIFile) {
	for _, e := range f.Commands {
		y := e.Value
		c := &model.Command{Name: e.Name, Pos: posOf(b.file, e.Node), Doc: text(y.Doc), Stage: model.Stage(y.Stage),
			AllKeys: y.ServerFlags.All, Args: b.fields(y.Args), Flags: b.fields(y.Flags)}
		c.Deprecated = b.deprecation(y.Deprecated)
		c.Doc = c.Deprecated.Describe(c.Doc)
		for _, k := range y.ServerFlags.Keys {
			c.Keys = append(c.Keys, model.NameAt{Name: k.Value, Pos: posOf(b.file, k.Node)})
		}
		b.m.Commands = append(b.m.Commands, c)
	}
	for _, e := range f.ExitCodes {
		n, err := strconv.Atoi(e.Name)
		if err != nil {
			b.fault(e.Node, "an exit code is a number, not '%s'", e.Name)
		}
		b.m.ExitCodes = append(b.m.ExitCodes, model.ExitCode{Code: n, Pos: posOf(b.file, e.Node), Name: e.Value.Name, Doc: text(e.Value.Doc)})
	}
}
