package record

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
)

// TracePart is a directory with a part of a trace: the files Name.trace and Name.network, lines of JSON, and
// what they refer to, by paths below the directory.
type TracePart struct{ Dir, Name string }

// RawTrace is the trace of a session as it was recorded, with secrets.
type RawTrace struct {
	// Parts follow each other in time.
	Parts []TracePart
	// CutUntil is the time up to which the trace was dropped because it was too long; zero for a complete one.
	CutUntil time.Time
	// Fault is why the end may be missing; nil for a complete trace.
	Fault error
}

// Trace is what is known of the trace of a session, as it is kept.
type Trace struct {
	State       types.TraceState `json:"state"`
	SizeBytes   *int64           `json:"size_bytes,omitempty"`
	FinalizedAt *int64           `json:"finalized_at,omitempty"` // Milliseconds since 1970, as all times.
	CutUntil    *int64           `json:"cut_until,omitempty"`
}

// Trace makes one file of the parts of a trace, for the trace viewer, and records what became of it. Secrets,
// cookie values and headers that authenticate are taken out. When ctx ends, the file has what was written
// until then: all that was done, but perhaps not every picture of it.
func (r *Recorder) Trace(ctx context.Context, sessionID string, raw RawTrace) {
	kept := Trace{State: types.TraceStateReady}
	if !raw.CutUntil.IsZero() {
		until := raw.CutUntil.UnixMilli()
		kept.CutUntil = &until
	}
	size, err := r.writeTrace(ctx, sessionID, raw.Parts)
	switch {
	case err == nil || size > 0 && errors.Is(err, context.DeadlineExceeded):
		now := time.Now().UnixMilli()
		kept.SizeBytes, kept.FinalizedAt = &size, &now
	default:
		kept.State = types.TraceStateFailed
	}
	var warning *string
	if err = errors.Join(raw.Fault, err); err != nil {
		text := string(errcode.CodeTraceFinalizeFailed) + ": " + r.clean(firstLine(err.Error()), maxMessage)
		warning = &text
		r.opts.Log.Warn("the trace of a session is incomplete", "code", string(errcode.CodeTraceFinalizeFailed), "session_id", sessionID, "error", err)
	}
	r.store.SetTrace(sessionID, kept, warning)
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// writeTrace writes the file and returns its size.
func (r *Recorder) writeTrace(ctx context.Context, sessionID string, parts []TracePart) (size int64, err error) {
	if r.opts.Traces == nil || len(parts) == 0 {
		return 0, errors.New("nothing was recorded")
	}
	var cutShort error // Why not all of it is in the file.
	size, err = r.opts.Traces(sessionID, func(w io.Writer) error {
		z := zip.NewWriter(w)
		t := &traceWriter{ctx: ctx, zip: z, scrub: r.opts.Secrets.Scrub, written: map[string]bool{}}
		if cutShort = t.write(parts); cutShort != nil && ctx.Err() == nil {
			return cutShort
		}
		return z.Close()
	})
	return size, errors.Join(err, cutShort)
}

// traceWriter writes the entries of a trace file.
type traceWriter struct {
	ctx     context.Context
	zip     *zip.Writer
	scrub   func(string) string
	written map[string]bool
}

// write writes what was done first, and then the pictures and documents, the newest part first, so that a
// file that is cut short has what matters most.
func (t *traceWriter) write(parts []TracePart) error {
	for i, p := range parts {
		name := "trace"
		if len(parts) > 1 {
			name = fmt.Sprintf("part-%d", i+1)
		}
		for _, kind := range []string{".trace", ".network"} {
			if err := t.lines(filepath.Join(p.Dir, p.Name+kind), name+kind); err != nil {
				return err
			}
		}
	}
	for _, p := range slices.Backward(parts) {
		if err := t.resources(p); err != nil {
			return err
		}
	}
	return nil
}

// entry begins an entry of the file.
func (t *traceWriter) entry(name string, method uint16) (io.Writer, error) {
	return t.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: time.Now()})
}

// lines copies a file of JSON lines. One that is not there has none: its browser died early.
func (t *traceWriter) lines(file, name string) error {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	w, err := t.entry(name, zip.Deflate)
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(f, 1<<16)
	for t.ctx.Err() == nil {
		line, err := in.ReadBytes('\n')                                       // No longer than its part, whose size is bounded.
		if event := bytes.TrimSuffix(line, []byte("\n")); json.Valid(event) { // The last of a browser that died may not be.
			if _, err := io.WriteString(w, t.scrub(string(withoutCredentials(event)))+"\n"); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return t.ctx.Err()
}

// resources copies what the lines of a part refer to.
func (t *traceWriter) resources(p TracePart) error {
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || t.ctx.Err() != nil {
			return errors.Join(err, t.ctx.Err())
		}
		if !e.Type().IsRegular() || path.Dir(name) == "." || t.written[name] {
			return nil
		}
		t.written[name] = true
		content, err := root.ReadFile(name)
		if err != nil {
			return err
		}
		method := zip.Store // Pictures and fonts, which are packed already.
		if utf8.Valid(content) {
			method, content = zip.Deflate, []byte(t.scrub(string(content)))
		}
		w, err := t.entry(name, method)
		if err != nil {
			return err
		}
		_, err = w.Write(content)
		return err
	})
}
