// Package load reads the contract's YAML into the model. It checks the grammar of each file; what
// concerns several things at once is package check's.
package load

import (
	"io/fs"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

// Dir is where the contract is in the repository.
const Dir = "contracts"

// source is one parsed file.
type source struct {
	file   string // relative to the repository
	family string
	root   *yaml.Node
}

// Load reads the contract of the repository fsys. The model is nil when a file does not follow the
// grammar; otherwise it is whole but for the faults, so that the rules between files can be checked in
// the same run. Faults are in order of file and line.
func Load(fsys fs.FS) (*model.Model, []model.Fault, error) {
	v, err := grammar()
	if err != nil {
		return nil, nil, err
	}
	var faults []model.Fault
	var sources []source
	fault := func(file, msg string) {
		faults = append(faults, model.Fault{Pos: model.Pos{File: file, Line: 1, Column: 1}, Msg: msg})
	}
	err = fs.WalkDir(fsys, Dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch path.Ext(p) {
		case ".yml":
			fault(p, "a contract file is named *.yaml, so this one would not be read")
			return nil
		case ".yaml":
		default:
			return nil
		}
		family := familyOf(p)
		if family == "" {
			fault(p, "the file belongs to no family of the contract: types, errors, tools, config, cli, http, ws")
			return nil
		}
		raw, err := fs.ReadFile(fsys, p)
		if err != nil {
			return err
		}
		root, found := read(v, family, p, raw)
		faults = append(faults, found...)
		sources = append(sources, source{file: p, family: family, root: root})
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if len(faults) > 0 {
		return nil, model.SortFaults(faults), nil
	}
	b := &builder{m: &model.Model{}}
	for _, s := range sources {
		b.read(s)
	}
	b.finish()
	return b.m, model.SortFaults(b.faults), nil
}

// read parses one file and holds it to the grammar of its family.
func read(v *validator, family, file string, raw []byte) (*yaml.Node, []model.Fault) {
	root, faults := parse(file, raw)
	if len(faults) > 0 {
		return nil, faults
	}
	doc, faults := plain(file, root)
	return root, v.check(family, file, root, doc, faults)
}

// familyOf tells the kind of a file from its place, "" when none of a kind belongs there.
func familyOf(p string) string {
	dir, base := path.Split(strings.TrimPrefix(p, Dir+"/"))
	switch dir {
	case "types/", "errors/", "ws/", "cli/":
		return strings.TrimSuffix(dir, "/")
	case "tools/":
		if base == "catalogue.yaml" {
			return "catalogue"
		}
		return "tools"
	case "config/":
		switch base {
		case "rules.yaml", "reserved.yaml":
			return strings.TrimSuffix(base, ".yaml")
		}
		return "config"
	case "http/":
		if base == "scopes.yaml" {
			return "scopes"
		}
		return "http"
	}
	return ""
}
