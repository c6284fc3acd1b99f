package record_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/record"
	"github.com/browserhive/browserhive/internal/secret"
)

// traced remembers what became of a trace.
type traced struct {
	kept
	trace   record.Trace
	warning *string
}

func (k *traced) SetTrace(_ string, t record.Trace, warning *string) { k.trace, k.warning = t, warning }

// part writes a part of a trace.
func part(t *testing.T, files map[string]string) record.TracePart {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return record.TracePart{Dir: dir, Name: "p"}
}

// entries reads a zip file.
func entries(t *testing.T, content []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		found[f.Name] = string(text)
	}
	return found
}

// write makes a trace file of parts.
func write(ctx context.Context, t *testing.T, raw record.RawTrace) (*traced, map[string]string) {
	t.Helper()
	secrets := &secret.Redactor{}
	secrets.Add("hunter2-secret")
	k := &traced{}
	var file bytes.Buffer
	newRecorder(t, record.Options{Secrets: secrets, Traces: func(_ string, write func(io.Writer) error) (int64, error) {
		err := write(&file)
		return int64(file.Len()), err
	}}, k).Trace(ctx, "shop-1", raw)
	if k.trace.State == types.TraceStateFailed {
		return k, nil
	}
	return k, entries(t, file.Bytes())
}

func TestTraceHoldsNoCredentials(t *testing.T) {
	t.Parallel()
	k, files := write(t.Context(), t, record.RawTrace{Parts: []record.TracePart{part(t, map[string]string{
		"p.trace": `{"type":"context-options","options":{"viewport":{"width":1},"proxy":{"password":"LEAK"},"storageState":{"x":"LEAK"},"env":{"K":"LEAK"}}}
{"type":"before","method":"fill","params":{"selector":"#pw","value":"hunter2-secret"}}
{"type":"before","method":"addCookies","params":{"cookies":[{"name":"sid","value":"LEAK"}]}}
{"type":"after","result":{"cookies":[{"name":"sid","value":"LEAK"}],"origins":[{"localStorage":[{"name":"a","value":"LEAK"}]}]}}
{"type":"before","method":"setExtraHTTPHeaders","params":{"headers":[{"name":"X-Auth-Token","value":"LEAK"},{"name":"Accept","value":"kept-value"}]}}
{"type":"frame-snapshot","snapshot":{"html":["P",{},"a <b> & hunter2-secret"]}}
{"type":"before","n":12345678901234567890}
{"type":"cut off`,
		"p.network":            `{"type":"resource-snapshot","snapshot":{"request":{"url":"http://a.example/?q=1","headers":[{"name":"Cookie","value":"LEAK"}],"cookies":[{"name":"sid","value":"LEAK"}]},"response":{"headers":[{"name":"set-cookie","value":"LEAK"}],"content":{"_file":"resources/1.txt"}}}}` + "\n",
		"resources/1.txt":      "says hunter2-secret",
		"screencast/one.jpeg":  "\xff\xd8 not text",
		"unknown-of-the-parts": "LEAK",
	})}})
	if k.trace.State != types.TraceStateReady || k.warning != nil || k.trace.FinalizedAt == nil || *k.trace.SizeBytes == 0 || k.trace.CutUntil != nil {
		t.Errorf("%+v %v", k.trace, k.warning)
	}
	if len(files) != 4 {
		t.Errorf("%q", files)
	}
	all := ""
	for _, text := range files {
		all += text
	}
	for _, leak := range []string{"LEAK", "hunter2", "cut off"} {
		if strings.Contains(all, leak) {
			t.Errorf("%s is in %s", leak, all)
		}
	}
	for _, stays := range []string{"kept-value", `"viewport":{"width":1}`, `"sid"`, "a <b> & ", "12345678901234567890", "http://a.example/?q=1", "\xff\xd8 not text", "says "} {
		if !strings.Contains(all, stays) {
			t.Errorf("%s is not in %s", stays, all)
		}
	}
}

func TestTraceInParts(t *testing.T) {
	t.Parallel()
	one := part(t, map[string]string{"p.trace": "{\"n\":1}\n", "p.network": "", "resources/a": "a", "resources/b": "b"})
	two := part(t, map[string]string{"p.trace": "{\"n\":2}\n", "resources/a": "a"}) // Without requests: its browser died.
	until := time.UnixMilli(1_700_000_000_000)
	k, files := write(t.Context(), t, record.RawTrace{Parts: []record.TracePart{one, two}, CutUntil: until, Fault: errors.New("it died")})
	for name, want := range map[string]string{"part-1.trace": "{\"n\":1}\n", "part-1.network": "", "part-2.trace": "{\"n\":2}\n", "resources/a": "a", "resources/b": "b"} {
		if got, ok := files[name]; !ok || got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if k.trace.State != types.TraceStateReady || *k.trace.CutUntil != until.UnixMilli() || !strings.HasPrefix(*k.warning, "TRACE_FINALIZE_FAILED: it died") {
		t.Errorf("%+v %v", k.trace, *k.warning)
	}
}

// When the time is up, the file is whole in itself and has what was written until then.
func TestTraceThatTakesTooLong(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	k, files := write(ctx, t, record.RawTrace{Parts: []record.TracePart{part(t, map[string]string{"p.trace": "{}\n", "resources/a": "a"})}})
	if k.trace.State != types.TraceStateReady || k.warning == nil || files["resources/a"] != "" {
		t.Errorf("%+v %v %q", k.trace, k.warning, files)
	}
	if k, _ := write(t.Context(), t, record.RawTrace{}); k.trace.State != types.TraceStateFailed || k.warning == nil {
		t.Errorf("%+v", k.trace)
	}
}
