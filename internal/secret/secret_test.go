package secret_test

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/browserhive/browserhive/internal/secret"
)

func TestScrub(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"bh_3kf92XyZ0123456789", `p"a\s<s>&w/o+r d`, "пароль-密码-🔑", "tok\nen=with\tspaces"} {
		r := &secret.Redactor{}
		r.Add(s, s+"-longer", "short")
		marshalled, err := json.Marshal(map[string]string{"a": "x" + s + "y"})
		if err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(string(marshalled))
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			"plain": "a " + s + " b", "json": string(marshalled), "json in json": string(again),
			"query": "https://a.example/?t=" + url.QueryEscape(s), "path": "https://a.example/" + url.PathEscape(s),
			"basic":  "Basic " + base64.StdEncoding.EncodeToString([]byte("u:"+s)),
			"bearer": base64.URLEncoding.EncodeToString([]byte("name:" + s + ":more")), "base64": base64.RawStdEncoding.EncodeToString([]byte(s)),
			"hex": hex.EncodeToString([]byte(s)),
		} {
			got := r.Scrub(text)
			if got == text || !strings.Contains(got, secret.Redacted) {
				t.Errorf("%s of %q: %q", name, s, got)
			}
			if name == "plain" && got != "a "+secret.Redacted+" b" {
				t.Errorf("%q", got)
			}
		}
		if got := r.Scrub(s + "-longer"); got != secret.Redacted {
			t.Errorf("the longer secret leaves %q", got)
		}
		if got := r.Scrub("a short text"); got != "a short text" {
			t.Errorf("%q", got)
		}
	}
}

func TestForget(t *testing.T) {
	t.Parallel()
	r := &secret.Redactor{}
	first := r.Add("the-secret")
	second := r.Add("the-secret")
	first()
	first()
	if got := r.Scrub("the-secret"); got != secret.Redacted {
		t.Errorf("forgotten while it is needed: %q", got)
	}
	second()
	if got := r.Scrub("the-secret"); got != "the-secret" {
		t.Errorf("%q", got)
	}
	if got := (*secret.Redactor)(nil).Scrub("the-secret"); got != "the-secret" {
		t.Errorf("%q", got)
	}
}

func TestConcurrently(t *testing.T) {
	t.Parallel()
	r := &secret.Redactor{}
	r.Add("always-there")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				forget := r.Add("comes-and-goes")
				if got := r.Scrub("comes-and-goes always-there"); got != secret.Redacted+" "+secret.Redacted {
					t.Errorf("%q", got)
				}
				forget()
			}
		})
	}
	all.Wait()
}

// An answer is scrubbed of what others own and nobody guesses, and of nothing else.
func TestScrubFor(t *testing.T) {
	t.Parallel()
	r := &secret.Redactor{}
	r.Add("bh_servers-token-0123456789", "1111111111111111")
	r.AddFor("a", "password-of-a-12345", "shared-password-2468", "Bearer token-of-a-0987654321", "correct horse battery 1", "application/json", "hunter2")
	end := r.AddFor("b", "shared-password-2468", "sid=cookie-of-b-13579abc; theme=dark")
	const text = "bh_servers-token-0123456789 1111111111111111 password-of-a-12345 shared-password-2468 token-of-a-0987654321 " +
		"cookie-of-b-13579abc correct horse battery 1 application/json hunter2"
	const x = secret.Redacted
	for caller, want := range map[string]string{
		"a": x + " " + x + " password-of-a-12345 shared-password-2468 token-of-a-0987654321 " + x + " correct horse battery 1 application/json hunter2",
		"b": x + " " + x + " " + x + " shared-password-2468 " + x + " cookie-of-b-13579abc correct horse battery 1 application/json hunter2",
		"c": x + " " + x + " " + x + " " + x + " " + x + " " + x + " correct horse battery 1 application/json hunter2",
	} {
		if got := r.ScrubFor(caller, text); got != want {
			t.Errorf("for %s\n got %s\nwant %s", caller, got, want)
		}
	}
	if got := r.Scrub(text); got != strings.TrimSpace(strings.Repeat(x+" ", 9)) {
		t.Errorf("what is kept holds %s", got)
	}
	end()
	if got := r.ScrubFor("b", "shared-password-2468"); got != x {
		t.Errorf("b no longer holds it, and is answered %s", got)
	}
}

