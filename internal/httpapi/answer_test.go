package httpapi

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/browserhive/browserhive/internal/secret"
)

// JSON is scrubbed of what others own; everything else passes as it comes.
func TestAnswer(t *testing.T) {
	t.Parallel()
	secrets := &secret.Redactor{}
	secrets.AddFor("admin", "secret-of-admin-0001")
	secrets.AddFor("agent", "secret-of-agent-0002")
	const body = `{"a":"secret-of-admin-0001","b":"secret-of-agent-0002"}`
	for kind, want := range map[string]string{
		"application/json":         `{"a":"secret-of-admin-0001","b":"<redacted>"}`,
		"application/problem+json": `{"a":"secret-of-admin-0001","b":"<redacted>"}`,
		"image/png":                body, "": body,
	} {
		to := httptest.NewRecorder()
		a := &answer{ResponseWriter: to, secrets: secrets, caller: "admin"}
		if kind != "" {
			a.Header().Set("Content-Type", kind)
		}
		a.WriteHeader(http.StatusCreated)
		a.WriteHeader(http.StatusTeapot)
		if _, err := io.WriteString(a, body[:9]); err != nil {
			t.Fatal(err)
		}
		if passed := to.Body.Len() > 0; passed != (want == body) {
			t.Errorf("%q: passed at once is %t", kind, passed)
		}
		if _, err := io.WriteString(a, body[9:]); err != nil {
			t.Fatal(err)
		}
		a.send()
		if got := to.Body.String(); got != want || to.Code != http.StatusCreated {
			t.Errorf("%q: %d %s", kind, to.Code, got)
		}
	}
	to := httptest.NewRecorder()
	a := &answer{ResponseWriter: to, secrets: secrets}
	a.WriteHeader(http.StatusNoContent)
	a.send()
	if to.Code != http.StatusNoContent || to.Body.Len() > 0 {
		t.Errorf("%d %q", to.Code, to.Body)
	}
	(&answer{ResponseWriter: httptest.NewRecorder()}).send() // Nothing was answered.
}
