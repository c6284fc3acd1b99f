package auth_test

import (
	"strings"
	"testing"

	"github.com/browserhive/browserhive/internal/auth"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	a, b := strings.Repeat("a", 32), strings.Repeat("b:", 20)
	tok, err := auth.ParseTokens([]string{"one:" + a, "two:" + b})
	if err != nil {
		t.Fatal(err)
	}
	for token, want := range map[string]string{a: "one", b: "two", "": "", "x": "", a + "a": "", a[1:]: ""} {
		p, ok := tok.Find(token)
		if ok != (want != "") || p.Name != want {
			t.Errorf("%q: %q", token, p.Name)
		}
	}
	p, _ := tok.Find(a)
	if !p.Owns("one") || p.Owns("two") || p.Owns(auth.Local) {
		t.Error("a token owns what it made and nothing else")
	}
	if !auth.Anyone.Owns("two") {
		t.Error("without authentication everybody sees everything")
	}
	if (auth.Principal{}).Owns("one") {
		t.Error("nobody owns nothing")
	}
	if _, err := auth.ParseTokens([]string{"secretsecret"}); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a malformed pair: %v", err)
	}
}
