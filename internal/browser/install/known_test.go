package install

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// placed writes a program and a data directory with a place for drivers.
func placed(t *testing.T) (root, path string) {
	t.Helper()
	root = t.TempDir()
	if err := os.MkdirAll(Paths{root}.drivers(), 0o700); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("one"), 0o755); err != nil {
		t.Fatal(err)
	}
	return root, path
}

func TestKnownAnswersCountForTheProgramAsItIs(t *testing.T) {
	t.Parallel()
	root, path := placed(t)
	known := OpenKnown(root)
	if _, ok := known.Get(path, "version"); ok {
		t.Error("something is known before anybody asked")
	}
	known.Put(path, "version", json.RawMessage(`"1.2"`))
	known.Put(filepath.Join(root, "gone"), "version", json.RawMessage(`"1.2"`))
	if runtime.GOOS == "linux" {
		known = OpenKnown(root) // As the next start does.
	}
	if answer, ok := known.Get(path, "version"); !ok || string(answer) != `"1.2"` {
		t.Errorf("got %s, %v", answer, ok)
	}
	if _, ok := known.Get(path, "report"); ok {
		t.Error("another question has its answer")
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	if _, ok := known.Get(path, "version"); ok {
		t.Error("a program that has changed has the answer of the old one")
	}
	known.Put(path, "report", json.RawMessage(`1`))
	if _, ok := known.Get(path, "version"); ok {
		t.Error("the old answer came back with a new one")
	}
	other := OpenKnown(root)
	other.host = "another host"
	if _, ok := other.Get(path, "report"); ok {
		t.Error("an answer of another host counts")
	}
}

func TestKnownFileThatCannotBeReadIsReplaced(t *testing.T) {
	t.Parallel()
	if hostStamp() == "" {
		t.Skip("nothing is kept on this system")
	}
	root, path := placed(t)
	for _, content := range []string{"", "null", "{", `{"a": 1}`, `[]`} {
		if err := os.WriteFile(Paths{root}.known(), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		OpenKnown(root).Put(path, "version", json.RawMessage(`"3"`))
		if answer, ok := OpenKnown(root).Get(path, "version"); !ok || string(answer) != `"3"` {
			t.Errorf("after %q: %s, %v", content, answer, ok)
		}
		if info, err := os.Stat(Paths{root}.known()); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("after %q: %v, %v", content, info.Mode(), err)
		}
	}
	bare := OpenKnown(t.TempDir())
	bare.Put(path, "version", json.RawMessage(`"3"`))
	if _, ok := bare.Get(path, "version"); !ok {
		t.Error("without a directory to keep it, nothing is known in this process either")
	}
}

func TestKnownOfTwoIsThatOfBoth(t *testing.T) {
	t.Parallel()
	if hostStamp() == "" {
		t.Skip("nothing is kept on this system")
	}
	root, path := placed(t)
	one, two := OpenKnown(root), OpenKnown(root)
	one.Put(path, "version", json.RawMessage(`1`))
	two.Put(path, "report", json.RawMessage(`2`))
	for _, question := range []string{"version", "report"} {
		if _, ok := OpenKnown(root).Get(path, question); !ok {
			t.Errorf("the answer to %s is lost", question)
		}
	}
}

func TestKnownIsBounded(t *testing.T) {
	t.Parallel()
	root, path := placed(t)
	known := OpenKnown(root)
	for i := range 3 * maxPrograms {
		file := filepath.Join(root, fmt.Sprint(i))
		if err := os.WriteFile(file, nil, 0o755); err != nil {
			t.Fatal(err)
		}
		known.Put(file, "version", json.RawMessage(`1`))
	}
	for i := range 3 * maxAnswers {
		known.Put(path, fmt.Sprint(i), json.RawMessage(`1`))
	}
	if len(known.programs) > maxPrograms || len(known.programs[path].Answers) > maxAnswers {
		t.Errorf("%d programs, %d answers", len(known.programs), len(known.programs[path].Answers))
	}
	if _, ok := known.Get(path, fmt.Sprint(3*maxAnswers-1)); !ok {
		t.Error("the last answer is gone")
	}
}
