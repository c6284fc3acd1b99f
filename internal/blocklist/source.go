package blocklist

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
)

// Source is a blocklist and the file that it comes from. It counts what its rules stop. It is safe for
// concurrent use.
type Source struct {
	path string
	log  *slog.Logger
	// now is the list in force, with the bytes that it was read from.
	now atomic.Pointer[loaded]

	mu     sync.Mutex
	hits   map[string]Hits // by pattern
	cancel context.CancelFunc
	done   chan struct{}
}

type loaded struct {
	list    *List
	content []byte
}

// Hits are how often a rule stopped something since the server started, by where that was.
type Hits struct{ Tool, Network int64 }

// maxFile bounds the file in bytes: the most rules that a list may have, at an ample hundred bytes each. A
// longer one is not a blocklist.
const maxFile = MaxRules * 100

// Load reads a blocklist. It fails with BLOCKLIST_LOAD_FAILED.
func Load(path string, log *slog.Logger) (*Source, error) {
	s := &Source{path: path, log: log, hits: map[string]Hits{}}
	content, err := read(path)
	if err == nil {
		err = s.put(content)
	}
	if err != nil {
		return nil, errcode.BlocklistLoadFailed{Path: path, Reason: reason(err)}.Err().Because(err)
	}
	return s, nil
}

func read(path string) ([]byte, error) {
	// Opening a pipe would wait for a writer.
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(content) > maxFile {
		err = fmt.Errorf("larger than %d MB", maxFile/1_000_000)
	}
	return content, err
}

// reason is what went wrong, without the path, which stands beside it.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// put makes the content the list in force, unless it is no list.
func (s *Source) put(content []byte) error {
	list, err := Parse(bytes.NewReader(content))
	if err != nil {
		return err
	}
	s.now.Store(&loaded{list, content})
	s.log.Info("blocklist loaded", "rules", len(list.Rules()), "skipped", len(list.Skipped()))
	for i, line := range list.Skipped() {
		if i == maxReported {
			s.log.Warn("more lines of the blocklist do nothing", "count", len(list.Skipped())-i)
			break
		}
		s.log.Warn("a line of the blocklist does nothing", "line", line.Line, "reason", line.Reason)
	}
	return nil
}

// maxReported bounds how many useless lines of one file are logged one by one.
const maxReported = 20

// List is the list in force.
func (s *Source) List() *List { return s.now.Load().list }

// Match returns the rule that an address meets, and counts it.
func (s *Source) Match(address string, source types.BlockSource) (pattern string, blocked bool) {
	pattern, blocked = s.List().Match(address)
	if blocked {
		s.mu.Lock()
		h := s.hits[pattern]
		if source == types.BlockSourceTool {
			h.Tool++
		} else {
			h.Network++
		}
		s.hits[pattern] = h
		s.mu.Unlock()
	}
	return pattern, blocked
}

// Hits returns how often a rule, as the file has it, stopped something since the server started.
func (s *Source) Hits(pattern string) Hits {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hits[pattern]
}

// Watch looks at the file every interval until Stop, and reads it again once it has changed and then stayed
// the same for an interval, so that one that is being written is not taken half. A file that cannot be
// used leaves the list in force, and the log says so once. Looking is a stat, which works on every file
// system, whether an editor writes the file or puts another in its place.
func (s *Source) Watch(interval time.Duration) {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel, s.done = cancel, make(chan struct{})
	go func() {
		defer close(s.done)
		tick := time.NewTicker(interval)
		defer tick.Stop()
		w := watch{source: s, settled: look(s.path)}
		// The file may have changed between Load and here.
		w.reload()
		for {
			select {
			case <-tick.C:
				w.step(look(s.path))
			case <-ctx.Done():
				return
			}
		}
	}()
}

// Stop ends the watch. It does nothing when there is none.
func (s *Source) Stop() {
	if s.cancel != nil {
		s.cancel()
		<-s.done
	}
}

// sight is what a look at a file shows of it.
type sight struct {
	exists   bool
	size     int64
	modified time.Time
	info     os.FileInfo
}

func look(path string) sight {
	info, err := os.Stat(path)
	if err != nil {
		return sight{}
	}
	return sight{true, info.Size(), info.ModTime(), info}
}

func (a sight) same(b sight) bool {
	return a.exists == b.exists && a.size == b.size && a.modified.Equal(b.modified) &&
		(!a.exists || os.SameFile(a.info, b.info))
}

// watch is the state of a watch.
type watch struct {
	source *Source
	// settled is how the file was when it was last read, and last how the last look found it.
	settled, last sight
	changing      bool
}

// step takes a look into account.
func (w *watch) step(now sight) {
	switch {
	case w.changing && now.same(w.last):
		w.changing, w.settled = false, now
		w.reload()
	case w.changing, !now.same(w.settled):
		w.changing, w.last = true, now
	}
}

func (w *watch) reload() {
	content, err := read(w.source.path)
	if err == nil && bytes.Equal(content, w.source.now.Load().content) {
		return
	}
	if err == nil {
		err = w.source.put(content)
	}
	if err != nil {
		w.source.log.Error("the blocklist could not be read again; the old one stays in force", "reason", reason(err))
	}
}
