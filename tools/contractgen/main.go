// Command contractgen compiles contracts/ into Go, TypeScript, OpenAPI, AsyncAPI, JSON Schema and the
// reference documents.
//
//	contractgen          write what changed
//	contractgen -check   write nothing; fail when a file is stale
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/browserhive/browserhive/tools/contractgen/internal/emit"
	"github.com/browserhive/browserhive/tools/contractgen/internal/generate"
	"github.com/browserhive/browserhive/tools/contractgen/internal/write"
)

func main() {
	check := flag.Bool("check", false, "write nothing; fail when a generated file is stale")
	root := flag.String("root", ".", "root of the repository")
	flag.Parse()
	if err := run(*root, *check); err != nil {
		fmt.Fprintln(os.Stderr, "contractgen:", err)
		os.Exit(1)
	}
}

func run(root string, check bool) error {
	files, faults, err := generate.Run(os.DirFS(root))
	if err != nil {
		return err
	}
	for _, f := range faults {
		fmt.Fprintf(os.Stderr, "%s\n", f)
	}
	if len(faults) > 0 {
		return fmt.Errorf("%d faults in the contract", len(faults))
	}
	diffs, err := write.Compare(root, files, emit.Owned, emit.Kept)
	if err != nil {
		return err
	}
	if check {
		for _, d := range diffs {
			fmt.Fprintf(os.Stderr, "%s: %s\n", d.Path, d.Why)
		}
		if len(diffs) > 0 {
			return fmt.Errorf("%d generated files are stale; run %s", len(diffs), generate.Command)
		}
		return nil
	}
	if err := write.Apply(root, files, diffs); err != nil {
		return err
	}
	for _, d := range diffs {
		fmt.Println(d.Why, d.Path)
	}
	return nil
}
