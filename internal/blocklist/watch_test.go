package blocklist

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
)

// A file that is still being written is left alone until it rests.
func TestWatchWaitsUntilTheFileRests(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "list")
	write := func(content string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.example\n")
	s, err := Load(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	w := watch{source: s, settled: look(path)}
	for _, c := range []struct{ content, want string }{
		{"a.example\nhal", "a.example"},
		{"a.example\nhalf.exa", "a.example"},
		{"b.example\n", "a.example"},
		{"b.example\n", "b.example"}, // The second look at it.
		{"b.example\n", "b.example"},
	} {
		if c.content != string(must(read(path))) {
			write(c.content)
		}
		w.step(look(path))
		if got := s.List().Rules()[0]; got != c.want || len(s.List().Rules()) != 1 {
			t.Errorf("after %q: %v, want %s", c.content, s.List().Rules(), c.want)
		}
	}
}

func must(content []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return content
}
