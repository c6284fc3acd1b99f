package install

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Known remembers what programs of this host have answered, because asking takes a start of the program: its
// version, or what the pages of a browser see. An answer counts for the program at that path, of that size and
// time of change, on a host of that stamp. It is kept in the data directory, where there is one with a driver
// directory; a file that cannot be read or written costs the time to ask again and nothing else.
type Known struct {
	path string
	host string

	mu       sync.Mutex
	programs map[string]program
}

// program is what is known of the program at one path.
type program struct {
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	Host     string    `json:"host"`
	// Answers are by question.
	Answers map[string]json.RawMessage `json:"answers"`
}

const (
	// maxPrograms bounds what is remembered: Node.js and each kind of browser, in some versions.
	maxPrograms = 16
	// maxAnswers bounds it for one program: its version, and what its pages see in each way to run it.
	maxAnswers = 16
	// maxKnownSize bounds the file that is read back, in bytes; one that is full has some 200 KiB.
	maxKnownSize = 4 << 20
)

// OpenKnown reads what is known in the data directory.
func OpenKnown(root string) *Known {
	k := &Known{path: Paths{root}.known(), host: hostStamp()}
	k.programs = k.read()
	return k
}

// read returns what the file holds.
func (k *Known) read() map[string]program {
	programs := map[string]program{}
	if info, err := os.Stat(k.path); err != nil || info.Size() > maxKnownSize {
		return programs
	}
	content, err := os.ReadFile(k.path)
	if err != nil || json.Unmarshal(content, &programs) != nil || programs == nil {
		return map[string]program{}
	}
	return programs
}

// now is the program as it is, without answers; ok is false where there is none.
func (k *Known) now(path string) (p program, ok bool) {
	info, err := os.Stat(path)
	if err != nil {
		return p, false
	}
	return program{Size: info.Size(), Modified: info.ModTime().UTC(), Host: k.host}, true
}

// same reports whether the answers of one count for the other.
func (p program) same(other program) bool {
	return p.Size == other.Size && p.Modified.Equal(other.Modified) && p.Host == other.Host
}

// Get returns the answer of the program at path to the question.
func (k *Known) Get(path, question string) (answer json.RawMessage, ok bool) {
	now, there := k.now(path)
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.programs[path]
	if !there || !p.same(now) {
		return nil, false
	}
	answer, ok = p.Answers[question]
	return answer, ok
}

// Put keeps an answer, which must be JSON.
func (k *Known) Put(path, question string, answer json.RawMessage) {
	now, there := k.now(path)
	if !there {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for path, written := range k.read() { // Another one, for the same directory, may have learned more.
		if own, ok := k.programs[path]; ok && own.same(written) {
			written.Answers = merged(written.Answers, own.Answers)
		}
		k.programs[path] = written
	}
	p := k.programs[path]
	if !p.same(now) {
		p = now
	}
	answers := maps.Clone(p.Answers)
	if answers == nil || len(answers) >= maxAnswers {
		answers = map[string]json.RawMessage{} // Questions of older versions of ours.
	}
	answers[question] = answer
	p.Answers = answers
	k.programs[path] = p
	k.drop()
	k.save()
}

// merged are the answers of both; those of the second where both have one.
func merged(one, two map[string]json.RawMessage) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	maps.Copy(all, one)
	maps.Copy(all, two)
	return all
}

// CopyTo makes all that is known known in another data directory, for a new server beside an older one.
func (k *Known) CopyTo(root string) error {
	k.mu.Lock()
	content, err := json.Marshal(k.programs)
	k.mu.Unlock()
	if err != nil {
		return err
	}
	path := Paths{root}.known()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return replaceFile(path, content, 0o600)
}

// drop forgets programs that are gone or have changed when there are too many.
func (k *Known) drop() {
	if len(k.programs) <= maxPrograms {
		return
	}
	maps.DeleteFunc(k.programs, func(path string, p program) bool {
		now, there := k.now(path)
		return !there || !p.same(now)
	})
	for _, path := range slices.Sorted(maps.Keys(k.programs)) {
		if len(k.programs) <= maxPrograms {
			return
		}
		delete(k.programs, path)
	}
}

// save writes the file, if what is known holds beyond this process.
func (k *Known) save() {
	if k.host == "" {
		return
	}
	if _, err := os.Stat(filepath.Dir(k.path)); err != nil {
		return
	}
	if content, err := json.Marshal(k.programs); err == nil {
		_ = replaceFile(k.path, content, 0o600)
	}
}
