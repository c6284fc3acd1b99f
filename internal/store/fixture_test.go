package store_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/browserhive/browserhive/ent/migrations"
	"github.com/browserhive/browserhive/gen/ent"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/hosttest"
	"github.com/browserhive/browserhive/internal/store"
)

// patience bounds what takes milliseconds.
var patience = hosttest.Limit(30 * time.Second)

func open(t *testing.T, o store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_ = s.Close(ctx)
	})
	return s
}

func closed(t *testing.T, s *store.Store) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		t.Fatal(err)
	}
}

func wantCode(t *testing.T, err error, want contract.Code) {
	t.Helper()
	if got := contract.CodeOf(err); got != want {
		t.Errorf("error %v, want the code %s", err, want)
	}
}

func detailsOf[D any](t *testing.T, err error) (d D) {
	t.Helper()
	var failure *contract.Error
	if !errors.As(err, &failure) {
		t.Fatalf("%v has no details", err)
	}
	if err := json.Unmarshal(failure.Details, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// audit adds a row of the table with the fewest columns.
func audit(id string) func(context.Context, *ent.Tx) error { return store.Audit(id) }

func count(t *testing.T, s *store.Store) int {
	t.Helper()
	return int(number(t, s.Reads(), "SELECT count(*) FROM auth_audit"))
}

// raw opens the file without the store.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func execute(t *testing.T, db *sql.DB, statement string, args ...any) {
	t.Helper()
	if _, err := db.Exec(statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func number(t *testing.T, db *sql.DB, query string) (n int64) {
	t.Helper()
	if err := db.QueryRow(query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// later are the migrations of this program and made-up ones after them: a column, a table made anew that
// others refer to, and one that older programs cannot read.
func later(n int) []migrations.Migration {
	all := migrations.All()
	v := len(all)
	return append(all, []migrations.Migration{
		{Version: v + 1, Name: "column", Reader: 1, Statements: []string{"ALTER TABLE auth_audit ADD COLUMN extra text"}},
		{Version: v + 2, Name: "anew", Reader: 1, Statements: []string{
			"CREATE TABLE new_principals (id text NOT NULL, kind text NOT NULL, password_hash text, must_change_password bool NOT NULL DEFAULT false, password_changed_at integer, created_at integer NOT NULL, PRIMARY KEY (id))",
			"INSERT INTO new_principals SELECT id, kind, password_hash, must_change_password, password_changed_at, created_at FROM principals",
			"DROP TABLE principals",
			"ALTER TABLE new_principals RENAME TO principals",
		}},
		{Version: v + 3, Name: "breaking", Reader: v + 3, Statements: []string{"ALTER TABLE log_records RENAME TO records"}},
	}[:n]...)
}

// filled makes a database of the migrations that holds a principal with a token, and n audit rows.
func filled(t *testing.T, dir string, list []migrations.Migration, n int) {
	t.Helper()
	s := open(t, store.Options{Dir: dir, Migrations: list})
	err := s.Commit(t.Context(), "principals", func(ctx context.Context, tx *ent.Tx) error {
		if err := tx.Principal.Create().SetID("agent-1").SetKind("agent").SetCreatedAt(1).Exec(ctx); err != nil {
			return err
		}
		return tx.Credential.Create().SetID("c1").SetPrincipalID("agent-1").SetName("agent-1").SetKind("agent").
			SetPrefix("bh_12345").SetHash([]byte{1}).SetCreatedAt(1).Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		s.Add("auth_audit", audit(fmt.Sprint(i)))
	}
	closed(t, s)
}

func path(dir string) string { return filepath.Join(dir, store.FileName) }

func content(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
