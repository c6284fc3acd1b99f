// Package migrations holds the files that take a database from one version of the schema to the next, in
// the order of their names. `go run ./tools/storegen -migration <name>` writes them; one that was released
// never changes.
package migrations

import (
	"bufio"
	"bytes"
	"embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed *.sql
var files embed.FS

// Migration is one file.
type Migration struct {
	// Version is the version of the schema after it, from 1 on.
	Version int
	Name    string
	// Reader is the oldest version whose code can still read the database after it. Where it only adds
	// tables or columns, that is the Reader of the migration before.
	Reader     int
	Statements []string
}

// readerMark begins a line that sets Reader: a migration that older code cannot live with has it.
const readerMark = "-- reader: "

// All returns the migrations, oldest first. It panics on files that are not as they must be, which the
// tests would have seen.
func All() []Migration {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err)
	}
	var all []Migration
	reader := 1
	for i, e := range entries {
		version, name, ok := strings.Cut(strings.TrimSuffix(e.Name(), ".sql"), "_")
		if n, err := strconv.Atoi(version); err != nil || !ok || n != i+1 {
			panic(fmt.Sprintf("migration %s is not number %d", e.Name(), i+1))
		}
		content, err := files.ReadFile(e.Name())
		if err != nil {
			panic(err)
		}
		m := Migration{Version: i + 1, Name: name, Reader: reader}
		m.parse(content)
		reader = m.Reader
		all = append(all, m)
	}
	return all
}

// parse reads a file as storegen writes it: a statement a line, and comments.
func (m *Migration) parse(content []byte) {
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, len(content)+1)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		switch {
		case strings.HasPrefix(line, readerMark):
			n, err := strconv.Atoi(strings.TrimPrefix(line, readerMark))
			if err != nil || n > m.Version {
				panic(fmt.Sprintf("migration %d: %s", m.Version, line))
			}
			m.Reader = n
		// Foreign keys are off while migrations run; inside of a transaction the switch would do nothing.
		case line == "" || strings.HasPrefix(line, "--") || strings.HasPrefix(strings.ToUpper(line), "PRAGMA FOREIGN_KEYS"):
		default:
			m.Statements = append(m.Statements, line)
		}
	}
}
