package main

import (
	"bytes"
	_ "embed"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"entgo.io/ent/entc/gen"
)

//go:embed row.tmpl
var rowTemplate string

// generateRows writes package row for the entities of a graph.
func generateRows(graph *gen.Graph, dir string) error {
	t, err := template.New("row").Funcs(template.FuncMap{
		"columns": columns,
		"names": func(columns []*gen.Field) string {
			names := make([]string, len(columns))
			for i, c := range columns {
				names[i] = c.StorageKey()
			}
			return strings.Join(names, ", ")
		},
		"placeholders": func(columns []*gen.Field) string {
			return strings.TrimSuffix(strings.Repeat("?, ", len(columns)), ", ")
		},
	}).Parse(rowTemplate)
	if err != nil {
		return err
	}
	var source bytes.Buffer
	if err := t.Execute(&source, graph); err != nil {
		return err
	}
	formatted, err := format.Source(source.Bytes())
	if err != nil {
		return err
	}
	dir = filepath.Join(dir, "row")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "row.go"), formatted, 0o644)
}

// columns are those of an entity, without an id that the database chooses.
func columns(entity *gen.Type) []*gen.Field {
	if !entity.ID.UserDefined {
		return entity.Fields
	}
	return append([]*gen.Field{entity.ID}, entity.Fields...)
}
