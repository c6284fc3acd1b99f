package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/auth/authtest"
	"github.com/browserhive/browserhive/internal/httpapi"
)

// Whatever a request holds, its answer is one of the contract, and never a fault of the server's.
func FuzzInput(f *testing.F) {
	id := authtest.Open(f, auth.Options{})
	token, _, err := id.CreateToken(f.Context(), auth.Actor{}, "fuzz", types.PrincipalKindOperator)
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range [][2]string{
		{"limit=1&cursor=x", `{"name":"a","kind":"agent"}`}, {"limit=1e0&revoked=true&kind=agent", `{"name":`}, {"limit=1&limit=2&%zz", `[]`},
		{"cursor=eyJhIjoxLCJpIjoiIn0&dir=asc", "null"}, {"q=%00&sort=created_at", `{"route":"trace","resource_id":"\u0000"}`}, {"limit=-0", `{"name":1e999}`},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, query, body string) {
		s := door(t, func(o *httpapi.Options) { o.Admin, o.Identity, o.Resources = true, id.Authority, id.Store })
		for _, path := range []string{"GET /api/v1/auth/tokens", "GET /api/v1/auth/sessions", "POST /api/v1/auth/grants"} {
			method, path, _ := strings.Cut(path, " ")
			r := httptest.NewRequest(method, path, strings.NewReader(body))
			r.URL.RawQuery, r.Host = query, "localhost"
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Authorization", "Bearer "+token)
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, r)
			validated(t, r, w)
			if w.Code >= http.StatusInternalServerError {
				t.Errorf("%s: %d %s", path, w.Code, w.Body)
			}
		}
	})
}
