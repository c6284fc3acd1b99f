// Package authtest opens an authority on a database of its own, for tests.
package authtest

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/datadir"
	"github.com/browserhive/browserhive/internal/hosttest"
	"github.com/browserhive/browserhive/internal/secret"
	"github.com/browserhive/browserhive/internal/store"
)

// patience bounds what takes milliseconds.
var patience = hosttest.Limit(30 * time.Second)

// Authority is an authority with what it stands on. It ends with its test.
type Authority struct {
	*auth.Authority
	First   auth.First
	Store   *store.Store
	Dir     *datadir.Dir
	Secrets *secret.Redactor
}

// Open starts an authority in a data directory of its own.
func Open(t testing.TB, o auth.Options) *Authority {
	t.Helper()
	dir, err := datadir.Open(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	return OpenIn(t, dir, o)
}

// OpenIn starts an authority in a data directory. Whoever used it before has closed it.
func OpenIn(t testing.TB, dir *datadir.Dir, o auth.Options) *Authority {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Dir: dir.Root})
	if err != nil {
		t.Fatal(err)
	}
	a := &Authority{Store: s, Dir: dir, Secrets: &secret.Redactor{}}
	t.Cleanup(a.Close)
	if o.Store == nil {
		o.Store = s
	}
	o.Seed, o.Secrets = dir.SeedFile(), a.Secrets
	if a.Authority, a.First, err = auth.Open(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	return a
}

// Close writes what waits and closes the database.
func (a *Authority) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_ = a.Store.Close(ctx) // A test that needs what was written looks for it.
}

// Rows runs a query and returns its first column, which the query makes a text.
func (a *Authority) Rows(t testing.TB, query string) (out []string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(a.Dir.Root, store.FileName)+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		out = append(out, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
