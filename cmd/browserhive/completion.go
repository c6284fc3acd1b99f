package main

import (
	"context"
	"embed"
	"fmt"
	"strings"

	"github.com/browserhive/browserhive/gen/cli"
	"github.com/browserhive/browserhive/internal/settings"
)

// scripts make a shell ask complete. They know no command and no flag, so they never grow old.
//
//go:embed completion/*.sh
var scripts embed.FS

func completion(_ context.Context, p *program, in *settings.Invocation) (int, error) {
	script, err := scripts.ReadFile("completion/" + in.Args["shell"] + ".sh")
	if err != nil {
		return 0, err
	}
	_, err = p.stdout.Write(script)
	return cli.ExitOk, err
}

// complete prints the words that can stand at the end of a line, each with a tab and what it is. Where a
// path can stand, the one line is ":file", a tab and what stands before the path in the same word.
func complete(_ context.Context, p *program, in *settings.Invocation) (int, error) {
	words := joined(strings.Split(in.Args["line"], "\n"))
	c := settings.Complete(words[1:])
	if c.Files {
		_, err := fmt.Fprintf(p.stdout, ":file\t%s\n", c.Prefix)
		return cli.ExitOk, err
	}
	var b strings.Builder
	for _, one := range c.Candidates {
		fmt.Fprintf(&b, "%s\t%s\n", one.Text, one.Doc)
	}
	_, err := fmt.Fprint(p.stdout, b.String())
	return cli.ExitOk, err
}

// joined undoes what bash does to --flag=value, which it takes for three words.
func joined(words []string) []string {
	out := words[:1:1]
	for i := 1; i < len(words); i++ {
		last := len(out) - 1
		if words[i] == "=" && last > 0 && strings.HasPrefix(out[last], "--") {
			out[last] += "="
			if i+1 < len(words) {
				i++
				out[last] += words[i]
			}
			continue
		}
		out = append(out, words[i])
	}
	return out
}
