package auth_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/auth/authtest"
)

// What happens to an identity leaves a row.
func TestAudit(t *testing.T) {
	t.Parallel()
	a, cookie, c := settled(t, opened(t))
	ctx := t.Context()
	_, _, err := a.Login(ctx, home, auth.Admin, "wrong")
	if code(err) != errcode.CodeInvalidCredentials {
		t.Fatal(err)
	}
	if _, _, err := a.Login(ctx, home, auth.Admin, ownPassword); err != nil {
		t.Fatal(err)
	}
	if n, err := a.RevokeOtherSessions(ctx, c, home); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	_, credential, err := a.CreateToken(ctx, c.By(home), "ci", types.PrincipalKindAgent)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.RevokeToken(ctx, c.By(home), credential.ID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.CreateGrant(ctx, c, home, types.GrantRouteTrace, "shop-1"); err != nil {
		t.Fatal(err)
	}
	if err := a.Logout(ctx, c, home); err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.ResetPassword(ctx); err != nil {
		t.Fatal(err)
	}
	if _, ok := a.Cookie(cookie, home); ok {
		t.Error("signed out, and still in")
	}
	got := a.Rows(t, `SELECT action || ' ' || iif(ok, 'true', 'false') || ' ' || principal_id || ' by "' || ifnull(actor, '') || '" from ' ||
		ifnull(remote_addr, '') FROM auth_audit ORDER BY id`)
	want := []string{
		`token.create true agent-1 by "" from `,
		`password.seed true admin by "" from `,
		`login true admin by "admin" from 127.0.0.1`,
		`password.change true admin by "admin" from 127.0.0.1`,
		`login false admin by "" from 127.0.0.1`,
		`login true admin by "admin" from 127.0.0.1`,
		`session.revoke true admin by "admin" from 127.0.0.1`,
		`token.create true ci by "admin" from 127.0.0.1`,
		`token.revoke true ci by "admin" from 127.0.0.1`,
		`grant.create true admin by "admin" from 127.0.0.1`,
		`logout true admin by "admin" from 127.0.0.1`,
		`password.reset true admin by "" from `,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// No password, token, cookie or grant stands in any file of the data directory but the one that is for it.
func TestNoSecretOnDisk(t *testing.T) {
	t.Parallel()
	dir := opened(t)
	a := authtest.OpenIn(t, dir, auth.Options{Dashboard: true, Agents: true, Tokens: nil})
	seed := a.First.Password
	cookie, c, err := a.Login(t.Context(), home, auth.Admin, seed)
	if err != nil {
		t.Fatal(err)
	}
	token, _, err := a.CreateToken(t.Context(), by, "ci", types.PrincipalKindOperator)
	if err != nil {
		t.Fatal(err)
	}
	grant, _, err := a.CreateGrant(t.Context(), c, home, types.GrantRouteTrace, "shop-1")
	if err != nil {
		t.Fatal(err)
	}
	a.Cookie(cookie, home)
	a.Bearer(token)
	secrets := map[string]string{"seed": seed, "cookie": cookie, "token": token, "first token": a.First.Token, "grant": grant, "own": ownPassword}
	for name, s := range secrets {
		if name != "own" && strings.Contains(a.Secrets.Scrub("x "+s+" y"), s) {
			t.Errorf("the redactor does not know the %s", name)
		}
	}
	look := func(allowed string) (seen int) {
		t.Helper()
		err := filepath.WalkDir(dir.Root, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for name, s := range secrets {
				switch {
				case !strings.Contains(string(raw), s):
				case name == "seed" && path == allowed:
					seen++
				default:
					t.Errorf("%s holds the %s", path, name)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return seen
	}
	if look(seedPath(dir)) != 1 {
		t.Error("the generated password is nowhere, so this test finds nothing")
	}
	if _, err := a.ChangePassword(t.Context(), c, home, seed, ownPassword); err != nil {
		t.Fatal(err)
	}
	look("")
	a.Close()
	look("")
}
