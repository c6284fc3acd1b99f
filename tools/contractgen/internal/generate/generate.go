// Package generate is the compiler as a library: contract in, files out.
package generate

import (
	"io/fs"

	"github.com/browserhive/browserhive/tools/contractgen/internal/check"
	"github.com/browserhive/browserhive/tools/contractgen/internal/emit"
	"github.com/browserhive/browserhive/tools/contractgen/internal/load"
	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

// Command is what a developer runs after an edit, said wherever generated files are found stale.
const Command = "make generate"

// Run compiles the contract of the repository fsys. When faults is not empty nothing was emitted.
func Run(fsys fs.FS) (files emit.Files, faults []model.Fault, err error) {
	m, faults, err := load.Load(fsys)
	if err != nil {
		return nil, nil, err
	}
	if m != nil {
		faults = model.SortFaults(append(faults, check.Check(m)...))
	}
	if len(faults) > 0 {
		return nil, faults, nil
	}
	files, err = emit.All(m)
	if err != nil {
		return nil, nil, err
	}
	for name, b := range load.Schemas() {
		files[load.Dir+"/schema/"+name] = b
	}
	return files, nil, nil
}
