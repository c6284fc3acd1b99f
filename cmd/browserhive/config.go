package main

import (
	"context"
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/browserhive/browserhive/docs/reference"
	"github.com/browserhive/browserhive/gen/cli"
	gen "github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/internal/settings"
)

func configSchema(_ context.Context, p *program, _ *settings.Invocation) (int, error) {
	_, err := p.stdout.Write(reference.ConfigSchema)
	return cli.ExitOk, err
}

// shown is one key as config show --json prints it.
type shown struct {
	Value    any             `json:"value"`
	Source   string          `json:"source"`
	Origin   string          `json:"origin,omitempty"`
	Shadowed []shownShadowed `json:"shadowed"`
}

type shownShadowed struct {
	Source string `json:"source"`
	Value  string `json:"value"`
}

func configShow(_ context.Context, p *program, in *settings.Invocation) (int, error) {
	set, err := p.settings(in)
	if err != nil {
		return 0, err
	}
	if in.Flags["json"] == "true" {
		out := map[string]shown{}
		for _, pr := range set.Provenance {
			s := shown{Value: shownValue(set, pr), Source: string(pr.Source), Origin: pr.Origin, Shadowed: []shownShadowed{}}
			for _, sh := range pr.Shadowed {
				s.Shadowed = append(s.Shadowed, shownShadowed{string(sh.Source), sh.Value})
			}
			out[pr.Key] = s
		}
		e := json.NewEncoder(p.stdout)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return cli.ExitOk, e.Encode(out)
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	for _, pr := range set.Provenance {
		shadow := ""
		for _, sh := range pr.Shadowed {
			shadow += fmt.Sprintf(" shadows %s=%s", sh.Source, sh.Value)
		}
		v := pr.Value
		if v == "" {
			v = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s%s\n", pr.Key, v, pr.Source, shadow)
	}
	return cli.ExitOk, w.Flush()
}

func configValidate(_ context.Context, p *program, in *settings.Invocation) (int, error) {
	set, errs := settings.ResolveAll(p.input(in))
	code := cli.ExitOk
	for _, err := range errs {
		// The first fault decides the exit code, as it would for serve.
		if c := p.fail(err); code == cli.ExitOk {
			code = c
		}
	}
	if len(errs) > 0 {
		return code, nil
	}
	for _, n := range set.Notes {
		fmt.Fprintln(p.stdout, n)
	}
	file := "no config file"
	if set.File != "" {
		file = set.File
	}
	fmt.Fprintf(p.stdout, "The configuration is valid (%s).\n", file)
	return code, nil
}

// shownValue is a value as JSON: secrets hidden, durations and sizes as text with their unit, null when
// unset.
func shownValue(set *settings.Resolved, pr settings.Provenance) any {
	for _, k := range gen.Keys {
		if k.Name != pr.Key {
			continue
		}
		switch k.Grammar {
		case "boolean", "integer", "number", "port", "list", "map":
			if !k.Secret {
				return set.Config.Get(k.Name)
			}
		}
	}
	if pr.Value == "" {
		return nil
	}
	return pr.Value
}