// What is scrubbed of a document is its strings, so that it stays one.
func TestScrubJSONFor(t *testing.T) {
	t.Parallel()
	r := &secret.Redactor{}
	r.Add(`nbc\"secret-0123456789\`, "1234567890123456")
	for doc, want := range map[string]string{
		`{"a":"x\nbc","n":1}`: `{"a":"x\nbc","n":1}`,
		`{"a":"x nbc\\\"secret-0123456789\\ y","b":["<&>",1.50]}`: `{"a":"x <redacted> y","b":["<&>",1.50]}`,
		`{"in":"{\"a\":\"nbc\\\\\\\"secret-0123456789\\\\\"}"}`:   `{"in":"{\"a\":\"<redacted>\\\\\"}"}`,
		`{"nbc\\\"secret-0123456789\\":1}`:                        `{"<redacted>":1}`,
		`{"n":1234567890123456,"s":"1234567890123456"}`:           `{"n":1234567890123456,"s":"<redacted>"}`,
		`"nbc\\\"secret-0123456789\\"`:                            `"<redacted>"`,
	} {
		got := string(r.ScrubJSONFor("a", json.RawMessage(doc)))
		if got != want || !json.Valid([]byte(got)) {
			t.Errorf("%s\n got %s\nwant %s", doc, got, want)
		}
	}
}

// Secrets that overlap, begin alike or contain each other leave nothing of either.
func TestOverlap(t *testing.T) {
	t.Parallel()
	r := &secret.Redactor{}
	forget := r.Add("abcdefgh", "efghijkl", "abcdefghi-longer", "abcdefghi-longest", "abcdefgh-x")
	for text, want := range map[string]string{
		"<abcdefghijkl>": "<" + secret.Redacted + ">", "abcdefghi-longest!": secret.Redacted + "!", "abcdefghi-longe": secret.Redacted + "i-longe",
		"abcdefgh-y": secret.Redacted + "-y", "abcdef": "abcdef", "abcdefghabcdefgh": secret.Redacted + secret.Redacted,
	} {
		if got := r.Scrub(text); got != want {
			t.Errorf("%s: %s, not %s", text, got, want)
		}
	}
	forget()
	if got := r.Scrub("abcdefghi-longest"); got != "abcdefghi-longest" {
		t.Errorf("it is forgotten, and gives %s", got)
	}
}

func TestInAddresses(t *testing.T) {
	t.Parallel()
	got := secret.InAddresses(`see "https://u:p%40ss@a.example/x@y" and http://token@b.example, me@c.example`)
	if want := []string{"p%40ss", "p@ss", "token"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// Pages may be made to be slow to search. Time grows with their length and no faster: as much text in sixteen
// times as many pieces takes about as long, where a square would take a sixteenth.
func TestHostileText(t *testing.T) {
	t.Parallel()
	r := &secret.Redactor{}
	r.Add(strings.Repeat(`\`, 16)+"1", strings.Repeat("a", 4000)+"b", strings.Repeat("a", 4000)+"c", strings.Repeat("a", 16), strings.Repeat(`\`, 8))
	const size, pieces = 1 << 20, 16
	scrub := func(n, times int) time.Duration {
		began := time.Now()
		for _, text := range []string{
			strings.Repeat(`\`, n), strings.Repeat("a", n), strings.Repeat("%25", n/4), `"` + strings.Repeat(`\"`, n/2) + `"`,
			strings.Repeat(`\ud83d`+strings.Repeat(`\`, 1000), n>>10), strings.Repeat(`\\a`, n/4),
		} {
			for range times {
				r.Scrub(text)
				r.ScrubJSONFor("a", json.RawMessage(text))
			}
		}
		return time.Since(began)
	}
	if short, long := scrub(size/pieces, pieces), scrub(size, 1); long > 6*short {
		t.Errorf("6 MiB took %v in one piece, and %v in %d", long, short, pieces)
	}
}

// twoEscapes finds what unescape says is missed: a backslash before a percent-encoded byte.
var twoEscapes = regexp.MustCompile(`\\%[0-9a-fA-F]{2}`)

func FuzzScrub(f *testing.F) {
	f.Add("secret-1", "a ", " b")
	f.Add("пароль🔑", "{\"a\":\"", "\"}")
	f.Add(`a%41&amp;\n+b`, "%", "41")
	f.Fuzz(func(t *testing.T, s, before, after string) {
		if len(s) < 8 || strings.Contains(secret.Redacted, s) || twoEscapes.MatchString(s) { // The second is replaced by itself.
			return
		}
		r := &secret.Redactor{}
		r.Add(s)
		// A blank keeps what stands beside the secret from becoming an escape with it.
		plain := strings.ToValidUTF8(before, "") + " " + s + " " + strings.ToValidUTF8(after, "")
		inJSON := func(text string) string {
			raw, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			return string(raw)
		}
		texts := []string{plain, base64.StdEncoding.EncodeToString([]byte(plain)), url.QueryEscape(plain), url.PathEscape(plain), html.EscapeString(plain)}
		if utf8.ValidString(s) { // As all that JSON holds.
			texts = append(texts, inJSON(plain), inJSON(inJSON(plain)), inJSON("https://a.example/?q="+url.QueryEscape(plain)), url.QueryEscape(inJSON(plain)))
		}
		for _, text := range texts {
			got := r.Scrub(text)
			if got == text {
				t.Errorf("%q stays", text)
			}
			if text == inJSON(plain) {
				answer := string(r.ScrubJSONFor("a", json.RawMessage(text)))
				if !json.Valid([]byte(answer)) {
					t.Errorf("%s is no JSON", answer)
				}
			}
		}
	})
}

// A megabyte of an answer, and a line of the log, beside many secrets. Half of the secrets begin alike, as
// signed tokens do.
func BenchmarkScrub(b *testing.B) {
	page := strings.Repeat(`{"role":"link","name":"Read more about this","url":"https://shop.example/a?b=c&d=%2Fe"},\n`, 1<<20/92)
	alike := strings.Repeat("eyJhbGciOiJSUzI1NiIs and ", 1<<20/25)
	snapshot := strings.Repeat("  - listitem: text of an ordinary page, with a link [ref=e12] and nothing else\n", 1<<20/80)
	line := `{"time":"2026-01-01T00:00:00Z","level":"info","msg":"tool called","module":"tools","tool":"click","principal":"agent-1","ms":12,"session_id":"shop-0a1b2c3d"}`
	for _, secrets := range []int{100, 1000} {
		r := &secret.Redactor{}
		for i := range secrets / 2 {
			r.AddFor("b", fmt.Sprintf("eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.%032x", i), fmt.Sprintf("%x-%s", i, rand.Text()))
		}
		for name, text := range map[string]string{"escaped": page, "plain": snapshot, "alike": alike, "line": line} {
			b.Run(fmt.Sprintf("%s/%d", name, secrets), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					r.ScrubJSONFor("a", json.RawMessage(text))
				}
			})
		}
		b.Run(fmt.Sprintf("add/%d", secrets), func(b *testing.B) {
			for b.Loop() {
				r.AddFor("b", "another-secret-0123456789")()
			}
		})
	}
}
