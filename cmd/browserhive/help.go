package main

import (
	"context"
	"fmt"

	"github.com/browserhive/browserhive/gen/cli"
	"github.com/browserhive/browserhive/internal/config"
)

func help(_ context.Context, p *program, in *config.Invocation) (int, error) {
	p.printHelp(in.Args["command"], in.Args["command"] != "")
	return cli.ExitOk, nil
}

// printHelp prints the help of a command, or of the program when no command was named.
func (p *program) printHelp(name string, named bool) {
	if named {
		for _, c := range cli.Commands {
			if c.Name == name {
				fmt.Fprint(p.stdout, c.Help)
				return
			}
		}
	}
	fmt.Fprint(p.stdout, cli.Help)
}
