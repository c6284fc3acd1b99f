package toolset

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/internal/contract"
)

// reading reads a text part by part and returns the parts without what they say about the rest.
func reading(t *testing.T, texts *texts, s owner, kind *textKind, body string, most *int64) (parts []string) {
	t.Helper()
	var cursor *string
	for {
		p, err := texts.read(s, kind, cursor, most, func() (string, string, error) { return body, "about:blank", nil })
		if err != nil {
			t.Fatal(err)
		}
		if len(p.text) > tools.TextLimit || !utf8.ValidString(p.text) || p.url != "about:blank" {
			t.Fatalf("a part of %d bytes, valid: %v, url %q", len(p.text), utf8.ValidString(p.text), p.url)
		}
		note := ""
		if p.truncated != nil {
			note = p.text[strings.LastIndexByte(p.text, '\n'):]
			if p.cursor != nil && !strings.Contains(note, fmt.Sprintf("call %s with cursor %s to read on", kind.tool, *p.cursor)) {
				t.Fatalf("the last line is %q", note)
			}
		}
		text := strings.TrimSuffix(p.text, note)
		if most != nil && int64(utf8.RuneCountInString(text)) > *most {
			t.Fatalf("a part of %d characters", utf8.RuneCountInString(text))
		}
		parts = append(parts, text)
		if cursor = p.cursor; cursor == nil {
			return parts
		}
	}
}

type lifetime struct{ ctx context.Context }

func (l *lifetime) Context() context.Context { return l.ctx }

func TestPartsMakeTheText(t *testing.T) {
	long := strings.Repeat("- text: \"é𝄞\"\n", 200_000)
	for name, test := range map[string]struct {
		kind  *textKind
		body  string
		most  *int64
		parts int
		join  string
	}{
		"short":        {outlineText, "- text: a", nil, 1, "\n"},
		"empty":        {htmlText, "", nil, 1, ""},
		"lines":        {outlineText, strings.TrimSpace(long), nil, 4, "\n"},
		"one line":     {jsonText, strings.Repeat("é", 1<<20), nil, 3, ""},
		"exactly":      {htmlText, strings.Repeat("x", tools.TextLimit), nil, 1, ""},
		"one too many": {htmlText, strings.Repeat("x", tools.TextLimit+1), nil, 2, ""},
		"characters":   {htmlText, strings.Repeat("𝄞", 1000), contract.To(int64(300)), 4, ""},
		"few lines":    {outlineText, strings.TrimSpace(strings.Repeat("- text: é𝄞\n", 100)), contract.To(int64(200)), 6, "\n"},
		"a long line":  {outlineText, strings.Repeat("x", 500), contract.To(int64(200)), 3, ""},
	} {
		parts := reading(t, &texts{}, &lifetime{t.Context()}, test.kind, test.body, test.most)
		if got := strings.Join(parts, test.join); got != test.body || len(parts) != test.parts {
			t.Errorf("%s: %d parts, %d bytes of %d", name, len(parts), len(got), len(test.body))
		}
	}
}

// A text that is too long to keep says at the end that it goes on.
func TestTextTooLongToKeep(t *testing.T) {
	body := strings.Repeat("x", maxTextBytes+5)
	texts, s := &texts{}, &lifetime{t.Context()}
	p, err := texts.read(s, htmlText, nil, nil, func() (string, string, error) { return body, "", nil })
	for p.cursor != nil && err == nil {
		p, err = texts.read(s, htmlText, p.cursor, nil, nil)
	}
	if err != nil || p.truncated == nil || !strings.HasSuffix(p.text, "the last 5 of 33554437 characters are missing; they were too many to keep -->") {
		t.Errorf("%v, %q", err, p.text[max(0, len(p.text)-200):])
	}
}

func TestCursorsThatLeadNowhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		texts, s, other := &texts{}, &lifetime{ctx}, &lifetime{t.Context()}
		keep := func(of owner, size int) string {
			t.Helper()
			p, err := texts.read(of, htmlText, nil, contract.To(int64(200)), func() (string, string, error) { return strings.Repeat("é", size/2), "", nil })
			if err != nil || p.cursor == nil {
				t.Fatalf("%+v, %v", p, err)
			}
			return *p.cursor
		}
		leads := func(of owner, kind *textKind, cursor string, want bool) {
			t.Helper()
			_, err := texts.read(of, kind, &cursor, nil, nil)
			if want != (err == nil) || !want && contract.CodeOf(err) != errcode.CodeInvalidArguments {
				t.Errorf("cursor %s: %v", cursor, err)
			}
		}
		cursor := keep(s, 1000)
		leads(s, htmlText, cursor, true)
		leads(s, htmlText, cursor, true) // As often as it takes.
		leads(s, jsonText, cursor, false)
		leads(other, htmlText, cursor, false)
		id, _, _ := strings.Cut(cursor, ".")
		for _, wrong := range []string{"", id, id + ".", id + ".0", id + ".-2", id + ".401", id + ".1000", id + ".99999999999999999999", "x.2"} {
			leads(s, htmlText, wrong, false)
		}
		// Newer ones take its place.
		newer := keep(s, maxTextBytes-1000)
		leads(s, htmlText, cursor, true)
		newest := keep(s, 1002)
		leads(s, htmlText, cursor, false)
		leads(s, htmlText, newer, false) // It would be too much beside the newest.
		leads(s, htmlText, newest, true)
		// It is kept for a time after it was read.
		time.Sleep(textLifetime - time.Second)
		leads(s, htmlText, newest, true)
		time.Sleep(textLifetime - time.Second)
		leads(s, htmlText, newest, true)
		time.Sleep(textLifetime)
		synctest.Wait()
		leads(s, htmlText, newest, false)
		// It goes with its session.
		gone, stays := keep(s, 1000), keep(other, 1000)
		end()
		synctest.Wait()
		leads(s, htmlText, gone, false)
		leads(other, htmlText, stays, true)
		texts.mu.Lock()
		if len(texts.sessions) != 1 {
			t.Errorf("texts of %d sessions are kept", len(texts.sessions))
		}
		texts.mu.Unlock()
		time.Sleep(textLifetime) // No timer outlives the test.
	})
}
