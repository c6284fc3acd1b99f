// Package load reads the contract's YAML into the model. It checks the grammar of each file; what
// concerns several things at once is package check's.
package load

import (
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/browserhive/browserhive/tools/contractgen/internal/model"
)

// source is one parsed file.
type source struct {
	file   string // relative to the contract root
	family string
	root   *yaml.Node
}

// Load reads the contract under fsys. The model is nil when a file does not follow the grammar;
// faults are in order of file and line.
func Load(fsys fs.FS) (*model.Model, []model.Fault, error) {
	v, err := newValidator()
	if err != nil {
		return nil, nil, err
	}
	var files []string
	err = fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() && path.Ext(p) == ".yaml" {
			files = append(files, p)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	sort.Strings(files)
	var faults []model.Fault
	var sources []source
	for _, p := range files {
		fam, ok := familyOf(p)
		if !ok {
			faults = append(faults, model.Fault{Pos: model.Pos{File: p, Line: 1, Column: 1},
				Msg: "the file belongs to no family of the contract; see contracts/README.md"})
			continue
		}
		raw, err := fs.ReadFile(fsys, p)
		if err != nil {
			return nil, nil, err
		}
		root, fs := parse(p, raw)
		faults = append(faults, fs...)
		if root == nil {
			continue
		}
		doc, fs := plain(p, "", root)
		faults = append(faults, fs...)
		faults = append(faults, v.check(fam, p, root, doc)...)
		sources = append(sources, source{file: p, family: fam, root: root})
	}
	if len(faults) > 0 {
		return nil, faults, nil
	}
	b := &builder{m: &model.Model{}}
	for _, s := range sources {
		b.read(s)
	}
	b.finish()
	return b.m, b.faults, nil
}

// familyOf tells the kind of a file from its place.
func familyOf(p string) (string, bool) {
	dir, base := path.Split(p)
	switch strings.TrimSuffix(dir, "/") {
	case "types", "errors", "ws", "cli":
		return strings.TrimSuffix(dir, "/"), true
	case "tools":
		if base == "catalogue.yaml" {
			return "catalogue", true
		}
		return "tools", true
	case "config":
		switch base {
		case "rules.yaml", "reserved.yaml":
			return strings.TrimSuffix(base, ".yaml"), true
		}
		return "config", true
	case "http":
		if base == "scopes.yaml" {
			return "scopes", true
		}
		return "http", true
	}
	return "", false
}

// parse reads one document and refuses what would make positions or values ambiguous.
func parse(file string, raw []byte) (*yaml.Node, []model.Fault) {
	var doc yaml.Node
	if err := yaml.Unmarshal(raw, &doc); err != nil {
		line, msg := 1, strings.TrimPrefix(err.Error(), "yaml: ")
		if rest, ok := strings.CutPrefix(msg, "line "); ok {
			if num, text, ok := strings.Cut(rest, ": "); ok {
				if n, err := strconv.Atoi(num); err == nil {
					line, msg = n, text
				}
			}
		}
		return nil, []model.Fault{{Pos: model.Pos{File: file, Line: line, Column: 1}, Msg: "not YAML: " + msg}}
	}
	if len(doc.Content) == 0 {
		return nil, []model.Fault{{Pos: model.Pos{File: file, Line: 1, Column: 1}, Msg: "the file is empty"}}
	}
	return doc.Content[0], nil
}

// maxDepth bounds nesting: the deepest honest contract has a dozen levels, and recursion over a
// hostile file must end.
const maxDepth = 64

// plain turns a node into JSON values and reports repeated keys.
func plain(file, name string, n *yaml.Node) (any, []model.Fault) { return plainAt(file, name, n, 0) }

func plainAt(file, name string, n *yaml.Node, depth int) (any, []model.Fault) {
	if depth > maxDepth {
		return nil, []model.Fault{{Pos: posOf(file, n), Msg: "nested too deeply"}}
	}
	switch n.Kind {
	case yaml.MappingNode:
		out, first := map[string]any{}, map[string]*yaml.Node{}
		var faults []model.Fault
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, v := n.Content[i], n.Content[i+1]
			if k.Kind != yaml.ScalarNode {
				faults = append(faults, model.Fault{Pos: posOf(file, k), Msg: "a key must be a plain word"})
				continue
			}
			if prev := first[k.Value]; prev != nil {
				faults = append(faults, model.Fault{Pos: posOf(file, k),
					Msg: fmt.Sprintf("'%s' stands twice; the first is on line %d", k.Value, prev.Line)})
				continue
			}
			first[k.Value] = k
			val, fs := plainAt(file, k.Value, v, depth+1)
			faults = append(faults, fs...)
			out[k.Value] = val
		}
		return out, faults
	case yaml.SequenceNode:
		out := []any{}
		var faults []model.Fault
		for _, c := range n.Content {
			val, fs := plainAt(file, name, c, depth+1)
			faults = append(faults, fs...)
			out = append(out, val)
		}
		return out, faults
	case yaml.ScalarNode:
		var v any
		if err := n.Decode(&v); err != nil {
			return nil, []model.Fault{{Pos: posOf(file, n), Msg: fmt.Sprintf("%s: not a value: %v", orFile(name), err)}}
		}
		switch x := v.(type) {
		case int:
			return float64(x), nil
		case int64:
			return float64(x), nil
		case uint64:
			return float64(x), nil
		case string, bool, float64, nil:
			return v, nil
		}
		return n.Value, nil
	}
	return nil, []model.Fault{{Pos: posOf(file, n), Msg: "anchors and aliases are not used in contracts"}}
}

func posOf(file string, n *yaml.Node) model.Pos {
	if n == nil {
		return model.Pos{File: file, Line: 1, Column: 1}
	}
	return model.Pos{File: file, Line: n.Line, Column: n.Column}
}

// locate follows a JSON path to a node and names the last mapping key on the way.
func locate(n *yaml.Node, at []string) (*yaml.Node, string) {
	name := ""
	for _, step := range at {
		switch n.Kind {
		case yaml.MappingNode:
			_, v := locateKey(n, step)
			if v == nil {
				return n, name
			}
			n, name = v, step
		case yaml.SequenceNode:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(n.Content) {
				return n, name
			}
			n = n.Content[i]
		default:
			return n, name
		}
	}
	return n, name
}

func locateKey(n *yaml.Node, key string) (k, v *yaml.Node) {
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				return n.Content[i], n.Content[i+1]
			}
		}
	}
	return n, nil
}
