package secret_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"sync"
	"testing"

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
			if got == text || !strings.Contains(got, secret.Hidden) {
				t.Errorf("%s of %q: %q", name, s, got)
			}
			if name == "plain" && got != "a "+secret.Hidden+" b" {
				t.Errorf("%q", got)
			}
		}
		if got := r.Scrub(s + "-longer"); got != secret.Hidden {
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
	if got := r.Scrub("the-secret"); got != secret.Hidden {
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
				if got := r.Scrub("comes-and-goes always-there"); got != secret.Hidden+" "+secret.Hidden {
					t.Errorf("%q", got)
				}
				forget()
			}
		})
	}
	all.Wait()
}

func FuzzScrub(f *testing.F) {
	f.Add("secret-1", "a ", " b")
	f.Add("пароль🔑", "{\"a\":\"", "\"}")
	f.Fuzz(func(t *testing.T, s, before, after string) {
		if len(s) < 8 || strings.Contains(secret.Hidden, s) { // Which is replaced by itself.
			return
		}
		r := &secret.Redactor{}
		r.Add(s)
		for _, text := range []string{before + s + after, base64.StdEncoding.EncodeToString([]byte(before + s + after)), url.QueryEscape(before + s + after)} {
			if got := r.Scrub(text); got == text {
				t.Errorf("%q stays", text)
			}
		}
	})
}
