// Command storegen compiles ent/schema: it writes clients and rows to gen/ent, and with -migration the next file of
// ent/migrations, which takes a database from the schema that the files there make to the present one.
package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"

	atlas "ariga.io/atlas/sql/migrate"
	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	entschema "entgo.io/ent/dialect/sql/schema"
	"entgo.io/ent/entc/gen"
	entload "entgo.io/ent/entc/load"
	_ "modernc.org/sqlite" // Migrations are planned on a database in memory.
)

func main() {
	name := flag.String("migration", "", "write the next migration under this name, if the schema has changed")
	flag.Parse()
	if err := run(*name); err != nil {
		fmt.Fprintln(os.Stderr, "storegen:", err)
		os.Exit(1)
	}
}

// The places, seen from the root of the repository.
const (
	schemaDir    = "./ent/schema"
	clientDir    = "gen/ent"
	migrationDir = "ent/migrations"
)

func run(name string) error {
	schemas, err := load()
	if err != nil {
		return err
	}
	if err := schemas.generate(clientDir); err != nil {
		return fmt.Errorf("client: %w", err)
	}
	if name == "" {
		return nil
	}
	tables, err := schemas.tables()
	if err != nil {
		return err
	}
	return plan(context.Background(), migrationDir, name, tables)
}

// clientAnnotation is the name of the annotation schema.Client.
const clientAnnotation = "Client"

// schemas are the declared entities.
type schemas struct{ spec *entload.SchemaSpec }

// load reads them.
func load() (schemas, error) {
	spec, err := (&entload.Config{Path: schemaDir}).Load()
	return schemas{spec}, err
}

// tables are those of all entities.
func (s schemas) tables() ([]*entschema.Table, error) {
	graph, err := s.graph("", s.spec.Schemas)
	if err != nil {
		return nil, err
	}
	return graph.Tables()
}

// generate writes to dir, which is emptied, a client for the entities that are declared with one, and rows of
// the others.
func (s schemas) generate(dir string) error {
	var clients, rows []*entload.Schema
	for _, one := range s.spec.Schemas {
		alone := *one
		// Edges make foreign keys; a client follows none of them.
		alone.Edges = nil
		if _, ok := one.Annotations[clientAnnotation]; ok {
			clients = append(clients, &alone)
		} else {
			rows = append(rows, &alone)
		}
	}
	client, err := s.graph(dir, clients)
	if err != nil {
		return err
	}
	row, err := s.graph(dir, rows)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return errors.Join(client.Gen(), generateRows(row, dir))
}

// graph is a graph of entities, for a client in dir.
func (s schemas) graph(dir string, list []*entload.Schema) (*gen.Graph, error) {
	storage, err := gen.NewStorage("sql")
	if err != nil {
		return nil, err
	}
	if dir != "" {
		storage.SchemaMode &^= gen.Migrate // Files of SQL migrate, and not the client.
	}
	return gen.NewGraph(&gen.Config{
		Schema:  s.spec.PkgPath,
		Storage: storage,
		Target:  dir,
		Package: "github.com/browserhive/browserhive/gen/ent",
		// The store sends SQL of its own in the transactions of the client.
		Features: []gen.Feature{gen.FeatureExecQuery},
	}, list...)
}

// What ent writes for hooks and for tests on other databases is used by nobody.
func init() {
	gen.GraphTemplates = slices.DeleteFunc(gen.GraphTemplates, func(t gen.GraphTemplate) bool {
		return t.Name == "hook" || t.Name == "enttest"
	})
}

// plan writes the migration that is missing.
func plan(ctx context.Context, dir, name string, tables []*entschema.Table) (err error) {
	files, err := atlas.NewLocalDir(dir)
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", "file:plan?mode=memory&cache=shared&_pragma=foreign_keys(1)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	there, err := files.Files()
	if err != nil {
		return err
	}
	m, err := entschema.NewMigrate(entsql.OpenDB(dialect.SQLite, db),
		entschema.WithDir(files), entschema.WithMigrationMode(entschema.ModeReplay), entschema.WithDialect(dialect.SQLite),
		entschema.WithFormatter(numbered(len(there)+1)), entschema.WithDropColumn(true), entschema.WithDropIndex(true),
		entschema.WithErrNoPlan(true), entschema.WithForeignKeys(true))
	if err != nil {
		return err
	}
	if err := m.NamedDiff(ctx, name, tables...); err != nil && !errors.Is(err, atlas.ErrNoPlan) {
		return fmt.Errorf("migration: %w", err)
	}
	return nil
}

// numbered names a file by its place: times would put two of one second in the wrong order.
type numbered int

func (n numbered) Format(p *atlas.Plan) ([]atlas.File, error) {
	p.Version = fmt.Sprintf("%04d", int(n))
	return atlas.DefaultFormatter.Format(p)
}
