//go:build unix

package store_test

import (
	"bufio"
	"context"
	"database/sql/driver"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"modernc.org/sqlite"

	"github.com/browserhive/browserhive/ent/migrations"
	"github.com/browserhive/browserhive/internal/store"
)

// The test program plays the server that is killed.
const (
	roleVariable = "BROWSERHIVE_TEST_ROLE"
	dirVariable  = "BROWSERHIVE_TEST_DIR"
)

var roles = map[string]func(dir string) error{"write": writeUntilKilled, "migrate": migrateUntilKilled}

func TestMain(m *testing.M) {
	if role := roles[os.Getenv(roleVariable)]; role != nil {
		fmt.Fprintln(os.Stderr, role(os.Getenv(dirVariable)))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// victim starts the program in a role. Its lines come from the scanner.
func victim(t *testing.T, role, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+role, dirVariable+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, bufio.NewScanner(out)
}

// writeUntilKilled prints the id of each row that is durable.
func writeUntilKilled(dir string) error {
	s, err := store.Open(context.Background(), store.Options{Dir: dir})
	if err != nil {
		return err
	}
	out := make(chan string)
	var next atomic.Int64
	for range 4 {
		go func() {
			for {
				for range 20 { // Beside what others record.
					s.Add("auth_audit", audit(fmt.Sprintf("%d-%d", os.Getpid(), next.Add(1))))
				}
				id := fmt.Sprintf("%d-%d", os.Getpid(), next.Add(1))
				if err := s.Commit(context.Background(), "auth_audit", audit(id)); err == nil {
					out <- id
				}
			}
		}()
	}
	for id := range out {
		fmt.Println(id)
	}
	return nil
}

// Whenever the server is killed, the database opens and has every row that was acknowledged as durable.
func TestKilledWhileItWrites(t *testing.T) {
	t.Parallel()
	times := 50
	if testing.Short() {
		times = 5
	}
	dir := t.TempDir()
	acknowledged := 0
	for range times {
		cmd, lines := victim(t, "write", dir)
		var ids []string
		for n := 1 + rand.IntN(40); len(ids) < n && lines.Scan(); {
			ids = append(ids, lines.Text())
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // What it had printed by then.
			if strings.Count(lines.Text(), "-") == 1 {
				ids = append(ids, lines.Text())
			}
		}
		_ = cmd.Wait() // It was killed.
		s := open(t, store.Options{Dir: dir})
		for _, id := range ids {
			var found bool
			if err := s.Reads().QueryRow("SELECT EXISTS (SELECT 1 FROM auth_audit WHERE id = ?)", id).Scan(&found); err != nil || !found {
				t.Fatalf("row %s: %v, %v", id, found, err)
			}
		}
		acknowledged += len(ids)
		closed(t, s)
	}
	db := raw(t, path(dir))
	var result string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&result); err != nil || result != "ok" {
		t.Errorf("%s, %v", result, err)
	}
	t.Logf("%d kills, %d acknowledged rows", times, acknowledged)
}

// halting are migrations that never come to an end: the last says where it is and waits.
func halting() []migrations.Migration {
	list := later(2)
	return append(list, migrations.Migration{Version: len(list) + 1, Name: "halting", Reader: 1, Statements: []string{
		"INSERT INTO auth_audit (id, ts, action, ok) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT 'new-' || i, 1, 'test', 1 FROM n",
		"SELECT test_halt()",
	}})
}

var registerHalt = sync.OnceValue(func() error {
	return sqlite.RegisterScalarFunction("test_halt", 0, func(*sqlite.FunctionContext, []driver.Value) (driver.Value, error) {
		fmt.Println("halted")
		select {}
	})
})

func migrateUntilKilled(dir string) error {
	if err := registerHalt(); err != nil {
		return err
	}
	_, err := store.Open(context.Background(), store.Options{Dir: dir, Migrations: halting()})
	return err
}

// A server that is killed in the middle of a migration leaves the database as it was.
func TestKilledWhileItMigrates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	all := migrations.All()
	filled(t, dir, all, 3)
	cmd, lines := victim(t, "migrate", dir)
	if !lines.Scan() || lines.Text() != "halted" {
		t.Fatalf("it printed %q", lines.Text())
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // It was killed.
	s := open(t, store.Options{Dir: dir})
	if v, n := number(t, s.WriterConn(), "PRAGMA user_version"), count(t, s); v != int64(len(all)) || n != 3 {
		t.Errorf("version %d, %d rows", v, n)
	}
	closed(t, s)
	list, err := store.ListBackups(dir)
	if err != nil || len(list) != 1 || list[0].Version != len(all) {
		t.Errorf("backups %v, %v", list, err)
	}
	closed(t, open(t, store.Options{Dir: dir, Migrations: later(2)}))
}
