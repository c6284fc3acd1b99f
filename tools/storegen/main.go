// Command storegen compiles ent/schema: it writes the client to gen/ent, and with -migration the next file of
// ent/migrations, which takes a database from the schema that the files there make to the present one.
package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"

	atlas "ariga.io/atlas/sql/migrate"
	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"entgo.io/ent/dialect/sql/schema"
	"entgo.io/ent/entc"
	"entgo.io/ent/entc/gen"
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
	graph, err := generate(clientDir)
	if err != nil {
		return fmt.Errorf("client: %w", err)
	}
	if name == "" {
		return nil
	}
	tables, err := graph.Tables()
	if err != nil {
		return err
	}
	return plan(context.Background(), migrationDir, name, tables)
}

// generate writes the client to dir.
func generate(dir string) (*gen.Graph, error) {
	graph, err := load(dir)
	if err != nil {
		return nil, err
	}
	return graph, graph.Gen()
}

// load reads the schema, for a client in dir.
func load(dir string) (*gen.Graph, error) {
	storage, err := gen.NewStorage("sql")
	if err != nil {
		return nil, err
	}
	return entc.LoadGraph(schemaDir, &gen.Config{
		Storage: storage,
		Target:  dir,
		Package: "github.com/browserhive/browserhive/gen/ent",
		// The store counts up rows that are there already, and asks for what no builder says.
		Features: []gen.Feature{gen.FeatureUpsert, gen.FeatureExecQuery},
	})
}

// plan writes the migration that is missing.
func plan(ctx context.Context, dir, name string, tables []*schema.Table) (err error) {
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
	m, err := schema.NewMigrate(entsql.OpenDB(dialect.SQLite, db),
		schema.WithDir(files), schema.WithMigrationMode(schema.ModeReplay), schema.WithDialect(dialect.SQLite),
		schema.WithFormatter(numbered(len(there)+1)), schema.WithDropColumn(true), schema.WithDropIndex(true),
		schema.WithErrNoPlan(true), schema.WithForeignKeys(true))
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
